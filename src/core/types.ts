/** The nouns: what an author wrote (Plan, Step), what users extend (StepKind, Tool, Provider), what a step may touch (StepContext). */
import type { StepEvent } from './events.js';
import type { Expression, Template } from './expression.js';
import type { FaultData } from './faults.js';
import type { Json, JsonObject, JsonSchema } from './json.js';
import type { Position } from './problems.js';

// ---- the plan -----------------------------------------------------------------------------------------------------------------

/** A SKILL.md as it was read: leniently, with what was repaired said in `problems`. */
export interface Skill {
  /** The folder's name; look-ups ignore case and treat `-` and `_` alike. */
  readonly name: string;
  /** Absolute. */
  readonly dir: string;
  /** Absolute path of SKILL.md, if there is one. */
  readonly file?: string;
  /** Without it the skill is not offered to a model, but runs by name. */
  readonly description?: string;
  /** The Markdown after the front matter; '' without a SKILL.md. Never templated, never executed. */
  readonly body: string;
  /** `allowed-tools` as our tool names, e.g. `read_file`, `shell(git log *)`; undefined if the key is absent. */
  readonly allowedTools?: readonly string[];
  readonly metadata: JsonObject;
  readonly runsAs: 'pipeline' | 'next-loop' | 'agent';
}

export interface Limits {
  readonly tokens: number;
  readonly usd?: number;
  readonly timeMs: number;
  readonly maxParallel: number;
}

export interface Permissions {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Names of environment variables that children may see. */
  readonly env: readonly string[];
  readonly network: boolean;
}

/** A pipeline file that passed the check, or the one-agent pipeline that a bare SKILL.md stands for. Plain data but for parsed expressions. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the pipeline file, or of SKILL.md. */
  readonly file: string;
  /** Absolute; relative paths of the file start here. */
  readonly dir: string;
  readonly skill: Skill;
  /** The closed object schema of the inputs, without `query`. */
  readonly inputs: JsonObject;
  /** Roles this file uses beside `default`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly permissions: Permissions;
  readonly onFailure: 'continue' | 'stop';
  readonly acceptPartial: boolean;
  readonly steps: readonly Step[];
  readonly result?: Template;
  /** Folders of the skills that expressions name (`skills.paper_search.dir`), by look-up name with `_`. Absolute. */
  readonly skillDirs: Readonly<Record<string, string>>;
}

export interface LoadedSchema {
  /** Self-contained: every `$ref` to a file has become `#/$defs/…`. */
  readonly json: JsonSchema;
  /** For people: the path as written, or `inline`. */
  readonly source: string;
  readonly at: Position;
}

export interface Assertion {
  readonly that: Expression;
  readonly message: Template;
}

/** A step of the plan, with every default filled in. */
export interface Step {
  readonly id: string;
  readonly title: string;
  readonly at: Position;
  /** Ids of the same list that must settle before this one starts: written or implied needs, references and fences. */
  readonly after: readonly string[];
  readonly when?: Expression;
  readonly foreach?: Foreach;
  readonly repeat?: Repeat;
  readonly output?: LoadedSchema;
  readonly assert: readonly Assertion[];
  /** Globs over the work folder. */
  readonly artifacts: readonly string[];
  /** Path in the run folder → what to write there. */
  readonly save: readonly { readonly path: Template; readonly value: Template | undefined; readonly at: Position }[];
  /** Of one attempt; undefined for none. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly retry: { readonly attempts: number; readonly backoffMs: number };
  readonly onError: 'fail' | 'continue';
  readonly effect: 'repeatable' | 'once';
  readonly cache: boolean;
  readonly limits: { readonly tokens?: number; readonly usd?: number; readonly timeMs?: number };
  readonly body: LeafBody | GroupBody;
}

export interface LeafBody {
  readonly type: 'leaf';
  readonly kind: StepKind;
  /** The value under the kind's key, its `${{ }}` compiled. */
  readonly config: Template;
  readonly inspection: Inspection;
}

export interface GroupBody {
  readonly type: 'group';
  readonly steps: readonly Step[];
  /** Without it the output maps the direct steps' ids to their outputs. */
  readonly result?: Template;
}

