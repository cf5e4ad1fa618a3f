/** Runs one test in a run folder of its own. */
import type { Ask, Processes } from '../core/context.js';
import type { Recorded, Sink } from '../core/events.js';
import { Fault, toFault } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import { closest } from '../core/step-pattern.js';
import { type FileLayer, realFiles } from '../files/layer.js';
import type { Checked, RunReport, RunRequest, Surroundings } from '../request.js';
import { runChecked, runPipeline } from '../run.js';
import { brokenClaim, type Claim } from './claims.js';
import { type Failure, judge, message, type Ran } from './judge.js';
import { mismatches } from './match.js';
import { type Observed, observe } from './observed.js';
import { quickWaits } from './quick-waits.js';
import { factsOf } from './run-facts.js';
import { newRunsDir } from './runs-dir.js';
import type { GateAnswer, SkillTest, TestModel } from './skill-test.js';
import { stubbed } from './stubs.js';
import { turnsModel } from './turns-model.js';

export interface TestResult {
  readonly test: SkillTest;
  /** None: it passed. */
  readonly failures: readonly Failure[];
  readonly ms: number;
  /** The run folder, where it was kept. */
  readonly dir?: string;
}

/** No test outlives a power cut. */
const UNSYNCED: FileLayer = { ...realFiles, fsync: () => undefined, fsyncAsync: async () => undefined };

export interface Performing {
  /** What its target was read as, where that is known. */
  readonly checked?: Checked | undefined;
  /** The run folders of tests that pass are kept, too. */
  readonly keep?: boolean;
  /** No run folder is kept, whatever comes of it. */
  readonly forget?: true;
  readonly signal?: AbortSignal;
  /** Performs a test with `simulate`; without it such a test is refused. */
  readonly simulated?: (test: SkillTest) => Promise<readonly Failure[]>;
  /** In the place of those of the machine, for steps without a stub. */
  readonly processes?: Processes;
  readonly sink?: Sink;
}

/** @param around of the project */
export async function performTest(
  test: SkillTest,
  around: Surroundings,
  options: Performing = {},
): Promise<TestResult> {
  const begun = performance.now();
  const { model } = test;
  if (model.type === 'simulated') {
    const { simulated } = options;
    if (!simulated) throw new Fault('input.invalid', `nothing is there to simulate "${test.name}" with`);
    return { test, failures: await simulated(test), ms: performance.now() - begun };
  }
  const runs = newRunsDir();
  const runsDir = runs.dir;
  const seen = observe();
  const waits = quickWaits();
  let dir = runsDir;
  const request: RunRequest = {
    ...around,
    ...modelOf(model),
    target: test.target,
    query: test.query,
    inputs: test.inputs,
    limits: test.limits,
    detect: false,
    runsDir,
    processes: (real) => stubbed(test.stubs, options.processes ?? real),
    clock: waits.clock,
    files: UNSYNCED,
    sinks: [
      seen.sink,
      waits.sink,
      { write: (event) => void events.push(event) },
      ...(options.sink ? [options.sink] : []),
    ],
    onStart: (start) => {
      dir = start.dir;
      claimed.plan ??= start.plan;
    },
    ...(test.answers ? { ask: answering(test.answers) } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const events: Recorded[] = [];
  const claimed = { plan: options.checked?.plan, events };
  const running = options.checked ? runChecked(request, options.checked) : runPipeline(request);
  const outcome = await running.catch((error: unknown) => ({ status: 'thrown' as const, error }));
  const failures = failuresOf(test, outcome, seen, claimed);
  // Of a test that was ended nobody looks at what there is.
  const isOfInterest = failures.length > 0 && dir !== runsDir && options.signal?.aborted !== true && !options.forget;
  const isKept = options.keep === true || isOfInterest;
  await (isKept ? runs.keep() : runs.remove());
  return { test, failures, ms: performance.now() - begun, ...(isKept ? { dir } : {}) };
}

interface Claimed {
  readonly plan: Plan | undefined;
  readonly events: readonly Recorded[];
}

function brokenClaims(claims: readonly Claim[], query: string, came: Ran, { plan, events }: Claimed): Failure[] {
  if (!plan || claims.length === 0) return [];
  const facts = factsOf(plan, query, events, came);
  return claims.flatMap((claim) => {
    const why = brokenClaim(claim, facts);
    return why === undefined ? [] : [{ what: claim.holds, expected: claim.message, actual: why, isWish: true }];
  });
}

type Outcome = RunReport | { readonly status: 'thrown'; readonly error: unknown };

function failuresOf({ expect, query }: SkillTest, outcome: Outcome, seen: Observed, claimed: Claimed): Failure[] {
  if (outcome.status === 'thrown') {
    const { message: text, hint } = toFault(outcome.error);
    return withReason(
      [{ what: 'status', expected: expect.status ?? 'done', actual: 'not run' }],
      hint ? `${text}\ntry  ${hint}` : text,
    );
  }
  if (outcome.status !== 'invalid') {
    const hint = outcome.fault?.hint;
    const found = [...judge(expect, outcome, seen), ...brokenClaims(expect.claims, query, outcome, claimed)];
    // Without its answers a run comes to nothing: the rest only follows.
    const isMiss = outcome.fault?.code === 'input.replay';
    const own = isMiss ? found.filter(({ what }) => what === 'status') : found;
    return withReason(own, hint ? `${outcome.message}\ntry  ${hint}` : outcome.message);
  }
  const said = [...outcome.problems, ...outcome.inputs].map((one) => one.message).join('\n');
  const found = [
    ...mismatches(expect.status ?? 'done', 'invalid').map((one) => ({ ...one, what: 'status' })),
    ...message(expect.message, said),
  ];
  return withReason(found, said);
}

/** A run that came to another end says why. */
function withReason(found: readonly Failure[], reason: string): Failure[] {
  const isOther = found.some(({ what }) => what === 'status') && reason !== '';
  return isOther ? [{ what: 'because', expected: '', actual: reason }, ...found] : [...found];
}

function modelOf(model: Exclude<TestModel, { type: 'simulated' }>): Pick<RunRequest, 'model' | 'providers' | 'replay'> {
  switch (model.type) {
    case 'sketch':
      return { model: 'sketch' };
    case 'script':
      return { model: model.flag };
    case 'turns':
      return { model: 'turns', providers: { turns: turnsModel(model.turns, model.rest) } };
    case 'cassette':
      return { replay: model.dir };
  }
}

function answering(answers: readonly GateAnswer[]): Ask {
  return async ({ path, choices }) => {
    const answer = closest(answers, path);
    if (!answer) {
      throw new Fault('input.invalid', `the test has no answer for the gate "${path}"`, {
        hint: `Add one under answers: ${choices.join(', ')}.`,
      });
    }
    return { choice: answer.choice, comment: answer.comment };
  };
}
