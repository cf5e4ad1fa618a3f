/** Values that all that speaks of a step accepts: the one that was drawn, or else one that is found on a ladder of others. */
import type { StepContext } from '../core/context.js';
import type { Expression } from '../core/expression.js';
import type { Json, JsonSchema } from '../core/json.js';
import { idsOf } from '../core/step-path.js';
import { type Draw, randomAt } from './choices.js';
import { drawValue, NO_POOL, type Pool } from './values.js';

/** What is the same for all runs of a pipeline. */
export interface Ladders {
  /** The rung that was found to hold, by step: tried first. */
  readonly rungs: Map<string, number>;
  /** Found while the program warms up; afterwards each run must be the same, whichever came before it. */
  isOpen: boolean;
}

const RUNGS = 40;
/** Chances of a choice that is not the plainest, from rung to rung. */
const CHANCES = [0, 0.3, 0.6, 0.85];
/** How often an answer is one that ends the run, where an `end` looks at it. */
const ENDING = 0.25;
/** How often an answer is given that only its schema allows, where asserts look at it. */
const MISSING = 0.1;
/** How odd its texts are then. */
const ODD = 0.3;

export interface Accepting {
  readonly context: StepContext | undefined;
  readonly pool: Pool;
  readonly ladders: Ladders;
  /** Conditions of ends that look at this step alone. */
  readonly ends: readonly Expression[];
  /** From the value as it is handed in to the step's output. */
  unwrap(value: Json): Json;
}

export async function acceptedValue(
  schema: JsonSchema | undefined,
  draw: Draw,
  { context, pool, ladders, ends, unwrap }: Accepting,
): Promise<Json> {
  const isJudged = (context?.step.assert.length ?? 0) > 0;
  const mayMiss = isJudged && draw.rarely(MISSING, 2) === 1;
  if (mayMiss) return drawValue(schema, { ...draw, pick: (_aspect, count) => draw.rarely(ODD, count) }, NO_POOL);
  const mayEnd = ends.length > 0 && draw.rarely(ENDING, 2) === 1;
  const first = drawValue(schema, draw, pool);
  if (!context) return first;
  const isAccepted = async (value: Json) => {
    try {
      const output = unwrap(value);
      if (!mayEnd && ends.some((end) => isTrue(end, context.step.id, output))) return false;
      return (await context.judge(output)).every(({ from }) => from === 'artifacts');
    } catch {
      return false;
    }
  };
  if (await isAccepted(first)) return first;
  const ids = idsOf(context.path);
  const known = ladders.rungs.get(ids);
  for (let rung = known === undefined ? 0 : -1; rung < RUNGS; rung++) {
    const number = rung === -1 ? (known ?? 0) : rung;
    const value = drawValue(schema, rungDraw(ids, number), pool);
    if (!(await isAccepted(value))) continue;
    if (ladders.isOpen) ladders.rungs.set(ids, number);
    return value;
  }
  return first;
}

function isTrue(end: Expression, id: string, output: Json): boolean {
  try {
    return end.evaluate({ steps: { [id]: { status: 'done', output, error: null, failures: [] } } }) === true;
  } catch {
    return false;
  }
}

/** Costs no choice: the same whatever the seed. */
function rungDraw(ids: string, rung: number): Draw {
  const random = randomAt('ladder', `${ids} ${rung}`);
  const chance = CHANCES[rung % CHANCES.length] ?? 0;
  const rarely = (_chance: number, count: number) =>
    rung === 0 || count < 2 || random() >= chance ? 0 : 1 + Math.floor(random() * (count - 1));
  return { rarely, pick: (aspect, count) => (aspect === 'value' ? 0 : rarely(chance, count)) };
}
