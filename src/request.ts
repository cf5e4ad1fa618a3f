/** What a program asks of a run, and what it is told. */
import type { AdapterFn } from './adapters/role.js';
import type { Ask, Clock, Processes } from './core/context.js';
import type { Census, RunStatus, Sink, UsageTotal } from './core/events.js';
import type { FaultData } from './core/faults.js';
import type { Json } from './core/json.js';
import type { StepKind } from './core/kind.js';
import type { Delta, Provider } from './core/model.js';
import type { StepPath } from './core/outcome.js';
import type { Limits, Plan } from './core/plan.js';
import type { Problem } from './core/problems.js';
import type { Tool } from './core/tool.js';
import type { FileLayer } from './files/layer.js';
import type { InputProblem } from './load/given-inputs.js';
import type { ModelChoice } from './providers/models.js';
import type { NamedChoice } from './providers/plan-models.js';

export type { InputProblem, ModelChoice, NamedChoice };

/** What the program around it knows: folders are absolute. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly skillsDirs?: readonly string[];
  readonly kinds?: readonly StepKind[];
  readonly tools?: readonly Tool[];
}

export interface Checked {
  readonly plan?: Plan;
  readonly problems: readonly Problem[];
}

export interface RunRequest extends Surroundings {
  /** A skill's name, or a path to a pipeline file or skill folder. */
  readonly target: string;
  readonly query: string;
  /** Text as on a command line, or values. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Replaces every model: `provider/model-id`, a role, `sketch`, `script:<file>`. */
  readonly model?: string;
  /** Writes what the models are asked and say into this folder, a cassette. Absolute. */
  readonly record?: string;
  /** Takes the place of every model: the folder of a cassette, or of a run. What it does not hold is never asked of a model. Absolute. */
  readonly replay?: string;
  /** Whether commands that a model writes are confined; what the configuration says, else `auto`. */
  readonly sandbox?: 'auto' | 'off';
  /** Look for a model server on this machine; true unless the configuration says otherwise. */
  readonly detect?: boolean;
  /** Go on with the newest run of the same query and inputs, or with this run folder. */
  readonly resume?: boolean | { readonly dir: string };
  /** A new run that begins with the results of this run folder. */
  readonly fork?: { readonly dir: string };
  /** With `resume` or `fork`: the id of a step that is done again, whatever is known of it. */
  readonly from?: string;
  /** Values that replace those of the file, as YAML, by path: `steps.audit.agent.model`. A resume keeps those of its run. */
  readonly overrides?: Readonly<Record<string, string>>;
  /**
   * Each does the work of an agent, by the id of its step: `audit`, or `rounds/audit` where ids repeat. It gets the step's instructions,
   * its output schema, its prompt as the thread. Not kept for a resume: give them again.
   */
  readonly adapters?: Readonly<Record<string, AdapterFn>>;
  /**
   * With `resume`: failed agents go on in their conversations instead of beginning anew. `step`: the id of one, all of them without it;
   * `rounds`: beyond those they have used.
   */
  readonly goOn?: { readonly step?: string; readonly rounds?: number };
  /** Repeat an interrupted `effect: once` step. */
  readonly retryUnknown?: boolean;
  /**
   * Take an interrupted `effect: once` step as done (`step`: a path or an id; all of them without it), with this output if it declares a
   * schema. `text` is that of a file: JSON for a step
   * that declares a schema, else the output itself.
   */
  readonly assumeDone?: { readonly step?: string; readonly output?: Json; readonly text?: string };
  /** Asks the person at the terminal; without it a gate does what its `on_no_tty` says. */
  readonly ask?: Ask;
  /** Where run folders are collected instead of the project's `skill_run`. Absolute. */
  readonly runsDir?: string;
  readonly limits?: Partial<Limits>;
  readonly providers?: Readonly<Record<string, Provider>>;
  readonly sinks?: readonly Sink[];
  readonly onDelta?: (path: StepPath, delta: Delta) => void;
  /** Told once, before the first step. */
  readonly onStart?: (start: RunStart) => void;
  /** Its reason is a Fault, e.g. `run.cancelled`. */
  readonly signal?: AbortSignal;
  /** Ends all processes without waiting for them to end in good order. */
  readonly kill?: AbortSignal;
  /** Real ones unless given. */
  readonly clock?: Clock;
  readonly processes?: Processes | ((real: Processes) => Processes);
  readonly files?: FileLayer;
  readonly random?: () => number;
  readonly newId?: () => string;
  /** Of this process. */
  readonly pid?: number;
  /** No graph, no report and no line of pipeline.log are made of it: all can be made of the journal at any time. */
  readonly viewless?: true;
}

export interface RunStart {
  readonly dir: string;
  readonly plan: Plan;
  /** By earlier sessions of the run: it counts towards the limits. */
  readonly used: UsageTotal;
  /** The first of `models`, a placeholder if any of them is one; undefined when no step calls a model. */
  readonly model?: ModelChoice;
  /** Each model of the run once, with the roles that steps name it by. */
  readonly models: readonly NamedChoice[];
  readonly notices: readonly string[];
  readonly warnings: readonly Problem[];
}

export type RunReport =
  /** Nothing was run, and no folder was made. */
  | {
      readonly status: 'invalid';
      readonly exit: 2;
      readonly problems: readonly Problem[];
      readonly inputs: readonly InputProblem[];
    }
  | {
      readonly status: RunStatus;
      readonly exit: number;
      readonly outcome: string;
      readonly message: string;
      /** The run folder. */
      readonly dir: string;
      readonly result: Json;
      readonly census: Census;
      readonly usage: UsageTotal;
      readonly fault?: FaultData;
    };
