/** One run in the hands of the adversary, from its first session to its last: a function of its choices alone. */
import type { Command, StepContext } from '../core/context.js';
import type { Recorded } from '../core/events.js';
import { isObject, type Json, sha256 } from '../core/json.js';
import type { Usage } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { everyStep, type Plan } from '../core/plan.js';
import { openSession, type Session } from '../engine/session.js';
import { type Prepared, perform } from '../perform.js';
import type { RunReport, RunRequest } from '../request.js';
import { TOOLS } from '../run.js';
import { type Broken, PROMISES, type PromiseName } from './broken.js';
import type { Choices } from './choices.js';
import { type Compiled, ENVIRONMENT, runsDirOf } from './compiled.js';
import { type Change, type Disk, filesOn, systemError } from './disk.js';
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
/** A session that takes more operations than this is not within its bounds. */
const MOST_OPERATIONS = 400_000;

/** Of a write in the midst of which a process is killed. */
const KEPT = [0, 0.5, 0.9, 1];
/** Operations after a record has been brought to the disk; records that are brought there. */
const AFTER = 8;
const MOST_SYNCS = 40;

class Killed extends Error {}

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
  const { mostSessions = MOST_SESSIONS } = options;

  for (let number = 0; number < mostSessions; number++) {
    const now = options.edited && number >= options.edited.from ? options.edited.compiled : compiled;
    const { plan, project, query, inputs } = now;
    const killer = killerFor(choices, number, compiled, options, disk);
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
    let isStopping = false;
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
        if (isStopping) tell('after', `a model was asked for "${path}" after the run had been stopped`);
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
        if (isStopping) tell('after', `the process of "${path}" was started after the run had been stopped`);
      },
    });
    const isSomebodyThere = choices.at('life').rarely(0.15, 2) === 0;
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
            if (event.type === 'step_ended' && !isInChild(event.path, plan)) isStopping = true;
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

/** Kills the process at one of its operations on the disk, or lets one of these fail. */
function killerFor(choices: Choices, number: number, { plan }: Compiled, { calm = false }: RunOptions, disk: Disk) {
  const span = 30 + 25 * everyStep(plan.steps).length;
  const draw = choices.at(`crash.${number}`);
  const killAt = draw.pick('crash', span);
  const torn = draw.rarely(0.5, 4);
  // What follows a record is where a crash finds a run between two truths.
  const after = draw.rarely(0.5, AFTER);
  const fails = choices.at(`disk.${number}`);
  const failAt = fails.pick('disk', span);
  const code = ['ENOSPC', 'EIO'][fails.rarely(0.5, 2)] ?? 'ENOSPC';
  const retryUnknown = choices.at(`word.${number}`).rarely(0.5, 2) === 1;
  let operations = 0;
  let isDead = false;
  let isDiskFailed = false;
  let syncs = 0;
  let dueAt = after === 0 ? killAt : Number.POSITIVE_INFINITY;
  const count = () => {
    operations++;
    if (operations > MOST_OPERATIONS) throw new Error('it goes on for ever');
    return !calm && killAt > 0 && operations === dueAt;
  };
  const die = () => {
    isDead = true;
    disk.dead = new Killed('killed');
  };
  disk.guard = (change: Change, path: string, bytes: number) => {
    const isRecord = change === 'sync' && path.endsWith('/events.ndjson');
    if (isRecord && after > 0 && ++syncs === 1 + (killAt % MOST_SYNCS)) dueAt = operations + after;
    if (count()) {
      const kept = change === 'write' ? Math.floor(bytes * (KEPT[torn] ?? 0)) : 0;
      die();
      if (change === 'write') return { bytes: kept, error: disk.dead };
      throw disk.dead;
    }
    if (
      !calm &&
      failAt > 0 &&
      operations === failAt &&
      (change === 'write' || change === 'sync' || change === 'create')
    ) {
      isDiskFailed = true;
      throw systemError(code, change, path);
    }
    return undefined;
  };
  return {
    operations: () => operations,
    isDiskFailed: () => isDiskFailed,
    retryUnknown,
    isDead(next: 'something due' | undefined) {
      if (next && !isDead && count()) die();
      return isDead;
    },
  };
}

/** The process that held them is no more. */
function buryLocks(disk: Disk, dir: string | undefined, pid: number): void {
  if (dir === undefined || !disk.stat(dir, true)) return;
  for (const { name } of disk.list(dir)) {
    if (!name.startsWith('.lock')) continue;
    const file = `${dir}/${name}`;
    const holder = holderIn(disk.readFile(file).toString());
    if (!holder) continue;
    const fd = disk.open(file, 'w');
    disk.write(fd, Buffer.from(JSON.stringify({ ...holder, pid, started: 'gone' })));
    disk.close(fd);
  }
}

function holderIn(text: string): Record<string, Json> | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
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
export function isInChild(path: StepPath, plan: Plan): boolean {
  let steps = plan.steps;
  for (const part of path.split('/')) {
    const step = steps.find(({ id }) => id === part);
    if (!step) continue;
    if (step.body.type === 'child') return true;
    steps = step.body.type === 'group' ? step.body.steps : [];
  }
  return false;
}