export interface Foreach {
  /** An expression over a list, or a list written in YAML. */
  readonly over: Template;
  readonly maxItems: number;
  readonly maxParallel?: number;
  /** How many items must succeed: a count, or a share of the list (0 to 1). */
  readonly minSuccess: { readonly count: number } | { readonly share: number };
}

export interface Repeat {
  readonly until: Expression;
  readonly max: number;
  readonly onMax: 'fail' | 'accept';
}

// ---- what users extend --------------------------------------------------------------------------------------------------------

/** A way to perform a step. To add one: write one of these, list it in run.ts. */
export interface StepKind<Config = Json> {
  readonly name: string;
  /** Of the value under its key; the editor's schema is composed from these, and the check validates against it. */
  readonly schema: JsonObject;
  /** Keys of the config whose strings are never templated. */
  readonly verbatim: readonly string[];
  /** Keys of the config whose one-word value ending in .md or .txt names a file; its text takes the value's place. */
  readonly textFiles: readonly string[];
  /** Default timeouts of one attempt; undefined for none. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Whether the step must declare `output`. */
  readonly output: 'required' | 'optional' | 'none';
  /** Whether every later step of the list waits for it. */
  readonly fence: boolean;
  /** Whether an interrupted attempt goes on in its own folder, from what it left there. */
  readonly continues: boolean;
  /** What check, keys, dry-run and consent need to know, without running anything. `config` is as written: `${{ }}` not yet replaced. */
  inspect(config: Config, look: Look): Inspection;
  /** `config` has its values. Throws a Fault when it cannot. */
  run(config: Config, context: StepContext): Promise<KindResult>;
}

/** What a kind may look at while it is inspected. */
export interface Look {
  readonly skillDir: string;
  readonly projectDir: string;
  readonly hasOutputSchema: boolean;
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
  /** Model calls that one attempt can make at most. */
  readonly maxCalls: number;
  /** It starts a process: the skill's scripts/ and what the steps it needs published count in the key. */
  readonly startsProcess: boolean;
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

/** Something a model may call. Failures that the model can act on are returned, never thrown. */
export interface Tool<Args = JsonObject> {
  readonly spec: ToolSpec;
  /** Reads run in parallel, effects one by one in the order of the calls. */
  readonly effect: 'none' | 'write' | 'process' | 'network';
  execute(args: Args, context: StepContext): Promise<ToolResult>;
}

/** Data only, so that a request can be logged, hashed, replayed and compared. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

export type ToolResult =
  /** `read`: absolute path of the file that was read, if the call was a read. */
  | { readonly type: 'text'; readonly text: string; readonly read?: string }
  | { readonly type: 'error'; readonly text: string }
  /** Ends the loop; only `resolve` makes it. */
  | { readonly type: 'resolved'; readonly value: Json };

/** A model behind a wire. One attempt, whole or not at all: throws a `provider.*` fault, never retries. */
export interface Provider {
  readonly name: string;
  complete(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      readonly idleTimeoutMs: number;
      readonly onDelta?: (delta: Delta) => void;
    },
  ): Promise<ModelReply>;
}

/** The canonical request: what keys, transcripts and replay compare. Requests of one agent only ever grow at the end. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: 'auto' | 'required';
  /** Sampling parameters as the author wrote them, e.g. `temperature`, `max_tokens`. */
  readonly parameters: JsonObject;
}

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** Kept apart from the text; sent back only where the provider demands it. */
      readonly reasoning?: string;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly error: boolean;
    };

export interface ToolCall {
  /** Unique within a run. */
  readonly id: string;
  readonly name: string;
  /** The JSON text as the model wrote it. */
  readonly arguments: string;
  /** Unknown fields of the call, kept and sent back. */
  readonly extra?: JsonObject;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reasoning?: string;
  readonly finish: 'stop' | 'calls' | 'length' | 'refusal';
  /** Undefined when the server did not say: unknown, not 0. */
  readonly usage?: Usage;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of inputTokens. */
  readonly cachedTokens: number;
}

export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string };

