/** What a step may touch while it runs. */
import type { StepEvent } from './events.js';
import type { Fault, FaultData } from './faults.js';
import type { Json, JsonObject } from './json.js';
import type { Delta, Models } from './model.js';
import type { StepPath } from './outcome.js';
import type { Permissions, Skill, Step } from './plan.js';
import type { Tool } from './tool.js';

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
  /** The step whose process it is, and its work folder. */
  readonly step: StepPath;
  readonly work: string;
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
  /** Asked once, when standard output passes what is kept of it: the fault that ends the command, if one does. */
  readonly overflow?: () => Fault | undefined;
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

/** core's view of src/sandbox/: what stands around the commands that a model writes. */
export type Sandbox =
  | {
      readonly type: 'on';
      /** Of the program that does it, for people. */
      readonly name: string;
      /** Throws a Fault if it cannot hide what must not be seen. */
      confine(argv: readonly string[], step: ConfinedStep): Promise<Confined>;
    }
  /** A person said so: commands have the rights of whoever started the run. */
  | { readonly type: 'off' }
  /** This machine has none: no command is run. */
  | { readonly type: 'none'; readonly reason: string; readonly hint: string };

export type ConfinedStep = Pick<StepContext, 'folders' | 'permissions' | 'readable' | 'held'>;

/** How to start a command so that it sees and changes only what its step may. */
export interface Confined {
  /** Its program is an absolute path. */
  readonly argv: readonly string[];
  /** Added to the small environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Folders as absolute paths. */
export interface Folders {
  /** The attempt's work folder: cwd, and where files are written. */
  readonly work: string;
  /** `.steps/<path>`: prompt, transcript, logs of this step. */
  readonly step: string;
  /** Files in it: what an agent was given, its conversation, what a process printed. */
  readonly prompt: string;
  readonly transcript: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly run: string;
  readonly skill: string;
  readonly project: string;
  /** The file that PIPELINE_INPUTS names: query and inputs as JSON. */
  readonly inputs: string;
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
  /** What folders, permissions and `readable` name, with the real paths that these had before anything ran: no other place counts. */
  readonly held: ReadonlyMap<string, string>;
  /** An idempotency key, stable over retries and resumes. */
  readonly stepKey: string;
  /** The hash of all the step depends on: what a person was shown is bound to it. */
  readonly keyHash: string;
  /** Asks the person at the terminal; undefined when nobody is there. */
  readonly ask: Ask | undefined;
  /** Timeout, Ctrl-C, a sibling's failure. */
  readonly signal: AbortSignal;
  /** From the call until what it returns is called, no time counts for the step's timeout: it waits for what others use. */
  hold(): () => void;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly models: Models;
  readonly tools: readonly Tool[];
  readonly budget: Budget;
  /** An earlier attempt's conversation is gone on with; undefined where there is none. `toldRounds`: how many of its rounds the journal has. */
  readonly continues: { readonly toldRounds: number } | undefined;
  /** A person told it to go on where it failed. */
  readonly goesOn: GoesOn | undefined;
  findSkill(name: string): Skill | undefined;
  readonly random: () => number;
  /** Puts known secret values by name: what comes from outside passes here before a model sees it. */
  redact(text: string): string;
  newId(): string;
  emit(event: StepEvent): Promise<void>;
  /** Shown, never journaled. */
  onDelta(delta: Delta): void;
  /** What speaks against this output: schema, asserts, artifacts. Empty when it is accepted. */
  judge(output: Json): Promise<readonly Complaint[]>;
}

/** Puts a question to a person, one at a time. Rejects with the signal's reason. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

export interface Question {
  readonly path: StepPath;
  readonly title: string;
  /** Text, perhaps Markdown; may hold what a model wrote. */
  readonly ask: string;
  readonly choices: readonly string[];
}

export interface Answer {
  /** One of the choices. */
  readonly choice: string;
  /** '' if none. */
  readonly comment: string;
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

/** An attempt that is gone on with, because a person said so. */
export interface GoesOn {
  /** Rounds granted beyond those that it has used; 0 for those of the file. */
  readonly rounds: number;
  /** What it failed with; undefined if it was interrupted. */
  readonly fault: FaultData | undefined;
}

/** What a call may use, or has used. */
export interface Amount {
  readonly tokens: number;
  /** US dollars; 0 where no price is known: a limit in usd then keeps the run from starting. */
  readonly usd: number;
}

export const NO_AMOUNT: Amount = { tokens: 0, usd: 0 };

export function plus(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}

/** Tokens and money of the run and of the step. */
export interface Budget {
  /**
   * Waits, first come first served, while only open reservations stand in the way. Throws `run.limit` when the call can no longer fit,
   * the signal's reason when it aborts.
   */
  reserve(need: Amount, signal: AbortSignal): Promise<Reservation>;
  /** Of the limit that is nearest: the share that is used (0 to 1), and what it is a limit of. */
  nearest(): { readonly share: number; readonly of: string };
  /** Whether money is limited here. */
  readonly limitsUsd: boolean;
}

export interface Reservation {
  /** Once; a call whose server does not say what it used counts as what was reserved. */
  settle(used: Amount | undefined): void;
}
