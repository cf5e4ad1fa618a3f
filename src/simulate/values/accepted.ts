/** Values that all that speaks of a step accepts: the one that was drawn, or else one that is found on a ladder of others. */
import type { StepContext } from '../../core/context.js';
import type { Json, JsonSchema } from '../../core/json.js';
import { idsOf } from '../../core/step-path.js';
import { type Draw, randomAt } from '../choices/choices.js';
import type { Hope } from './hopes.js';
import { drawValue, NO_POOL, type Pool } from './values.js';
import { writtenWords } from './written-words.js';

/** What is the same for all runs of a pipeline. */
export interface Ladders {
  /** The rung that was found to hold, by step, or to be refused, by step with the number of the assert: tried first. */
  readonly rungs: Map<string, number>;
  /** Found while the program warms up; afterwards each run must be the same, whichever came before it. */
  isOpen: boolean;
}

const RUNGS = 40;
/** For a value that an assert refuses: first those that a known one may be among. */
const MISS_RUNGS = 60;
const FEW_MISS_RUNGS = 8;
/** Chances of a choice that is not the plainest, from rung to rung. */
const CHANCES = [0, 0.3, 0.6, 0.85];
/** From this rung on texts are odd, too: what a condition speaks of is among them. */
const ODD_FROM = 16;
/** How often an answer need not be one with which the run goes on: where an `end` looks at it, in each round of a loop. */
const ENDING = 0.25;
const ROUND = 0.6;
/** How often an answer is given that only its schema allows, where asserts look at it. */
const MISSING = 0.1;
/** How odd its texts are then. */
const ODD = 0.3;

export interface Accepting {
  readonly context: StepContext | undefined;
  readonly pool: Pool;
  readonly ladders: Ladders;
  readonly hopes: readonly Hope[];
  /** From the value as it is handed in to the step's output. */
  unwrap(value: Json): Json;
}

export async function acceptedValue(schema: JsonSchema | undefined, draw: Draw, accepting: Accepting): Promise<Json> {
  const { context, pool, ladders, hopes, unwrap } = accepting;
  if (context && context.step.assert.length > 0) {
    if (ladders.isOpen) for (const at of context.step.assert.keys()) await missedAt(at, schema, context, accepting);
    if (draw.rarely(MISSING, 2) === 1) return missedValue(schema, draw, context, accepting);
  }
  const chance = hopes.some(({ isLoops }) => isLoops) ? ROUND : ENDING;
  const mayEnd = hopes.length > 0 && draw.rarely(chance, 2) === 1;
  const first = drawValue(schema, draw, pool);
  if (!context) return first;
  const isAccepted = async (value: Json) => {
    try {
      const output = unwrap(value);
      return (await context.judge(output)).every(({ from }) => from === 'artifacts');
    } catch {
      return false;
    }
  };
  const goesOn = (value: Json) => {
    try {
      return mayEnd || hopes.every((hope) => hope.holds(unwrap(value)));
    } catch {
      return false;
    }
  };
  let best: Json | undefined;
  let held: number | undefined;
  if (await isAccepted(first)) {
    if (goesOn(first)) return first;
    best = first;
  }
  const ids = idsOf(context.path);
  const known = ladders.rungs.get(ids);
  for (let rung = known === undefined ? 0 : -1; rung < RUNGS; rung++) {
    const number = rung === -1 ? (known ?? 0) : rung;
    const value = drawValue(schema, rungDraw(ids, number), pool);
    if (!(await isAccepted(value))) continue;
    if (goesOn(value)) {
      if (ladders.isOpen) ladders.rungs.set(ids, number);
      return value;
    }
    best ??= value;
    // Nothing better was found when it was looked for.
    if (rung === -1) break;
    held ??= number;
  }
  if (ladders.isOpen && held !== undefined) ladders.rungs.set(ids, held);
  return best ?? first;
}

/** A value that its schema allows and one of the asserts refuses, if there is one among a few. */
async function missedValue(
  schema: JsonSchema | undefined,
  draw: Draw,
  context: StepContext,
  accepting: Accepting,
): Promise<Json> {
  const at = draw.rarely(1, context.step.assert.length + 1) - 1;
  const odd = drawValue(schema, { ...draw, pick: (_aspect, count) => draw.rarely(ODD, count) }, NO_POOL);
  if (at < 0 || (await isMissed(at, odd, context, accepting))) return odd;
  return (await missedAt(at, schema, context, accepting)) ?? odd;
}

async function missedAt(
  at: number,
  schema: JsonSchema | undefined,
  context: StepContext,
  accepting: Accepting,
): Promise<Json | undefined> {
  const { ladders, pool } = accepting;
  const ids = idsOf(context.path);
  const name = `${ids} ${at}`;
  const known = ladders.rungs.get(name);
  const rungs = ladders.isOpen ? MISS_RUNGS : FEW_MISS_RUNGS;
  for (let rung = known === undefined ? 0 : -1; rung < rungs; rung++) {
    const number = rung === -1 ? (known ?? 0) : rung;
    // Each fourth of the rungs is the plainest one.
    const { rarely } = rungDraw(name, number + 1 + Math.floor(number / 3));
    const value =
      number % 2 === 0
        ? drawValue(
            schema,
            { rarely, pick: (_aspect, count) => rarely(1, count) },
            { ...NO_POOL, numbers: pool.numbers },
          )
        : drawValue(schema, { rarely, pick: () => 0 }, pool);
    if (!(await isMissed(at, value, context, accepting))) continue;
    if (ladders.isOpen) ladders.rungs.set(name, number);
    return value;
  }
  return undefined;
}

async function isMissed(
  at: number,
  value: Json,
  { step, judge }: StepContext,
  { unwrap }: Accepting,
): Promise<boolean> {
  try {
    const complaints = await judge(unwrap(value));
    const words = writtenWords(step.assert[at]?.message);
    return complaints.some(({ from, message }) => from === 'assert' && message.includes(words));
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
  return { rarely, pick: (aspect, count) => (aspect === 'value' && rung < ODD_FROM ? 0 : rarely(chance, count)) };
}
