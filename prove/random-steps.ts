/** Random steps of every kind that the language has, a function a kind; valid by their making. */

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
export type Step = Record<string, Value>;

/** Of a step above in the same list: what it gives. */
export interface Given {
  readonly id: string;
  /** An object with these fields, or a list of such; undefined where nothing can be said of it. */
  readonly fields?: 'verdict' | 'list';
  readonly mayLack: boolean;
}

export interface Dice {
  /** From 0 up to, but not including, `count`. */
  below(count: number): number;
  chance(share: number): boolean;
  newId(): string;
}

/** What stands around a list of steps. */
export interface Around {
  readonly depth: number;
  readonly outer: readonly Given[];
  /** What its loops give to prompts; '' outside of any. */
  readonly told: string;
  /** Ends and gates may stand here: nowhere in a loop over items. */
  readonly mayEnd: boolean;
  /** The skill that a step may run; undefined where it is that skill itself. */
  readonly child: string | undefined;
}

interface Place extends Around {
  readonly dice: Dice;
  readonly id: string;
  /** What the step is told of others. */
  readonly shown: string;
  readonly fields: 'verdict' | 'list';
  /** Steps above it whose output is there for sure; those that give a verdict, those that give names. */
  readonly decider: Given | undefined;
  readonly source: Given | undefined;
  readonly given: readonly Given[];
}

/** The keys of a step beside its id, needs and condition; with what it gives. */
interface Made {
  readonly step: Step;
  readonly gives?: 'verdict' | 'list';
  /** Nothing may speak of it. */
  readonly isEnd?: true;
}

const DEEPEST = 3;
const VERDICT = {
  type: 'object',
  properties: {
    verdict: { enum: ['go', 'again', 'stop'] },
    score: { type: 'integer', minimum: 0, maximum: 10 },
    note: { type: ['string', 'null'], maxLength: 200 },
  },
  required: ['verdict', 'score'],
  additionalProperties: false,
};
const LIST = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 30 }, maxItems: 4 } },
  required: ['names'],
  additionalProperties: false,
};
const SCHEMAS = { verdict: VERDICT, list: LIST } as const;

/** How often each kind is, among all that may stand at a place. */
const KINDS: readonly (readonly [make: (place: Place) => Made, weight: number, may?: (place: Place) => boolean])[] = [
  [agent, 6],
  [llm, 2],
  [shell, 6],
  [bareShell, 2],
  [set, 2],
  [end, 2, ({ decider, mayEnd }) => decider !== undefined && mayEnd],
  [gate, 2, ({ mayEnd }) => mayEnd],
  [group, 2, ({ depth }) => depth < DEEPEST],
  [items, 2, ({ depth }) => depth < DEEPEST],
  [rounds, 2, ({ depth }) => depth < DEEPEST],
  [child, 1, (place) => place.child !== undefined && place.depth < DEEPEST],
];

/** @param count how many, one after the other */
export function randomSteps(
  dice: Dice,
  count: number,
  around: Around,
): { readonly list: Step[]; readonly given: Given[] } {
  const { below, chance } = dice;
  const list: Step[] = [];
  const given: Given[] = [];
  for (let number = 0; number < count; number++) {
    const id = dice.newId();
    const seen = given.filter(() => chance(0.5));
    const sure = seen.filter(({ mayLack }) => !mayLack);
    const decider = sure.find(({ fields }) => fields === 'verdict');
    const source = sure.find(({ fields }) => fields === 'list');
    const spoken = [...seen, ...around.outer.filter(() => chance(0.3))];
    const shown = `${spoken.map((one) => `\${{ steps.${one.id}.output }}`).join(' ')}${around.told}`;
    const fields = chance(0.5) ? 'verdict' : 'list';
    const place: Place = { ...around, dice, id, shown, fields, decider, source, given };
    const step: Step = { id };
    if (chance(0.35) && given.length > 0) step.needs = given.filter(() => chance(0.4)).map((one) => one.id);
    const mayBeSkipped = decider !== undefined && chance(0.4);
    if (mayBeSkipped) {
      step.when = chance(0.5) ? `steps.${decider.id}.output.verdict != "stop"` : `steps.${decider.id}.output.score > 0`;
    }
    const may = KINDS.flatMap(([make, weight, isAllowed]) =>
      isAllowed && !isAllowed(place) ? [] : Array.from({ length: weight }, () => make),
    );
    const { step: more, gives, isEnd } = (may[below(may.length)] ?? agent)(place);
    list.push(Object.assign(step, more));
    if (isEnd) continue;
    given.push({ id, mayLack: mayBeSkipped || step.on_error === 'continue', ...(gives ? { fields: gives } : {}) });
  }
  return { list, given };
}

function agent({ dice: { below, chance }, id, shown, fields }: Place): Made {
  const step: Step = {
    agent: {
      instructions: `You are ${id}.`,
      prompt: `Do ${id} with ${shown}`,
      ...(chance(0.3) ? { tools: ['read_file', 'write_file', 'list_files'] } : {}),
      max_rounds: 3 + below(6),
    },
    output: SCHEMAS[fields],
    ...(fields === 'verdict' && chance(0.3)
      ? { assert: [{ that: 'output.score < 10', message: 'Not so much.' }] }
      : {}),
    ...(chance(0.3) ? { save: `${id}.json` } : {}),
    ...(chance(0.1) ? { effect: 'once' } : {}),
    ...manners({ below, chance }),
  };
  return { step, gives: fields };
}

