/** What a configuration says of models: which stands behind a role, what it costs, how much its service allows. */
import type { JsonObject } from './json.js';

/** What is said of a model beside its name. */
export interface ModelSettings {
  readonly price?: Price;
  /** Whether it takes images. */
  readonly images?: boolean;
  /** Tokens that a request and its answer can have together. */
  readonly contextTokens?: number;
  /** Of the request, by their names on the wire. */
  readonly parameters?: JsonObject;
}

export interface ModelRole extends ModelSettings {
  readonly provider: string;
  /** The id at the provider. */
  readonly model: string;
  readonly baseUrl?: string;
  /** Roles or `provider/model-id`s to take, in this order, when this one cannot be used, or its service fails. */
  readonly fallback?: readonly string[];
}

/** By their names. */
export type ModelRoles = ReadonlyMap<string, ModelRole>;

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Tokens read from the provider's cache; as `input` unless given. */
  readonly cached?: number;
  /** Tokens written into it; as `input` unless given. */
  readonly cacheWrite?: number;
}

export interface RateLimits {
  /** Requests per minute. */
  readonly rpm?: number;
  /** Tokens per minute. */
  readonly tpm?: number;
  readonly maxParallel?: number;
}