/** Picks a model for a role (`default`, `judge`) or a `provider/model-id`. Throws `provider.no_model`. */
export interface Models {
  pick(name: string): Promise<ChosenModel>;
}
export interface ChosenModel {
  readonly provider: Provider;
  /** The id at the provider. */
  readonly model: string;
  /** `provider/model-id`, for people and keys. */
  readonly label: string;
  /** Host the requests go to; '' for embedded models. Part of the key. */
  readonly host: string;
  readonly parameters: JsonObject;
}

// ---- what a step may touch ----------------------------------------------------------------------------------------------------

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** core's view of src/process/; stubs and simulation put theirs here. */
export interface Processes {
  run(command: Command): Promise<Exit>;
}
export interface Command {
  /** Program and arguments; never a shell line. */
  readonly argv: readonly string[];
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  readonly stdin?: string | Uint8Array;
  /** Absolute paths of the log files; created only when there is output. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly signal: AbortSignal;
  /** Silence on both streams that ends it; undefined for no such bound. */
  readonly idleTimeoutMs?: number;
}
export interface Exit {
  /** Exit code, or undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Standard output as bytes, whole unless `truncated`. */
  readonly stdout: Uint8Array;
  /** The last 4 KB. */
  readonly stderrTail: string;
  readonly truncated: boolean;
}

/** Folders as absolute paths. */
export interface Folders {
  /** The attempt's work folder: cwd, and where files are written. */
  readonly work: string;
  /** `.steps/<path>`: prompt, transcript, logs of this step. */
  readonly step: string;
  readonly run: string;
  readonly skill: string;
  readonly project: string;
}

/** What a step may touch while it runs. */
export interface StepContext {
  readonly path: StepPath;
  readonly step: Step;
  readonly folders: Folders;
  readonly query: string;
  readonly inputs: JsonObject;
  readonly permissions: Permissions;
  /** The run's environment: what children may see of it is the kind's business. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** True when any model of the run is `sketch`: texts are placeholders. */
  readonly placeholder: boolean;
  /** Files outside the folders that this run may read: inputs with `format: path`. Absolute. */
  readonly readable: readonly string[];
  /** An idempotency key, stable over retries and resumes. */
  readonly stepKey: string;
  /** Timeout, Ctrl-C, a sibling's failure. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly budget: Budget;
  findSkill(name: string): Skill | undefined;
  readonly random: () => number;
  newId(): string;
  emit(event: StepEvent): Promise<void>;
  /** Shown, never journaled. */
  onDelta(delta: Delta): void;
  /** What speaks against this output: schema, asserts, artifacts. Empty when it is accepted. */
  judge(output: Json): Promise<readonly Complaint[]>;
}

/** Said to a model or in an error, one line each. */
export interface Complaint {
  readonly from: 'schema' | 'assert' | 'artifacts';
  /** JSON Pointer into the output; '' for the whole. */
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
}

/** Tokens of the run and of the step. */
export interface Budget {
  /**
   * Waits, first come first served, while only open reservations stand in the way. Throws `run.limit` when the call can no longer fit,
   * the signal's reason when it aborts.
   */
  reserve(tokens: number, signal: AbortSignal): Promise<Reservation>;
}

export interface Reservation {
  /** Once; a call whose server does not say what it used counts as what was reserved. */
  settle(usage: Usage | undefined): void;
}

// ---- outcomes -----------------------------------------------------------------------------------------------------------------

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

/** What a step came to before. */
export interface Earlier {
  readonly from: StepPath;
  readonly outcome: DoneOutcome;
}

/** What an engine must offer; local over the journal, later others: same interpreter, same tests. */
export interface Durable {
  /** What this step came to before, under the same key; of an item: among all items of its loop, its own place first, then in order. */
  lookup(where: Where, key: Key): Promise<Earlier | undefined>;
  /** Records that an earlier result stands for this step. */
  reuse(where: Where, key: Key, earlier: Earlier): Promise<void>;
  /** Runs and records; a finished step is recorded once. */
  run(where: Where, key: Key, attempt: () => Promise<StepOutcome>): Promise<StepOutcome>;
  /** The few choices that depend on order or on time, taken once. */
  decide<T extends Json>(name: string, value: () => T): Promise<T>;
}
