/** What an agent is given, and what it gives. */
import type { Json, JsonObject } from '../core/json.js';
import type { ChosenModel, Image } from '../core/model.js';
import type { Tool } from '../core/tool.js';

/** What every conversation with a model has, whoever leads it. */
export interface Conversing {
  readonly system: string;
  readonly prompt: string;
  /** Shown with the prompt. */
  readonly images: readonly Image[];
  readonly model: ChosenModel;
  /** Names of the models that take its place when its service fails, and what picks them. */
  readonly fallback: readonly string[];
  readonly pickFallback: (name: string) => Promise<ChosenModel>;
  /** By which the model was picked, and the parameters that it had then. */
  readonly role: string;
  readonly roleParameters: JsonObject;
  /** Model calls at most, unless a person grants more. */
  readonly maxRounds: number;
  readonly idleTimeoutMs: number;
  /** A transcript with this key is gone on with. */
  readonly key: string;
  /** Absolute path of transcript.ndjson. */
  readonly transcript: string;
}

export interface Agent extends Conversing {
  /** What it may call, `resolve` not among them. */
  readonly tools: readonly Tool[];
  readonly resolve: Tool;
  /** Repetitions that stop it; 0 for no such guard. */
  readonly deadLoopWindow: number;
}

export interface Answer {
  readonly value: Json;
  readonly rounds: number;
  readonly reads: readonly { readonly file: string; readonly sha256: string }[];
}
