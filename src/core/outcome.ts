/** What a step came to, where, under which key, and what an engine must keep of it. */
import type { FaultData } from './faults.js';
import type { Json, JsonObject } from './json.js';
import type { EndStatus, FileRead } from './kind.js';

/** Stable names, never call order: `rounds/2/audit`, `search/3`. */
export type StepPath = string;

/** A step's place in the run. */
export interface Where {
  readonly path: StepPath;
  /** The path with `*` for each item's index: the same for all items of a loop. What is still a number there is a round. */
  readonly family: string;
}

/** What a step depends on. `parts` names each dependency and its hash, so that two keys can be compared and explained. */
export interface Key {
  readonly hash: string;
  readonly parts: Readonly<Record<string, string>>;
  /** What the parts are hashes of, where a person can read it. */
  readonly values: JsonObject;
  /** Ids of the steps whose values went into it. */
  readonly uses: readonly string[];
}

export interface Artifact {
  /** Relative to the run folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Permission bits that matter: is it executable? */
  readonly executable: boolean;
  /** Made from the output by `save`: made again when the result is reused, since `save` is not part of the key. */
  readonly saved?: true;
}

export type StepOutcome =
  | {
      readonly status: 'done';
      readonly output: Json;
      readonly artifacts: readonly Artifact[];
      readonly reads?: readonly FileRead[];
    }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'failed'; readonly fault: FaultData }
  | { readonly status: 'ended'; readonly outcome: string; readonly as: EndStatus; readonly message: string }
  | { readonly status: 'waiting'; readonly ask: Json }
  /** Limit, quota, cancel: resumable. */
  | { readonly status: 'stopped'; readonly fault: FaultData };

export type DoneOutcome = Extract<StepOutcome, { status: 'done' }>;

/** Absolute. */
export type ReadFolders = Readonly<Record<Exclude<FileRead['from'], 'elsewhere'>, string>>;

/** What a step came to before. */
export interface Earlier {
  readonly from: StepPath;
  readonly outcome: DoneOutcome;
}

/** What an engine must offer; local over the journal, later others: same interpreter, same tests. */
export interface Durable {
  /**
   * What this step came to before, under the same key; of an item: among all items of its loop, its own place first, then in order.
   * @param folders of the pipeline that the step stands in: files that it read are looked for there
   */
  lookup(where: Where, key: Key, folders: ReadFolders): Promise<Earlier | undefined>;
  /** Records that an earlier result stands for this step. */
  reuse(where: Where, key: Key, earlier: Earlier): Promise<void>;
  /** Runs and records; a finished step is recorded once. */
  run(where: Where, key: Key, attempt: () => Promise<StepOutcome>): Promise<StepOutcome>;
  /** The few choices that depend on order or on time, taken once. */
  decide<T extends Json>(name: string, value: () => T): Promise<T>;
}
