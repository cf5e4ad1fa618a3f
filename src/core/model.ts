/** A model behind a wire: what it is asked, what it answers. */
import type { JsonObject, JsonSchema } from './json.js';
import type { StepPath } from './outcome.js';

/** Data only, so that a request can be logged, hashed, replayed and compared. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** A model behind a wire. One attempt, whole or not at all: throws a `provider.*` fault, never retries. */
export interface Provider {
  readonly name: string;
  /** No language model: its texts are placeholders. */
  readonly placeholder?: true;
  complete(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      readonly idleTimeoutMs: number;
      /** The step that asks, where one does: no part of the request. */
      readonly step?: StepPath;
      /** What was asked for, where this model takes another one's place: recordings are kept under it. */
      readonly standsFor?: Pick<ModelRequest, 'model' | 'parameters'>;
      readonly onDelta?: (delta: Delta) => void;
      /** Told when the service has begun to answer: from then on the call may be charged. */
      readonly onAnswer?: () => void;
      /** Called before a wait for what is allowed to all callers of the service; what it returns is called after it. */
      readonly hold?: () => () => void;
      /** Told of what was asked otherwise than the request says, because the server does not take it. */
      readonly onNotice?: (text: string) => void;
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
  /** The answer is asked for as one JSON text of this form, with no tools; what comes is checked here all the same. */
  readonly format?: AnswerFormat;
}

/** The form of an answer without tools, which servers that can are asked to keep to. */
export interface AnswerFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** An image of a prompt, whole. */
export interface Image {
  /** As the author named the file. */
  readonly name: string;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly base64: string;
}

export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      readonly images?: readonly Image[];
      /** The runner's word on this one run, its budget or its failed attempt: recordings do not compare it. */
      readonly aside?: true;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** Kept apart from the text; sent back only where the provider demands it. */
      readonly reasoning?: string;
      /** As in the reply that it was. */
      readonly blocks?: readonly JsonObject[];
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
  /**
   * Where the provider demands its reasoning back unchanged: the whole turn in its own words and order, which only that provider reads.
   * Calls stand in it by their ids, as `{ type: 'tool_use', id }`.
   */
  readonly blocks?: readonly JsonObject[];
  readonly finish: 'stop' | 'calls' | 'length' | 'refusal';
  /** Undefined when the server did not say: unknown, not 0. */
  readonly usage?: Usage;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of inputTokens. */
  readonly cachedTokens: number;
  /** Part of inputTokens: written into the provider's cache, which some charge for. */
  readonly cacheWrittenTokens?: number;
}

/** What a call costs, in US dollars. */
export type PriceOf = (usage: Usage) => number;

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
  /** No language model: its texts are placeholders, and what it makes must say so. */
  readonly placeholder: boolean;
  /** Names of models to take, in this order, when its service fails; a step may name others. */
  readonly fallback?: readonly string[];
  /** Whether it takes images; undefined if nobody knows. */
  readonly sees?: boolean;
  /** Tokens that a request and its answer can have together, as far as known. */
  readonly contextTokens?: number;
  /** Looks it up where it is not known yet, which takes time. */
  readonly listedContext?: () => Promise<number | undefined>;
  /** Undefined, or a promise of it, for a model whose price nobody knows. Embedded models cost nothing. */
  readonly price?: () => Promise<PriceOf | undefined>;
}
