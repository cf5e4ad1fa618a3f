/** One session of a run: the interpreter over durable steps, from the first fact to the last. */
import { join } from 'node:path';
import type { RunEvent, Sink } from '../core/events.js';
import { Fault, toFault } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import type { Held } from '../files/held.js';
import type { FileLayer } from '../files/layer.js';
import { createBlobs } from './blobs.js';
import { createTallies } from './budget.js';
import { failedBy, type Verdict, verdictOf } from './finish.js';
import { createHalt, type Halt } from './halt.js';
import { createIdempotency } from './idempotency.js';
import { runList } from './interpret.js';
import { type JournalFile, openJournal } from './journal.js';
import { judge, refuse } from './judge.js';
import { createKeyOf } from './key.js';
import { performLeaf } from './leaf.js';
import type { Assumed, GoOn, LeafTools } from './leaf-tools.js';
import { createLocal } from './local.js';
import { saverOf } from './past.js';
import { type ListOutcome, type Surroundings, spoken, type Task } from './place.js';
import { createPublisher } from './publish.js';
import { createRecorder } from './recorder.js';
import { namedRootsFor, type Running, rootsFor } from './running.js';
import { saveFiles } from './save.js';
import { type Frame, type RunRoots, renderIn } from './scope.js';
import type { Session } from './session.js';
import { createSlots } from './slots.js';
import { contextMaker, type SessionParts } from './step-context.js';
import { familyOf } from './step-path.js';
import { createWorkRemoval } from './work-removal.js';

