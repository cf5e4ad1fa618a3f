/** One process that works on a simulated run: the real engine over a clock, models, processes and a person of the adversary's. */
import type { Command, StepContext } from '../core/context.js';
import type { Recorded } from '../core/events.js';
import { sha256 } from '../core/json.js';
import type { Usage } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { openSession } from '../engine/session.js';
import { type Prepared, perform } from '../perform.js';
import type { RunRequest } from '../request.js';
import { TOOLS } from '../run.js';
import { killerFor } from './adversary/killer.js';
import { adversaryModels } from './adversary/model.js';
import { adversaryProcesses } from './adversary/processes.js';
import { createTime } from './adversary/time.js';
import type { Choices } from './choices/choices.js';
import { type Compiled, ENVIRONMENT, runsDirOf } from './compiled.js';
import type { Disk } from './disk/disk.js';
import { filesOn } from './disk/layer.js';
import { TIME } from './moments.js';
import { type Broken, PROMISES, type PromiseName } from './promises/broken.js';
import { isInChild } from './promises/children.js';
import type { Act, Ended, SessionEnd, SessionFacts } from './run-facts.js';
import type { Pools } from './values/pools.js';

/** What one session finds, and leaves for the next. */
export interface Begun {
  readonly choices: Choices;
  readonly disk: Disk;
  /** The number of the session, from 0. */
  readonly number: number;
  readonly startMs: number;
  readonly pid: number;
  /** How the run was begun; an author may have changed it. */
  readonly first: Compiled;
  readonly query: string;
  readonly now: Compiled;
  readonly isCalm: boolean;
  /** Answers depend on what is asked, too. */
  readonly isSalted: boolean;
  /** Who was waited for has come. */
  readonly isAwaited: boolean;
  readonly before: readonly SessionFacts[];
  readonly pools: Pools;
  newId(): string;
  /** The run folder is there. */
  began(dir: string): void;
  readonly acts: Act[];
  readonly broken: Broken[];
}

const MOST_BROKEN = 20;

export async function simulateSession(begun: Begun): Promise<SessionFacts> {
  const { choices, disk, number, pid, query, now, acts, pools, newId } = begun;
  const { plan, project, inputs } = now;
  const killer = killerFor(choices, number, begun.first.plan, begun.isCalm, disk);
  const time = createTime(begun.startMs, disk.uses, killer.isDead);
  disk.now = time.clock.now;
  const attempts = new Map<StepPath, number>();
  const contexts = new Map<StepPath, StepContext>();
  const events: Recorded[] = [];
  // What a kill kept from being written, no program can count.
  let used = begun.before.flatMap((one) => one.events).reduce((sum, event) => sum + tokensOf(event), 0);
  const tell = (what: PromiseName, said: string) => {
    if (begun.broken.length < MOST_BROKEN) begun.broken.push({ what: PROMISES[what], said });
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
        hopes: (context && now.hints.get(context.step)?.hopes) ?? [],
      };
    },
    saltOf: (asked: string) => (begun.isSalted ? `~${sha256(asked.replace(TIME, 'T')).slice(0, 6)}` : ''),
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
  const isSomebodyThere = begun.isAwaited || choices.at('life').rarely(0.15, 2) === 0;
  const request: RunRequest = {
    target: begun.first.target,
    cwd: project.dir,
    env: ENVIRONMENT,
    query,
    processes,
    clock: time.clock,
    random: () => 0.5,
    newId,
    pid,
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
  const work = async (): Promise<Ended> => {
    const session = await openSession({
      skillRunDir: runsDirOf(disk.root, plan),
      query,
      inputs: inputs.values,
      overrides: {},
      newId,
      fork: undefined,
      from: undefined,
      resume: number > 0 ? 'newest' : undefined,
    });
    begun.began(session.runDir.dir);
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
  if (end.type === 'killed' && killer.power) disk.losePower(killer.power.names, killer.power.bytes);
  return {
    end,
    events,
    ms: time.passed(),
    operations: killer.operations(),
    isDiskFailed: killer.isDiskFailed(),
    retriesUnknown: killer.retryUnknown,
    isPowerLost: end.type === 'killed' && killer.power !== undefined,
    plan,
  };
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
