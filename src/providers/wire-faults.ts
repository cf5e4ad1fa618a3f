/** What a model server says went wrong, as faults with its own words. */
import type { IncomingHttpHeaders } from 'node:http';
import { Fault, type FaultCode } from '../core/faults.js';
import { isObject, parseJson as parseKept } from '../core/json.js';
import type { ModelRequest } from '../core/model.js';

/** Of an error body, for people; the rest is noise. */
const SHOWN_CHARACTERS = 500;

export interface UpstreamError {
  readonly message: string;
  /** `code`, `type` and `status` words, lower case, e.g. `insufficient_quota`. */
  readonly words: readonly string[];
  /** An HTTP status that the error names. */
  readonly status?: number;
}

/** The error in a JSON body or frame: `{error: …}`, `[{error: …}]`, `{object: "error", message}`; undefined if it is none. */
export function upstreamError(value: unknown): UpstreamError | undefined {
  if (Array.isArray(value)) return value.map(upstreamError).find((found) => found !== undefined);
  if (!isObject(value)) return undefined;
  if (value.error !== undefined && value.error !== null && value.error !== false) return describe(value.error);
  if (value.object === 'error' || value.type === 'error') return describe(value);
  return undefined;
}

/** The fault for an `event: error` frame, whatever its data is. */
export function errorFrameFault(data: string, label: string): Fault {
  const value = parseJson(data);
  return streamFault(upstreamError(value) ?? describe(value ?? data), label);
}

/** The fault for a line of a stream that is none of its: an error as plain JSON, a page, a frame that was damaged on its way. */
export function strayLineFault(line: string): Fault {
  const label = 'The model server';
  const error = upstreamError(parseJson(line));
  if (error) return streamFault(error, label);
  return new Fault('provider.protocol', `${label} sent a line that is no event of a stream: ${firstLine(line)}`);
}

/** The fault for an error that came inside a stream with status 200. Unknown ones are taken as passing. */
export function streamFault(error: UpstreamError, label: string): Fault {
  const code = error.status !== undefined ? codeOfStatus(error.status, error.words) : codeOfWords(error.words);
  return new Fault(code, `${label} reported an error in its answer: ${shorten(error.message)}`);
}

/** The fault for a status of 400 or more. `error` has what the client library read from the body. */
export function statusFault(
  status: number,
  body: string,
  headers: IncomingHttpHeaders,
  words: readonly string[],
): Fault {
  const code = codeOfStatus(status, words);
  const retryAfterMs = code === 'provider.refused' ? undefined : readRetryAfterMs(headers);
  const hint = HINTS[status];
  return new Fault(code, `HTTP ${status}: ${shorten(saidIn(body)) || '(no body)'}`, {
    ...(hint && code === 'provider.refused' ? { hint } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** What an error body says to people; the body itself where it is no JSON with a message. */
function saidIn(body: string): string {
  const value = parseJson(body);
  const bare = isObject(value) ? (value.message ?? value.detail) : undefined;
  const said = upstreamError(value)?.message ?? bare;
  return (typeof said === 'string' && said.trim()) || body.trim();
}

/** Of `provider.refused` alone. */
const HINTS: Readonly<Record<number, string>> = {
  401: 'Check the key: OPENAI_API_KEY goes only to the host of OPENAI_BASE_URL (api.openai.com if that is not set).',
  403: 'The key is known but may not use this model or endpoint.',
  404: 'Check the model id and the base URL, which usually ends in /v1.',
  413: 'The conversation is too large for this server.',
};

/** The fault for a refusal, with what to do where it is about the images of the request. */
export function imagesRefused(fault: Fault, { messages }: ModelRequest, body: string): Fault {
  const sent = messages.some((message) => message.role === 'user' && (message.images ?? []).length > 0);
  const refused = fault.data.code === 'provider.refused' ? IMAGES.test(body) : BLIND.test(body);
  if (!sent || !refused) return fault;
  return new Fault('provider.refused', fault.message, {
    hint: 'The model probably cannot see: name one that takes images, or leave the images out of the step.',
  });
}

const IMAGES = /image|vision|multi-?modal/i;
/** llama.cpp says it with status 500. */
const BLIND = /images?( input)? (is|are) not supported|not support images?/i;

/** Milliseconds to wait, from `Retry-After-Ms`, or `Retry-After` in seconds or as a date (RFC 9110, measured by the server's own clock). */
export function readRetryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const serverNow = Date.parse(headers.date ?? '');
  return Math.max(0, at - (Number.isNaN(serverNow) ? Date.now() : serverNow));
}

/** Nothing of less is nested deeper than what `parseKept` lets through: two brackets a level. */
const SHALLOW_CHARACTERS = 512;

/** Undefined for what is no JSON, or is nested so deep that whatever walks it would run out of stack. */
export function parseJson(text: string): unknown {
  try {
    return text.length <= SHALLOW_CHARACTERS ? JSON.parse(text) : parseKept(text);
  } catch {
    return undefined;
  }
}

export function firstLine(text: string): string {
  return shorten(text.trimStart().split(/[\r\n]/, 1)[0] ?? '');
}

function describe(error: unknown): UpstreamError {
  if (typeof error === 'string') return { message: error, words: [] };
  if (!isObject(error)) return { message: JSON.stringify(error) ?? 'unknown', words: [] };
  const fields = [error.code, error.type, error.status];
  const status = [error.code, error.status].map(Number).find((number) => number >= 400 && number < 600);
  const text = error.message ?? error.detail ?? error.error;
  return {
    message: typeof text === 'string' ? text : JSON.stringify(text ?? error),
    words: fields.filter((field) => typeof field === 'string').map((field) => field.toLowerCase()),
    ...(status === undefined ? {} : { status }),
  };
}

function codeOfStatus(status: number, words: readonly string[]): FaultCode {
  if (status === 402) return 'provider.exhausted';
  if (status < 500 && words.some((word) => EXHAUSTED.test(word))) return 'provider.exhausted';
  if (status === 408 || status === 409 || status === 429 || status >= 500) return 'provider.overloaded';
  return 'provider.refused';
}

function codeOfWords(words: readonly string[]): FaultCode {
  if (words.some((word) => EXHAUSTED.test(word))) return 'provider.exhausted';
  if (words.some((word) => REFUSED.test(word))) return 'provider.refused';
  return 'provider.overloaded';
}

const EXHAUSTED =
  /insufficient_(quota|balance|credits)|billing_(hard_limit|not_active)|quota_exhausted|exceeded_current_quota|usage_limit_reached|arrearage/i;
const REFUSED = /invalid|authentication|permission|not_found|context_length|unsupported|forbidden|unauthorized/;

function shorten(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
