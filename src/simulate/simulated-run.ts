/** One run in the hands of the adversary, from its first session to its last: a function of its choices alone. */
import type { Command, StepContext } from '../core/context.js';
import type { Recorded } from '../core/events.js';
import { sha256 } from '../core/json.js';
import type { Usage } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import { openSession, type Session } from '../engine/session.js';
import { type Prepared, perform } from '../perform.js';
import type { RunReport, RunRequest } from '../request.js';
import { TOOLS } from '../run.js';
import { type Broken, PROMISES, type PromiseName } from './broken.js';
import type { Choices } from './choices.js';
import { type Compiled, ENVIRONMENT, runsDirOf } from './compiled.js';
import { type Disk, filesOn } from './disk.js';
import { buryLocks, killerFor } from './killer.js';
import { adversaryModels, type ModelAct } from './model.js';
import { createPools } from './pools.js';
import { adversaryProcesses, type ProcessAct } from './processes.js';
import { createTime } from './time.js';

export type Ended = Exclude<RunReport, { status: 'invalid' }>;

/** What became of one process that worked on the run. */
export type SessionEnd =
  | { readonly type: 'ended'; readonly report: Ended }
  /** It was killed at its n-th operation. */
  | { readonly type: 'killed'; readonly at: number }
  | { readonly type: 'hung' }
  | { readonly type: 'thrown'; readonly error: unknown };

export interface SessionFacts {
  readonly end: SessionEnd;
  /** As the journal has them, in this session. */
  readonly events: readonly Recorded[];
  readonly ms: number;
  readonly operations: number;
  /** The disk refused something, once. */
  readonly isDiskFailed: boolean;
  /** A person has said that interrupted effects may be repeated. */
  readonly retriesUnknown: boolean;
  /** Which plan was run: an author may have changed the file in between. */
  readonly plan: Plan;
}

export type Act =
  | ({ readonly of: 'model'; readonly session: number } & ModelAct)
  | ({ readonly of: 'process'; readonly session: number } & ProcessAct)
  | {
      readonly of: 'gate';
      readonly session: number;
      readonly path: StepPath;
      readonly choice: string;
      readonly comment: string;
    };

export interface SimulatedRun {
  readonly sessions: readonly SessionFacts[];
  readonly acts: readonly Act[];
  /** Found while it ran: `what` names the promise, `said` how it was broken. */
  readonly broken: readonly Broken[];
  /** The run folder; undefined where no session came so far as to make one. */
  readonly dir: string | undefined;
}

export interface RunOptions {
  /** No crash, no failed write: what the run would have come to. */
  readonly calm?: boolean;
  /** Another version of the file, from the session with this number on. */
  readonly edited?: { readonly compiled: Compiled; readonly from: number };
  /** Answers depend on what is asked, too: where the file may change in between. */
  readonly salted?: boolean;
  readonly mostSessions?: number;
}

