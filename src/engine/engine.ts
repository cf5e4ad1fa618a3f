/** One session of a run: the interpreter over durable steps, from the first fact to the last. */
import { join } from 'node:path';
import type { RunEvent, Sink } from '../core/events.js';
import { Fault, toFault } from '../core/faults.js';
import { hashJson, type Json, type JsonObject } from '../core/json.js';
import type {
  Clock,
  Delta,
  Folders,
  Models,
  Plan,
  Processes,
  Skill,
  StepContext,
  StepPath,
  Tool,
} from '../core/types.js';
import { createBlobs } from './blobs.js';
import { createTallies } from './budget.js';
import { failedBy, type Verdict, verdictOf } from './finish.js';
import { createHalt } from './halt.js';
import { type ListOutcome, runList, type Surroundings, type Task } from './interpret.js';
import { openJournal } from './journal.js';
import { judge } from './judge.js';
import { hashPath, type KeySources } from './key.js';
import { type LeafTools, performLeaf, refuse, saveFiles } from './leaf.js';
import { createLocal } from './local.js';
import { createPublisher } from './publish.js';
import { createRecorder } from './recorder.js';
import { type Frame, type RunRoots, renderIn } from './scope.js';
import type { Session } from './session.js';
import { createSlots } from './slots.js';

export interface EngineParts {
  readonly plan: Plan;
  readonly session: Session;
  readonly query: string;
  readonly inputs: JsonObject;
  /** The inputs as they count in keys: files by content. */
  readonly namedInputs: JsonObject;
  readonly readable: readonly string[];
  readonly projectDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly placeholder: boolean;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: () => number;
  newId(): string;
  findSkill(name: string): Skill | undefined;
  readonly sinks: readonly Sink[];
  onDelta(path: StepPath, delta: Delta): void;
  readonly retryUnknown: boolean;
  /** Ctrl-C and the like; its reason is a Fault. */
  readonly signal: AbortSignal;
}

export interface Ended extends Verdict {
  readonly result: Json;
}

export interface Engine {
  record(event: RunEvent): Promise<void>;
  /** Walks the plan to its end, or to what stops it. */
  walk(): Promise<Ended>;
  close(): Promise<void>;
}

export async function createEngine(parts: EngineParts): Promise<Engine> {
  const { plan, session, clock, signal } = parts;
  const { runDir, past } = session;
  const blobs = createBlobs(runDir.blobs);
  const lost: string[] = [];
  const recorder = createRecorder({
    journal: openJournal(runDir.journal),
    blobs,
    sinks: [{ write: (event) => session.counts.add(event) }, ...parts.sinks],
    clock,
    lastSeq: session.lastSeq,
    onSinkError: (error) => lost.push(error instanceof Error ? error.message : String(error)),
  });
  const folders = { run: runDir.dir, skill: plan.skill.dir, project: parts.projectDir };
  const halt = createHalt();
  /** What cannot be recorded must not go on. */
  const record = async (event: RunEvent) => {
    try {
      await recorder.record(event);
    } catch (error) {
      halt.set({ type: 'stopped', fault: toFault(error) });
      throw error;
    }
  };
  const publisher = createPublisher(runDir.dir, blobs, plan.steps);
  const durable = createLocal({ past, steps: plan.steps, blobs, publisher, clock, folders, record });
  const tallyOf = createTallies(plan, past);

  const started = async () => durable.decide('started', () => new Date(clock.now()).toISOString());

  const walk = async (): Promise<Ended> => {
    const roots = rootsOf(parts, await started());
    const sources: KeySources = {
      roots,
      namedRoots: namedRoots(roots, plan, parts.namedInputs),
      models: parts.models,
      tools: parts.tools,
      publisher,
      skillDir: plan.skill.dir,
      runDir: runDir.dir,
      placeholder: parts.placeholder,
      scriptsHash: once(() => hashPath(join(plan.skill.dir, 'scripts'))),
    };
    const leafTools: LeafTools = {
      durable,
      sources,
      runDir,
      blobs,
      slots: createSlots(plan.limits.maxParallel),
      interruptedKey: (path) => past.interrupted.get(path),
      retryUnknown: parts.retryUnknown,
      context: contextMaker(parts, folders, tallyOf, record),
    };
    const around: Surroundings = {
      plan,
      roots,
      halt,
      clock,
      record,
      leaf: (task) => performLeaf(task, around, leafTools),
      accept: (task, output) => accept(task, output, around, leafTools),
    };
    const stop = () => halt.set({ type: 'stopped', fault: toFault(signal.reason) });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const over = new AbortController();
    limitTime(plan.limits.timeMs, clock, over.signal, (fault) => halt.set({ type: 'stopped', fault: fault.data }));
    try {
      const frame: Frame = { steps: new Map() };
      const list = await runList(plan.steps, frame, { path: '', prefix: '', signal: halt.signal }, around);
      const ended = conclude(list, frame, roots);
      const left = ended.status === 'cancelled' || ended.status === 'limit' || ended.status === 'waiting';
      if (!left) publisher.removeOrphans(past.published);
      return ended;
    } finally {
      over.abort();
      signal.removeEventListener('abort', stop);
    }
  };

  const conclude = (list: ListOutcome, frame: Frame, roots: RunRoots): Ended => {
    const census = session.counts.census();
    const verdict = verdictOf(list, halt.reason(), plan, census, census.failed > 0);
    if (list.status !== 'done' || !plan.result) return { ...verdict, result: null };
    try {
      return { ...verdict, result: renderIn(plan.result, frame, roots) };
    } catch (error) {
      return { ...failedBy('result', toFault(error)), result: null };
    }
  };

  return { record, walk, close: recorder.close };
}

