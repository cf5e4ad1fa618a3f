/** The facts of a run: a closed union, journaled first and shown afterwards; everything a person sees is a view of this list. */
import type { FaultData } from './faults.js';
import type { Json, JsonObject } from './json.js';
import type { EndStatus, FileRead } from './kind.js';
import type { Usage } from './model.js';
import type { Artifact, StepPath } from './outcome.js';

/** The run whose results a fork began with, and the ids of the step it was told to do again. */
export interface Origin {
  readonly run: string;
  readonly from?: string;
}

/** What happens inside one step. */
export type StepEvent =
  /** A round of an agent is whole: its messages are in the transcript. `round` from 1. */
  | {
      readonly type: 'round';
      readonly path: StepPath;
      readonly round: number;
      readonly calls: readonly string[];
      readonly usage?: Usage;
      /** Without `usage`: the tokens that the call counts as. */
      readonly estimatedTokens?: number;
      /** US dollars; absent where the price is not known. */
      readonly usd?: number;
      /** It was cut off before, and its call is among the lost ones: it counts no more. */
      readonly counted?: true;
      readonly model: string;
      readonly ms: number;
    }
  /** A model call failed and is tried again. With `estimatedTokens` it had begun to be answered, and counts as if it had used them. */
  | {
      readonly type: 'call_retry';
      readonly path: StepPath;
      readonly attempt: number;
      readonly waitMs: number;
      readonly fault: FaultData;
      readonly estimatedTokens?: number;
      readonly usd?: number;
    }
  /**
   * A model call of which no round has come: it failed or was cut off for good, after it had begun to be answered, or its answer was whole
   * and what it led to was cut off. With one of `usage` and `estimatedTokens`, as in a round.
   */
  | {
      readonly type: 'call_lost';
      readonly path: StepPath;
      readonly usage?: Usage;
      readonly estimatedTokens?: number;
      readonly usd?: number;
    }
  /** The service of a model failed, and another model takes its place for the rest of the step. Both as `provider/model-id`. */
  | {
      readonly type: 'fallback';
      readonly path: StepPath;
      readonly from: string;
      readonly to: string;
      readonly fault: FaultData;
    }
  /** A call that has an effect begins: one that is never followed by its `tool` has an unknown outcome. */
  | {
      readonly type: 'tool_started';
      readonly path: StepPath;
      readonly round: number;
      /** Among the calls of the round, from 0. */
      readonly call: number;
      readonly name: string;
      readonly target?: string;
    }
  | {
      readonly type: 'tool';
      readonly path: StepPath;
      readonly round: number;
      /** Among the calls of the round, from 0; journals of earlier versions do not say it. */
      readonly call?: number;
      readonly name: string;
      readonly ok: boolean;
      readonly ms: number;
      readonly target?: string;
    }
  /** A call that was not allowed: nothing was executed. */
  | {
      readonly type: 'tool_refused';
      readonly path: StepPath;
      readonly round: number;
      readonly name: string;
      readonly reason: string;
    }
  /** An answer was sent back to the model with its problems. */
  | {
      readonly type: 'answer_refused';
      readonly path: StepPath;
      readonly round: number;
      readonly problems: readonly string[];
    }
  /** Without `tone` something that a person should look at. */
  | {
      readonly type: 'step_notice';
      readonly path: StepPath;
      readonly text: string;
      /** The ordinary course of things: a line of its own, or what the step was about, which stands beside its name. */
      readonly tone?: 'progress' | 'subject';
      /** A repeat came to its `max`, and what it had then was taken: its `until` never held. */
      readonly accepted?: true;
    };

/** How a session was asked for, beyond what the run is: what has to be said again when it is gone on with. */
export interface AskedWith {
  /** As given: it replaces every model. */
  readonly model?: string;
  readonly record?: string;
  readonly replay?: string;
  readonly detect?: boolean;
  readonly sandbox?: 'auto' | 'off';
  readonly skillsDirs?: readonly string[];
}

