/** Projects of a pipeline of random steps and a skill that it may run; the same for the same numbers. */
import { type Dice, type Given, randomSteps, type Step, type Value } from './random-steps.js';

export interface RandomPlan {
  /** By path: the files of a project, with the pipeline in pipeline.yaml. */
  readonly files: Readonly<Record<string, string>>;
  /** The same with one thing changed, as an author changes it between two sessions. */
  readonly edited: Readonly<Record<string, string>>;
}

const CHILD = 'part';
const CHILD_FILE = `skills/${CHILD}/pipeline.yaml`;
const SKILL_FILE = `skills/${CHILD}/SKILL.md`;

export function randomPlan(random: () => number): RandomPlan {
  let ids = 0;
  const dice: Dice = {
    below: (count) => Math.floor(random() * count),
    chance: (share) => random() < share,
    newId: () => `s${++ids}`,
  };
  const { below, chance } = dice;
  const around = { depth: 0, outer: [], told: '', mayEnd: true };
  const own = randomSteps(dice, 4 + below(6), { ...around, child: CHILD });
  const limits = { tokens: chance(0.3) ? 1_500 + below(1_200) : 60_000 + below(400_000), max_parallel: 1 + below(4) };
  const text = planText('random', own, {
    limits,
    ...(chance(0.15) ? { on_failure: 'stop' } : {}),
    ...(chance(0.2) ? { accept_partial: true } : {}),
  });
  const inner = randomSteps(dice, 1 + below(4), { ...around, child: undefined });
  const childText = planText(CHILD, inner, chance(0.2) ? { accept_partial: true } : {});
  const files = {
    'pipeline.yaml': text,
    [CHILD_FILE]: childText,
    [SKILL_FILE]: `---\nname: ${CHILD}\ndescription: A part of another pipeline.\n---\n`,
  };
  const runsChild = text.includes('"pipeline":');
  const edited =
    runsChild && below(3) === 0
      ? { [CHILD_FILE]: editedText(childText, below) }
      : { 'pipeline.yaml': editedText(text, below) };
  return { files, edited: { ...files, ...edited } };
}

function planText(
  name: string,
  { list, given }: { readonly list: readonly Step[]; readonly given: readonly Given[] },
  more: Step,
): string {
  const sure = given.filter(({ mayLack }) => !mayLack).slice(0, 4);
  const result = Object.fromEntries(sure.map(({ id }) => [id, `\${{ steps.${id}.output }}`]));
  return `${JSON.stringify({ version: 1, name, ...more, steps: list, result }, null, 1)}\n`;
}

/** One step is told something else, or its schema asks for more. */
function editedText(text: string, below: (count: number) => number): string {
  const plan = JSON.parse(text) as { readonly steps: Step[] };
  const all = everyStep(plan.steps);
  const withSchema = all.filter(({ output }) => output !== undefined);
  const step = below(3) > 0 ? withSchema[below(withSchema.length)] : all[below(all.length)];
  const { agent, shell, output } = (step ?? {}) as Record<string, Record<string, Value> | undefined>;
  if (output && below(4) > 0) {
    output.properties = { ...(output.properties as object), more: { type: 'integer', minimum: 0, maximum: 3 } };
    output.required = [...(output.required as Value[]), 'more'];
  } else if (agent) agent.instructions = `${agent.instructions} Be brief.`;
  else if (shell) shell.command = [...(shell.command as Value[]), '--other'];
  return `${JSON.stringify(plan, null, 1)}\n`;
}

function everyStep(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...everyStep((step.steps as Step[] | undefined) ?? [])]);
}
