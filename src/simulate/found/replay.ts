/** A test that says what the adversary chose: that run is performed again, and held against what every run keeps and what the test expects. */
import { relative } from 'node:path';
import { plainText } from '../../core/plain-text.js';
import { kindOf, type Plan, type Step, stepsByIds } from '../../core/plan.js';
import { shellWord } from '../../core/shell-word.js';
import { idsOf } from '../../core/step-path.js';
import { type Failure, judge } from '../../testing/judge.js';
import { observe } from '../../testing/observed.js';
import { placeOf } from '../../testing/read-choices.js';
import type { ChosenAt, Expectations, SkillTest } from '../../testing/skill-test.js';
import { warm } from '../campaign.js';
import { type Choices, givenChoices, type Taken } from '../choices/choices.js';
import { type Compiled, compile } from '../compiled.js';
import type { Disk } from '../disk/disk.js';
import { judgedRun, type Violation } from '../promises/judged.js';
import type { SimulatedRun } from '../run-facts.js';
import { simulateRun } from '../simulated-run.js';
import { keyOf } from './cut-down.js';
import { storyOf } from './story.js';

/** Operations of a session at which its crash is tried, at most. */
const MOST_MOVES = 150;

/**
 * @param test one with `simulate`
 * @param disk mounted, and nobody else's meanwhile
 * @returns what is not as expected; none: it passes
 */
export async function replay(
  test: SkillTest,
  around: { readonly cwd: string; readonly skillsDirs?: readonly string[] },
  disk: Disk,
): Promise<Failure[]> {
  const { target, query, inputs, expect, model } = test;
  if (model.type !== 'simulated') throw new Error(`${test.file} has no "simulate"`);
  const got = await compile({ ...around, target, query, inputs });
  if (!('compiled' in got)) {
    const said = [...got.problems.map(({ message }) => message), ...got.inputs.map(({ message }) => message)].join(
      '\n',
    );
    return [{ what: 'status', expected: expect.status ?? 'a run', actual: 'invalid' }, because(said)];
  }
  const { compiled } = got;
  const gone = goneFrom(compiled.plan, model.choices, mending(test, around.cwd));
  if (gone.length > 0) return gone;
  await warm(compiled, disk);
  const taken: Taken = new Map(model.choices.map(({ place, numbers }) => [place, numbers]));
  return (await replayed(taken, compiled, expect, disk)) ?? (await movedCrash(taken, compiled, expect, disk)) ?? [];
}

async function replayed(
  taken: Taken,
  compiled: Compiled,
  expect: Expectations,
  disk: Disk,
): Promise<Failure[] | undefined> {
  const { run, violations } = await judgedRun(compiled, () => givenChoices(taken), disk, expect.claims);
  // A run that is compared with a calm one has left the disk to it.
  const again = violations.length > 0 ? run : await simulateRun(compiled, givenChoices(taken), disk);
  const failures = [...failuresOf(violations), ...unexpected(again, expect)];
  return failures.length > 0 ? [...failures, because(storyOf(run))] : undefined;
}

function unexpected({ sessions }: SimulatedRun, expect: Expectations): Failure[] {
  const end = sessions.at(-1)?.end;
  if (end?.type !== 'ended') {
    // That it does not end is a promise's matter.
    return expect.status === undefined
      ? []
      : [{ what: 'status', expected: expect.status, actual: end?.type ?? 'none' }];
  }
  const seen = observe();
  for (const { events } of sessions) for (const event of events) seen.sink.write(event);
  return judge(expect, end.report, seen);
}

/** An edit of the pipeline moves the operations of a run: what a crash broke at one of them, it may break at another. */
async function movedCrash(
  taken: Taken,
  compiled: Compiled,
  { claims }: Expectations,
  disk: Disk,
): Promise<Failure[] | undefined> {
  for (const [place, [at = 0, how = 0, _after, ...rest]] of taken) {
    const [, trouble, number] = /^(crash|disk)\.(\d+)$/.exec(place) ?? [];
    if (trouble === undefined || at === 0) continue;
    const without = new Map(taken);
    without.delete(place);
    const whole = await simulateRun(compiled, givenChoices(without), disk);
    const operations = whole.sessions[Number(number)]?.operations ?? 0;
    for (let next = 1; next <= operations; next += Math.ceil(operations / MOST_MOVES)) {
      // At this operation itself, and not so many after a record.
      const moved = new Map([...without, [place, [next, how, 0, ...rest]]]);
      const choose = () => choicesWith(moved, place, next);
      const { run, violations } = await judgedRun(compiled, choose, disk, claims);
      if (violations.length > 0) return [...failuresOf(violations), because(storyOf(run))];
    }
  }
  return undefined;
}

/** Given choices of which the first at one place is this number, however few the adversary knows there. */
function choicesWith(taken: Taken, at: string, number: number): Choices {
  const given = givenChoices(taken);
  return {
    ...given,
    at(place) {
      const draw = given.at(place);
      let isFirst = place === at;
      const rarely = (chance: number, count: number) => {
        const drawn = draw.rarely(chance, count);
        if (!isFirst) return drawn;
        isFirst = false;
        return number;
      };
      return { rarely, pick: (_aspect, count) => rarely(0, count) };
    },
  };
}

/** Each promise and each claim once, however often it was broken. */
function failuresOf(violations: readonly Violation[]): Failure[] {
  const first = new Map<string, Failure>();
  for (const violation of violations) {
    const { type, what: expected, said } = violation;
    const key = keyOf(violation);
    if (first.has(key)) continue;
    first.set(key, { what: type === 'claim' ? violation.claim.holds : type, expected, actual: said, isWish: true });
  }
  return [...first.values()];
}

function because(said: string): Failure {
  return { what: 'because', expected: '', actual: said };
}

/** Steps that something was chosen for and that are no more, or are something else. */
function goneFrom(plan: Plan, choices: readonly ChosenAt[], hint: string): Failure[] {
  const steps = stepsByIds(plan);
  const lines = new Set<string>();
  for (const { place } of choices) {
    const meant = placeOf(place);
    if (!meant || meant.of === 'run') continue;
    const step = steps.get(idsOf(meant.path));
    if (!step) lines.add(`the pipeline has changed: there is no step "${plainText(meant.path)}" any more`);
    else if (!DOES[meant.of].is(step)) {
      lines.add(`the pipeline has changed: "${plainText(meant.path)}" ${DOES[meant.of].no}`);
    }
  }
  if (lines.size === 0) return [];
  return [
    {
      what: 'simulate',
      expected: 'the steps of the run that was found',
      actual: undefined,
      absent: 'not all are there',
      isWish: true,
    },
    because([...lines, hint].join('\n')),
  ];
}

function mending({ file, target }: SkillTest, cwd: string): string {
  const [test, dir] = [file, target].map((path) => relative(cwd, path)) as [string, string];
  const typed = /[\\/]/.test(dir) ? dir : `./${dir}`;
  return `try  Remove ${test}, and look again: pipeline simulate ${shellWord(typed)}`;
}

const DOES = {
  model: { is: (step) => kindOf(step) === 'agent' || kindOf(step) === 'subagent', no: 'asks no model any more' },
  process: { is: (step) => mayStart(step), no: 'starts no process any more' },
  gate: { is: (step) => kindOf(step) === 'gate', no: 'asks nobody any more' },
} satisfies Record<string, { readonly is: (step: Step) => boolean; readonly no: string }>;

function mayStart(step: Step): boolean {
  return kindOf(step) === 'agent' || (step.body.type === 'leaf' && step.body.inspection.startsProcess);
}