/** A group's output against its schema and asserts; its saved files become the run's. */
async function accept(
  task: Task,
  output: Json,
  around: Surroundings,
  tools: LeafTools,
): ReturnType<Surroundings['accept']> {
  const { step, path } = task;
  const begun = around.clock.now();
  try {
    if (step.body.type === 'group') refuse(await judge(step, output, task.frame, around.roots, undefined));
    const artifacts = task.saves ? saveFiles(task, output, around, tools) : [];
    tools.sources.publisher.claim(`${path}/save`, artifacts);
    await around.record({ type: 'step_done', path, key: '', output, artifacts, ms: around.clock.now() - begun });
    tools.sources.publisher.publish(`${path}/save`, artifacts);
    return { status: 'done', output, artifacts };
  } catch (error) {
    const fault = toFault(error);
    await around.record({ type: 'step_failed', path, fault, ms: 0 });
    return { status: 'failed', fault };
  }
}

function contextMaker(
  parts: EngineParts,
  folders: Pick<Folders, 'run' | 'skill' | 'project'>,
  tallyOf: ReturnType<typeof createTallies>,
  record: (event: RunEvent) => Promise<void>,
): LeafTools['context'] {
  return (task, key, stepDir, signal): Omit<StepContext, 'judge'> => ({
    path: task.path,
    step: task.step,
    folders: { work: stepDir.work, step: stepDir.dir, ...folders },
    query: parts.query,
    inputs: parts.inputs,
    permissions: parts.plan.permissions,
    environment: parts.environment,
    placeholder: parts.placeholder,
    readable: parts.readable,
    stepKey: hashJson([task.path, key.hash]).slice(0, 32),
    signal,
    clock: parts.clock,
    processes: parts.processes,
    models: parts.models,
    tools: parts.tools,
    budget: tallyOf(task.step),
    findSkill: parts.findSkill,
    random: parts.random,
    newId: parts.newId,
    emit: record,
    onDelta: (delta) => parts.onDelta(task.path, delta),
  });
}

function rootsOf(parts: EngineParts, started: string): RunRoots {
  const { plan, session } = parts;
  return {
    query: parts.query,
    inputs: { query: parts.query, ...parts.inputs },
    run: { id: session.runId, slug: session.slug, dir: session.runDir.dir, skill: plan.name, started },
    skill: { dir: plan.skill.dir },
    skills: Object.fromEntries(Object.entries(plan.skillDirs).map(([name, dir]) => [name, { dir }])),
    project: { dir: parts.projectDir },
  };
}

/** Folders and ids by name, files by content: what a key may know. */
function namedRoots(roots: RunRoots, plan: Plan, inputs: JsonObject): RunRoots {
  return {
    query: roots.query,
    inputs: { query: roots.query, ...inputs },
    run: { id: '«run.id»', slug: '«run.slug»', dir: '«run.dir»', skill: plan.name, started: '«run.started»' },
    skill: { dir: '«skill.dir»' },
    skills: Object.fromEntries(Object.keys(plan.skillDirs).map((name) => [name, { dir: `«skills.${name}.dir»` }])),
    project: { dir: '«project.dir»' },
  };
}

function limitTime(timeMs: number, clock: Clock, over: AbortSignal, stop: (fault: Fault) => void): void {
  const message = `the run took longer than its time limit of ${Math.round(timeMs / 1000)} s`;
  const hint = 'Go on with a higher limit: pipeline run … --resume --limit time=<duration>';
  clock.sleep(timeMs, over).then(
    () => stop(new Fault('run.limit', message, { hint })),
    () => undefined,
  );
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