/** Of two sessions, and so of two runs, they differ. */
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const START_MS = Date.UTC(2030, 0, 1);
/** Of the process of the first session. */
const PID = 1_000;
const BETWEEN_SESSIONS_MS = 60_000;
const MOST_SESSIONS = 6;
const MOST_WAITS = 2;
/** @param disk mounted, and nobody else's meanwhile */
export async function simulateRun(
  compiled: Compiled,
  choices: Choices,
  disk: Disk,
  options: RunOptions = {},
): Promise<SimulatedRun> {
  disk.wipe();
  disk.isInUse = true;
  disk.guard = undefined;
  disk.dead = undefined;
  const acts: Act[] = [];
  const broken: Broken[] = [];
  const sessions: SessionFacts[] = [];
  const pools = createPools();
  let ids = 0;
  let startMs = START_MS;
  let dir: string | undefined;
  let used = 0;
  let waits = 0;
  const { mostSessions = MOST_SESSIONS } = options;

  for (let number = 0; number < mostSessions; number++) {
    const now = options.edited && number >= options.edited.from ? options.edited.compiled : compiled;
    const { plan, project, query, inputs } = now;
    const killer = killerFor(choices, number, compiled.plan, options.calm === true, disk);
    const time = createTime(startMs, disk.uses, killer.isDead);
    disk.now = time.clock.now;
    const attempts = new Map<StepPath, number>();
    const contexts = new Map<StepPath, StepContext>();
    const events: Recorded[] = [];
    // What a kill kept from being written, no program can count.
    used = sessions.flatMap((one) => one.events).reduce((sum, event) => sum + tokensOf(event), 0);
    const tell = (what: PromiseName, said: string) => {
      if (broken.length < 20) broken.push({ what: PROMISES[what], said });
    };
    now.onAttempt = (context) => {
      contexts.set(context.path, context);
    };
    let endedAt = Number.POSITIVE_INFINITY;
    // What was begun in the same moment is cut off in it.
    const isStopped = () => time.clock.now() > endedAt;
    const world = {
      choices,
      time,
      attemptOf: (path: StepPath) => attempts.get(path) ?? 1,
      acceptingAt: (path: StepPath) => {
        const context = contexts.get(path);
        return {
          context,
          pool: pools.poolOf(path, context?.step, now.hints),
          ladders: now.ladders,
          ends: (context && now.hints.get(context.step)?.ends) ?? [],
        };
      },
      saltOf: (asked: string) =>
        options.edited || options.salted ? `~${sha256(asked.replace(TIME, 'T')).slice(0, 6)}` : '',
    };
    const models = adversaryModels({
      ...world,
      told: (act) => void acts.push({ of: 'model', session: number, ...act }),
      calling(path, tokens) {
        if (isStopped()) tell('after', `a model was asked for "${path}" after the run had been stopped`);
        if (used + tokens > plan.limits.tokens) {
          tell(
            'budget',
            `a model was asked ${tokens} tokens for "${path}" when ${used} of ${plan.limits.tokens} were used`,
          );
        }
      },
      used(_path, usage: Usage | undefined) {
        if (usage && usage.inputTokens > 0 && Number.isSafeInteger(usage.inputTokens + usage.outputTokens)) {
          used += usage.inputTokens + usage.outputTokens;
        }
      },
    });
    const processes = adversaryProcesses({
      ...world,
      told: (act) => void acts.push({ of: 'process', session: number, ...act }),
      starting({ step: path }: Command) {
        if (isStopped()) tell('after', `the process of "${path}" was started after the run had been stopped`);
      },
    });
    // Who was waited for has come.
    const isSomebodyThere = waits > 0 || choices.at('life').rarely(0.15, 2) === 0;
    const request: RunRequest = {
      target: compiled.target,
      cwd: project.dir,
      env: ENVIRONMENT,
      query,
      processes,
      clock: time.clock,
      random: () => 0.5,
      newId: () => idOf(++ids),
      pid: PID + number,
      viewless: true,
      files: filesOn(disk),
      sinks: [
        {
          write(event) {
            events.push(event);
            pools.see(event);
            if (event.type === 'step_started' && event.key !== '') attempts.set(event.path, event.attempt);
            if (event.type === 'step_ended' && !isInChild(event.path, plan)) endedAt = time.clock.now();
          },
        },
      ],
      ...(isSomebodyThere
        ? {
            async ask(question, signal) {
              const draw = choices.at(`${question.path}?`);
              await time.after(1_000, signal);
              const choice = question.choices[draw.rarely(0.4, question.choices.length)] ?? '';
              const comment = ['', 'as you like', '${{ steps.x }}\n'][draw.rarely(0.2, 3)] ?? '';
              acts.push({ of: 'gate', session: number, path: question.path, choice, comment });
              return { choice, comment };
            },
          }
        : {}),
    };
    let session: Session | undefined;
    const work = async (): Promise<Ended> => {
      session = await openSession({
        skillRunDir: runsDirOf(disk.root, plan),
        query,
        inputs: inputs.values,
        overrides: {},
        newId: () => idOf(++ids),
        fork: undefined,
        from: undefined,
        resume: number > 0 ? 'newest' : undefined,
      });
      dir = session.runDir.dir;
      const prepared: Prepared = {
        project,
        plan,
        inputs,
        overrides: {},
        models,
        model: { label: 'simulated/default', host: '', reason: 'simulated', placeholder: false },
        sandbox: { type: 'off' },
        session,
        notices: session.notices,
        goOn: undefined,
        redactor: undefined,
        tools: TOOLS,
      };
      try {
        return (await perform({ ...request, retryUnknown: killer.retryUnknown }, prepared)) as Ended;
      } finally {
        session.release();
      }
    };
    const running = work();
    running.catch(() => undefined);
    const came = await time.drive(running);
    time.stop();
    now.onAttempt = undefined;
    const end = await endOf(came, running, killer.operations());
    disk.guard = undefined;
    disk.dead = undefined;
    disk.closeAll();
    sessions.push({
      end,
      events,
      ms: time.passed(),
      operations: killer.operations(),
      isDiskFailed: killer.isDiskFailed(),
      retriesUnknown: killer.retryUnknown,
      plan,
    });
    startMs += time.passed() + BETWEEN_SESSIONS_MS;
    if (end.type === 'killed') {
      buryLocks(disk, dir, PID + number);
      continue;
    }
    if (end.type === 'ended' && end.report.status === 'waiting' && waits++ < MOST_WAITS) continue;
    const code = end.type === 'ended' ? end.report.fault?.code : undefined;
    const isOver = end.type === 'hung' || (end.type === 'ended' && code !== 'run.journal' && code !== 'run.storage');
    if (!killer.isDiskFailed() || isOver) break;
    if (end.type === 'thrown') buryLocks(disk, dir, PID + number);
  }
  disk.isInUse = false;
  return { sessions, acts, broken, dir };
}

async function endOf(came: 'settled' | 'dead' | 'hung', running: Promise<Ended>, at: number): Promise<SessionEnd> {
  if (came === 'dead') return { type: 'killed', at };
  if (came === 'hung') return { type: 'hung' };
  try {
    return { type: 'ended', report: await running };
  } catch (error) {
    return { type: 'thrown', error };
  }
}

/** Tokens that the service has told of. */
function tokensOf(event: Recorded): number {
  if (event.type !== 'round' && event.type !== 'call_lost') return 0;
  return event.usage ? event.usage.inputTokens + event.usage.outputTokens : 0;
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Whether an end at this place ends only a pipeline that is a step of this one. */
function isInChild(path: StepPath, plan: Plan): boolean {
  let steps = plan.steps;
  for (const part of path.split('/')) {
    const step = steps.find(({ id }) => id === part);
    if (!step) continue;
    if (step.body.type === 'child') return true;
    steps = step.body.type === 'group' ? step.body.steps : [];
  }
  return false;
}