export interface EngineParts extends SessionParts {
  readonly plan: Plan;
  readonly session: Session;
  readonly query: string;
  readonly inputs: JsonObject;
  /** The inputs as they count in keys: files by content. */
  readonly namedInputs: JsonObject;
  readonly readable: readonly string[];
  readonly held: Held;
  readonly projectDir: string;
  readonly sinks: readonly Sink[];
  /** A sink that throws is dropped, and this is told. */
  onSinkError(error: unknown): void;
  /** File operations of journal and artifacts. */
  readonly files: FileLayer;
  /** Another journal than the file's; simulation brings its own. */
  readonly openJournal?: (file: string, files: FileLayer) => JournalFile;
  readonly retryUnknown: boolean;
  /** A person said that the interrupted `effect: once` step was done. */
  readonly assumeDone: Assumed | undefined;
  /** A person told a failed step to go on where it stopped. */
  readonly goOn: GoOn | undefined;
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

export function createEngine(parts: EngineParts): Engine {
  const { plan, session, clock, signal, files } = parts;
  const { runDir, past } = session;
  const blobs = createBlobs(runDir.blobs, files);
  const recorder = createRecorder({
    journal: (parts.openJournal ?? openJournal)(runDir.journal, files),
    blobs,
    sinks: [{ write: (event) => session.counts.add(event) }, ...parts.sinks],
    clock,
    lastSeq: session.lastSeq,
    onSinkError: parts.onSinkError,
  });
  const halt = createHalt();
  /** What cannot be recorded must not go on. */
  const record = async (event: RunEvent) => {
    try {
      await recorder.record(parts.redactor?.value(event) ?? event);
    } catch (error) {
      halt.set({ type: 'stopped', fault: toFault(error) });
      throw error;
    }
  };
  const folders = {
    run: runDir.dir,
    skill: plan.skill.dir,
    project: parts.projectDir,
    inputs: join(runDir.dir, '.steps', '.inputs.json'),
  };
  const publisher = createPublisher(runDir.dir, blobs, files, past.published);
  const durable = createLocal({ past, blobs, clock, record });

  const walk = async (): Promise<Ended> => {
    const started = await durable.decide('started', () => new Date(clock.now()).toISOString());
    const run = { id: session.runId, slug: session.slug, dir: runDir.dir, started };
    const roots = rootsFor(plan, parts.query, parts.inputs, run, parts.projectDir);
    const running: Running = {
      plan,
      roots,
      namedRoots: namedRootsFor(plan, parts.query, parts.namedInputs),
      inputs: parts.inputs,
      permissions: plan.permissions,
      readable: parts.readable,
      held: parts.held,
      folders,
      maxParallel: plan.limits.maxParallel,
      prefix: '',
    };
    const tools: LeafTools = {
      durable,
      past,
      keyOf: createKeyOf({
        models: parts.models,
        tools: parts.tools,
        publisher,
        placeholder: parts.placeholder,
      }),
      publisher,
      runDir,
      blobs,
      slots: createSlots(plan.limits.maxParallel),
      removal: createWorkRemoval(),
      idempotency: createIdempotency(session.runId),
      placeholder: parts.placeholder,
      retryUnknown: parts.retryUnknown,
      assumeDone: parts.assumeDone,
      goOn: parts.goOn,
      redactor: parts.redactor,
      context: contextMaker(parts, createTallies(plan, past), record),
    };
    const surround = (inside: Running, within: Halt): Surroundings => {
      const around: Surroundings = {
        ...inside,
        halt: within,
        clock,
        runDir,
        record,
        list: (frame, place) => runList(frame, place, around),
        leaf: (task) => performLeaf(task, around, tools),
        judge: async (task, output) => refuse(await judge(task.step, output, task.frame, inside.roots, undefined)),
        finish: (task, output, begunMs) => finish(task, output, begunMs, around, tools),
        loopEnded: publisher.loopEnded,
        published: ({ path }) => publisher.published(path),
        enter: surround,
        census: ({ path }) => session.counts.census(path),
      };
      return around;
    };
    const around = surround(running, halt);
    const stop = () => halt.set({ type: 'stopped', fault: toFault(signal.reason) });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const frame: Frame = { steps: new Map() };
    const { steps } = plan;
    const place = { path: '', family: '', prefix: '', steps, hashes: new Map(), signal: halt.signal };
    const over = new AbortController();
    clock.sleep(plan.limits.timeMs, over.signal).then(
      () => halt.set({ type: 'stopped', fault: timeFault(plan.limits.timeMs).data }),
      () => undefined,
    );
    try {
      const list = await runList(frame, place, around);
      if (list.status === 'done' || halt.reason()?.type === 'ended') publisher.removeOrphans();
      publisher.sync();
      return conclude(list, frame, roots);
    } finally {
      await tools.removal.allSettled();
      over.abort(OVER);
      signal.removeEventListener('abort', stop);
    }
  };

  const conclude = (list: ListOutcome, frame: Frame, roots: RunRoots): Ended => {
    const census = session.counts.census();
    const run = `${plan.name}/${session.slug}`;
    const verdict = verdictOf(list, halt.reason(), plan, run, census);
    if (list.status !== 'done' || !plan.result) return { ...verdict, result: null };
    try {
      return { ...verdict, result: renderIn(plan.result, frame, roots) };
    } catch (error) {
      return { ...failedBy('result', toFault(error)), result: null };
    }
  };

  return { record, walk, close: recorder.close };
}

/** What a group or a repeat saves itself, and what it came to. */
async function finish(
  task: Task,
  output: Json,
  begunMs: number,
  around: Surroundings,
  tools: LeafTools,
): Promise<StepOutcome> {
  const { path, family } = task;
  const where = { path: saverOf(path), family: saverOf(family) };
  const { artifacts, texts } = saveFiles(task, output, around.roots, tools);
  tools.publisher.claim(where, artifacts);
  const ms = around.clock.now() - begunMs;
  await around.record({ type: 'step_done', path, ...familyOf(task), key: '', output, artifacts, ms });
  tools.publisher.publish(where, { artifacts, texts });
  return { status: 'done', output, artifacts };
}

function timeFault(timeMs: number): Fault {
  return new Fault('run.limit', `the run took longer than its time limit of ${spoken(timeMs)}`, {
    hint: 'Go on with a higher limit, on resume: --limit time=<duration>',
    raise: `time=${Math.ceil((2 * timeMs) / 1_000)}s`,
  });
}

/** A reason of our own: the default one costs a stack trace. */
const OVER = new Fault('run.cancelled', 'over');
