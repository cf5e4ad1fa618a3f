/** What a person asks of runs here, done as from a terminal: start, go on, stop, answer. */
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { lockHolder } from '../engine/lock.js';
import { sameAgain } from '../engine/ways-on.js';
import { AT_ONCE, IN_ORDER, stopRun } from '../stop.js';
import { type Begun, begin } from './begin.js';
import type { Read } from './form-values.js';
import type { KnownRun, KnownRuns, UiProject } from './known-runs.js';
import { gatesThatWait } from './run-actions.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the ui itself was given, and passes on. */
export interface Given {
  readonly env: Environment;
  /** Absolute. */
  readonly skillsDirs: readonly string[];
  readonly detect: boolean;
}

export async function startSkill(
  skill: string,
  { query, inputs, model, limits }: Read,
  project: UiProject,
  given: Given,
  known: KnownRuns,
): Promise<Begun> {
  const args = [
    'run',
    ...HOW,
    ...given.skillsDirs.flatMap((dir) => ['--skills-dir', dir]),
    ...(given.detect ? [] : ['--no-detect']),
    ...(model === '' ? [] : [`--model=${model}`]),
    ...limits.flatMap((limit) => ['--limit', limit]),
    ...Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]),
    '--',
    skill,
    ...(query === '' ? [] : [query]),
  ];
  const workedOnBy = (pid: number) =>
    known.all().find(({ dir, status }) => status === 'running' && lockHolder(dir)?.pid === pid)?.dir;
  return begin(args, { cwd: project.dir, env: given.env, dirOf: workedOnBy });
}

/** One document at the end, and nothing before. */
const HOW = ['--json', '--quiet'];

export async function resumeRun({ dir, run }: KnownRun, project: UiProject, given: Given): Promise<Begun> {
  const args = ['resume', ...HOW, ...sameAgain(run.with ?? {}), '--', dir];
  return begin(args, {
    cwd: project.dir,
    env: given.env,
    dirOf: (pid) => (lockHolder(dir)?.pid === pid ? dir : undefined),
  });
}

/** The name of what became of it. */
export async function stopSession({ dir }: KnownRun, atOnce: boolean): Promise<string> {
  const stopped = await stopRun(dir, atOnce ? AT_ONCE : IN_ORDER);
  if (stopped.type === 'idle') return 'idle';
  return stopped.killed ? 'killed' : 'stopped';
}

export interface GivenAnswer {
  readonly step: string;
  /** Key of the question that was shown. */
  readonly question: string;
  readonly choice: string;
  readonly comment: string;
}

/** Whether the run has to be gone on with now: nobody is at work on it, and nothing else is asked. */
export function answerGate({ dir }: KnownRun, { step, question, choice, comment }: GivenAnswer): boolean {
  const gates = gatesThatWait(dir);
  const gate = gates.find(({ path }) => path === step);
  if (!gate) {
    throw new Fault('input.unknown', `"${step}" does not wait for an answer any more.`, {
      hint: 'Look at the run: somebody else may have answered.',
    });
  }
  if (gate.question.key !== question) {
    throw new Fault('run.in_use', 'What is asked has changed since the page was shown: nothing was answered.', {
      hint: 'Read the question anew, then answer it.',
    });
  }
  if (!gate.question.choices.includes(choice))
    throw new Fault('input.invalid', `"${choice}" is not one of the choices`);
  gate.answer({ choice, comment: plainText(comment).trim() });
  return !gate.isAsking && lockHolder(dir) === undefined && gates.length === 1;
}
