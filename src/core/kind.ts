/** What a way to perform a step must offer. */
import type { StepContext } from './context.js';
import type { Json, JsonObject, JsonSchema } from './json.js';
import type { Skill } from './plan.js';
import type { Tool } from './tool.js';

/** A way to perform a step. To add one: write one of these, list it in run.ts. */
export interface StepKind<Config = Json> {
  readonly name: string;
  /** Of the value under its key; the editor's schema is composed from these, and the check validates against it. */
  readonly schema: JsonObject;
  /** Keys of the config whose strings are never templated. */
  readonly verbatim: readonly string[];
  /** Keys of the config whose one-word value ending in .md or .txt names a file; its text takes the value's place. */
  readonly textFiles: readonly string[];
  /** Keys of the config that say how long it may go on, not what it does: they are no part of a step's key. */
  readonly unkeyed?: readonly string[];
  /** Default timeouts of one attempt; undefined for none. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Whether the step must declare `output`. */
  readonly output: 'required' | 'optional' | 'none';
  /** Whether every later step of the list waits for it. */
  readonly fence: boolean;
  /** It waits for a person: it takes none of the places that `max_parallel` counts. */
  readonly waits?: boolean;
  /** What check, keys, dry-run and consent need to know, without running anything. `config` is as written: `${{ }}` not yet replaced. */
  inspect(config: Config, look: Look): Inspection;
  /** `config` has its values. Throws a Fault when it cannot. */
  run(config: Config, context: StepContext): Promise<KindResult>;
}

/** What a kind may look at while it is inspected. */
export interface Look {
  readonly skillDir: string;
  readonly projectDir: string;
  /** The schema of its output; undefined if there is none that can be read. */
  readonly output: JsonSchema | undefined;
  /** Globs of the files that it must leave. */
  readonly artifacts: readonly string[];
  /** The skill whose pipeline this is, and a look-up by name. */
  readonly skill: Skill;
  findSkill(name: string): Skill | undefined;
  readonly tools: readonly Tool[];
  /** Model roles that this pipeline declares or the project configures, `default` included. */
  readonly roles: readonly string[];
  /** Says a problem at a place inside the config, e.g. `['tools', 0]`. */
  problem(path: readonly (string | number)[], message: string, hint?: string, severity?: 'error' | 'warning'): void;
}

export interface Inspection {
  /** Absolute paths of files or folders whose bytes count in the key. */
  readonly files: readonly string[];
  /** Tool names as written, e.g. `read_file`, `shell(git log *)`. */
  readonly tools: readonly string[];
  /** Model roles or `provider/model-id`s; empty for a step that calls no model. */
  readonly models: readonly string[];
  /** Models that may take the place of those. */
  readonly fallback?: readonly string[];
  /** It shows images to its models. */
  readonly images?: boolean;
  /** It talks with a model: an attempt that was cut off goes on from its transcript. Where that was not begun, the next one begins anew. */
  readonly continues?: boolean;
  /** Model calls that one attempt can make at most. */
  readonly maxCalls: number;
  /** It starts a process: the skill's scripts/ and what the steps it needs published count in the key. */
  readonly startsProcess: boolean;
  /** What it starts, where the config does not hold it yet: said as it is to a person. */
  readonly starts?: string;
  /** It shows what has been made so far to a person: what the steps before it published counts in the key. */
  readonly showsPublished?: boolean;
}

export type KindResult =
  | { readonly type: 'output'; readonly value: Json; readonly reads?: readonly FileRead[] }
  | { readonly type: 'end'; readonly outcome: string; readonly status: EndStatus; readonly message: string }
  | { readonly type: 'wait'; readonly ask: Json };

/** A file that a step's tools read: its bytes decide whether the step's result can be reused. */
export interface FileRead {
  readonly from: 'run' | 'skill' | 'project' | 'elsewhere';
  /** Relative to that folder; absolute for `elsewhere`. */
  readonly path: string;
  readonly sha256: string;
}

export type EndStatus = 'done' | 'refused' | 'failed';