function llm({ dice, id, shown, fields }: Place): Made {
  const step: Step = {
    agent: { adapter: 'llm', instructions: `You are ${id}.`, prompt: `Say ${id} of ${shown}` },
    output: SCHEMAS[fields],
    ...(fields === 'verdict' && dice.chance(0.3)
      ? { assert: [{ that: 'output.score > 0', message: 'Too little.' }] }
      : {}),
    ...(dice.chance(0.3) ? { save: `${id}.json` } : {}),
    ...manners(dice),
  };
  return { step, gives: fields };
}

function shell({ dice, id, shown, fields }: Place): Made {
  const gives = dice.chance(0.7) ? fields : undefined;
  const step: Step = {
    shell: { command: ['tool', id], stdin: shown },
    ...(gives ? { output: SCHEMAS[gives] } : {}),
    ...(dice.chance(0.25) ? { artifacts: [`${id}.txt`] } : {}),
    ...(dice.chance(0.25) ? { effect: 'once' } : {}),
    ...manners(dice),
  };
  return { step, ...(gives ? { gives } : {}) };
}

function bareShell({ dice, id, shown }: Place): Made {
  return { step: { shell: { command: ['tool', id, shown] }, ...manners(dice) } };
}

function set({ dice, shown }: Place): Made {
  return { step: { set: { told: shown, number: dice.below(9) } } };
}

function end({ dice, id, decider }: Place): Made {
  const status = ['done', 'refused', 'failed'][dice.below(3)] ?? 'done';
  return {
    step: {
      when: `steps.${decider?.id}.output.verdict == "stop"`,
      end: { outcome: `ended_${id}`, status, message: `It ended at ${id}.` },
    },
    isEnd: true,
  };
}

function gate({ dice, shown }: Place): Made {
  return { step: { gate: { ask: `Go on after ${shown}?`, ...(dice.chance(0.3) ? { on_no_tty: 'approve' } : {}) } } };
}

function group(place: Place): Made {
  const { dice } = place;
  return {
    step: {
      steps: randomSteps(dice, 1 + dice.below(3), inside(place)).list,
      ...(dice.chance(0.3) ? { on_error: 'continue' } : {}),
    },
  };
}

function items(place: Place): Made {
  const { dice, id, source, fields } = place;
  const { below, chance } = dice;
  const loop: Step = {
    foreach: source ? `steps.${source.id}.output.names` : ['red', 'green', 'blue'].slice(0, 1 + below(3)),
    ...(chance(0.4) ? { min_success: chance(0.5) ? 1 : '50%' } : {}),
    ...(chance(0.4) ? { max_parallel: 1 + below(3) } : {}),
  };
  const told = ' ${{ item }} ${{ index }}';
  const bodies: readonly (() => Step)[] = [
    () => ({
      shell: { command: ['tool', id, '${{ item }}', '${{ index }}'] },
      output: SCHEMAS[fields],
      ...(chance(0.3) ? { artifacts: ['part.txt'] } : {}),
      ...manners(dice),
    }),
    () => ({
      agent: { instructions: `You are ${id}.`, prompt: `Do${told}`, max_rounds: 4 },
      output: SCHEMAS[fields],
      ...manners(dice),
    }),
    () => ({ steps: randomSteps(dice, 1 + below(2), { ...inside(place), told, mayEnd: false }).list }),
  ];
  return { step: { ...loop, ...bodies[below(bodies.length)]?.() } };
}

/** Steps, then one whose verdict says whether it was enough. */
function rounds(place: Place): Made {
  const { dice, shown } = place;
  const { below, chance } = dice;
  const judge = dice.newId();
  const told = `${place.told} \${{ iteration }}`;
  const { list } = randomSteps(dice, below(3), { ...inside(place), told });
  const judging: Step = {
    id: judge,
    agent: {
      instructions: `You are ${judge}.`,
      prompt: `Round \${{ iteration }}: ${shown} \${{ previous }}`,
      max_rounds: 4,
    },
    output: VERDICT,
    ...(chance(0.4) ? { save: `${judge}.json` } : {}),
  };
  const step: Step = {
    repeat: { until: 'output.verdict != "again"', max: 2 + below(2), on_max: chance(0.6) ? 'accept' : 'fail' },
    steps: [...list, judging],
    result: `\${{ steps.${judge}.output }}`,
  };
  return { step, gives: 'verdict' };
}

function child({ dice, shown, child: skill = '' }: Place): Made {
  const step: Step = {
    pipeline: { skill, ...(dice.chance(0.7) ? { query: `Of ${shown}` } : {}) },
    ...(dice.chance(0.3) ? { on_error: 'continue' } : {}),
  };
  return { step };
}

function inside({ depth, outer, given, told, mayEnd, child }: Place): Around {
  return { depth: depth + 1, outer: [...outer, ...given], told, mayEnd, child };
}

function manners({ below, chance }: Pick<Dice, 'below' | 'chance'>): Step {
  return {
    ...(chance(0.2) ? { retry: { attempts: 2 + below(2), backoff: '1s' } } : {}),
    ...(chance(0.2) ? { on_error: 'continue' } : {}),
    ...(chance(0.1) ? { cache: false } : {}),
    ...(chance(0.1) ? { timeout: '2m' } : {}),
  };
}
