/** What the performance of a leaf step needs from the engine. */
import type { StepContext } from '../core/context.js';
import type { StepEvent } from '../core/events.js';
import type { Json } from '../core/json.js';
import type { Durable, Key, StepOutcome, StepPath } from '../core/outcome.js';
import type { Redactor } from '../core/secrets.js';
import { isBelow } from '../core/step-path.js';
import type { Blobs } from './blobs.js';
import type { Idempotency } from './idempotency.js';
import type { KeyOf } from './key.js';
import type { Past } from './past.js';
import type { LeafTask, Surroundings, Task } from './place.js';
import type { Publisher } from './publish.js';
import type { RunDir, StepDir } from './run-dir.js';
import type { Saved } from './save.js';
import type { Slots } from './slots.js';
import type { WorkRemoval } from './work-removal.js';

export interface LeafTools {
  readonly durable: Durable;
  readonly past: Past;
  readonly keyOf: KeyOf;
  readonly publisher: Publisher;
  readonly runDir: RunDir;
  readonly blobs: Blobs;
  readonly slots: Slots;
  readonly removal: WorkRemoval;
  readonly idempotency: Idempotency;
  readonly placeholder: boolean;
  /** A person said that interrupted `effect: once` steps may be repeated. */
  readonly retryUnknown: boolean;
  /** A person said that the interrupted `effect: once` step was done. */
  readonly assumeDone: Assumed | undefined;
  /** A person told a failed step, or every failed agent, to go on where it stopped. */
  readonly goOn: GoOn | undefined;
  /** Undefined where the environment holds no secret. */
  readonly redactor: Redactor | undefined;
  /** @param emitted told each event of the step after it was recorded */
  context(
    task: Task,
    around: Surroundings,
    attempt: Pick<StepContext, 'stepKey' | 'keyHash' | 'continues' | 'goesOn' | 'hold' | 'judge'>,
    folders: StepDir,
    signal: AbortSignal,
    emitted: (event: StepEvent) => void,
  ): StepContext;
}

export interface GoOn {
  /** Ids of the step, with those of the groups around it; '' for every one that failed and can. */
  readonly ids: string;
  /** Rounds granted beyond those it has used; 0 for those of the file. */
  readonly rounds: number;
  /** Places that have begun since: the word counts once for each. */
  readonly done: Set<StepPath>;
}

/** What a person says of an interrupted step: that it is done, and what it gave. */
export interface Assumed {
  /** Its path or id; without it, of every interrupted step. */
  readonly step?: string;
  readonly output?: Json;
  /** Of a file, in the place of `output`: JSON for a step that declares a schema, else the output itself. */
  readonly text?: string;
}

/** A leaf whose config and key are known. */
export interface Keyed extends LeafTask {
  readonly config: Json;
  readonly key: Key;
  readonly stepKey: string;
}

/** What brings a step's outcome about, and hands over the files that it saves. */
export type Work = (onSaved: (saved: Saved) => void) => Promise<StepOutcome>;

/** A person asked for this step, or for one around it, to be done again, and it has not been begun since. */
export function isRerun(path: StepPath, { past: { rerun } }: LeafTools): boolean {
  return rerun !== undefined && !rerun.done.has(path) && isBelow(path, rerun.ids);
}