export type RunEvent =
  | {
      readonly type: 'run_started';
      /** Version of the journal's format. */
      readonly format: 1;
      readonly run: string;
      readonly skill: string;
      readonly slug: string;
      readonly query: string;
      readonly inputs: JsonObject;
      readonly file: string;
      readonly version: string;
      readonly model?: string;
      /** Values of the pipeline file that this run replaces, by path, e.g. `steps.audit.agent.model`. */
      readonly overrides?: Readonly<Record<string, string>>;
      readonly fork?: Origin;
      readonly with?: AskedWith;
      readonly steps: readonly { readonly id: string; readonly title: string; readonly kind: string }[];
    }
  | {
      readonly type: 'run_resumed';
      readonly pid: number;
      readonly version: string;
      readonly model?: string;
      /** Ids of the step that a person asked to be done again: `rounds/audit`. */
      readonly from?: string;
      readonly with?: AskedWith;
      /** Ids of the failed step that a person told to go on where it stopped; '' for every failed agent. */
      readonly step?: string;
    }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'decided'; readonly name: string; readonly value: Json }
  | {
      readonly type: 'step_started';
      readonly path: StepPath;
      /** Present where the path holds items: the path with `*` for each item's index. */
      readonly family?: string;
      readonly title: string;
      readonly key: string;
      readonly parts: Readonly<Record<string, string>>;
      /** What the parts are hashes of, as far as a person can read it; large ones by the hash of a side file. */
      readonly values?: JsonObject;
      readonly valueBlobs?: Readonly<Record<string, string>>;
      /** Ids of the steps whose values its expressions read. */
      readonly uses?: readonly string[];
      readonly attempt: number;
      readonly because: string;
      /** Its effect must not happen twice: it is on disk before it begins. */
      readonly once?: true;
      /** A person asked for it: what was known of this step under this key is not taken any more. */
      readonly anew?: true;
    }
  | {
      readonly type: 'step_retry';
      readonly path: StepPath;
      readonly attempt: number;
      readonly waitMs: number;
      readonly fault: FaultData;
    }
  | {
      readonly type: 'step_reused';
      readonly path: StepPath;
      readonly family?: string;
      readonly from: StepPath;
      readonly key: string;
      readonly output: Json;
      readonly outputBlob?: string;
      readonly artifacts: readonly Artifact[];
      readonly reads?: readonly FileRead[];
    }
  /** `key` is '' for a group or a loop: its output is made again from its steps'. */
  | {
      readonly type: 'step_done';
      readonly path: StepPath;
      readonly family?: string;
      readonly key: string;
      readonly output: Json;
      readonly outputBlob?: string;
      readonly artifacts: readonly Artifact[];
      readonly reads?: readonly FileRead[];
      readonly ms: number;
    }
  | { readonly type: 'step_skipped'; readonly path: StepPath; readonly reason: string }
  | {
      readonly type: 'step_failed';
      readonly path: StepPath;
      readonly family?: string;
      /** Of the attempt; without it the step failed before one, or is a group or a loop. */
      readonly key?: string;
      readonly fault: FaultData;
      readonly ms: number;
    }
  | {
      readonly type: 'step_ended';
      readonly path: StepPath;
      readonly family?: string;
      readonly key?: string;
      readonly outcome: string;
      readonly as: EndStatus;
      readonly message: string;
    }
  | { readonly type: 'step_waiting'; readonly path: StepPath; readonly ask: Json }
  | { readonly type: 'step_stopped'; readonly path: StepPath; readonly fault: FaultData }
  /** A foreach knows its items, or a repeat begins a round. */
  | { readonly type: 'loop'; readonly path: StepPath; readonly of: 'items' | 'rounds'; readonly count: number }
  | StepEvent
  | {
      readonly type: 'run_ended';
      readonly status: RunStatus;
      readonly exit: number;
      readonly outcome: string;
      readonly message: string;
      readonly census: Census;
      readonly usage: UsageTotal;
      readonly result: Json;
      readonly fault?: FaultData;
      readonly ms: number;
    };

export type RunStatus = 'done' | 'failed' | 'partial' | 'refused' | 'limit' | 'waiting' | 'cancelled';

/** Leaf steps, counted once each, as far as they became known: asked = done + failed + skipped + open. How, says engine/census.ts. */
export interface Census {
  readonly asked: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  /** Begun and not finished: a resume goes on with them. */
  readonly open: number;
  /** Of those done: finished by an earlier session. */
  readonly reused: number;
}

export interface UsageTotal {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Calls whose server did not say what they used. */
  readonly unknownCalls: number;
  /** US dollars of the calls whose price is known. */
  readonly usd: number;
  /** Calls whose price is not known, or whose server did not say what they used. */
  readonly unpricedCalls: number;
}

/** An event as it stands in the journal. */
export type Recorded = RunEvent & { readonly seq: number; readonly at: string };

/** Who is told. Synchronous, must not block; one that throws is dropped and never stops a run. */
export interface Sink {
  write(event: Recorded): void;
  close?(): Promise<void>;
}
