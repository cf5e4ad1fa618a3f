/** A model request as recordings compare it: all that is asked, with what differs from run to run put by name. */
import { type Json, type JsonObject, never, sha256 } from '../core/json.js';
import type { Image, Message, ModelReply, ModelRequest, ToolCall } from '../core/model.js';

/** Where a run lives and what it is called: the same in no other run. With those of the runs that it was forked from, its own first. */
export interface RunPlaces {
  /** Name → absolute path, e.g. `run.dir`; a path may have two spellings, and names may share one. */
  readonly folders: readonly (readonly [name: string, path: string])[];
  readonly runIds: readonly string[];
  /** A `slug` is its `base`, perhaps with `-2` behind it. */
  readonly slugs: readonly { readonly slug: string; readonly base: string }[];
}

/** Puts names in the place of places, and back again. All text of a recording passes through it. */
export interface Masks {
  mask(text: string): string;
  unmask(text: string): string;
}

/** A reply without the ids of its calls, which are given anew, and without `blocks`, which only its provider reads: a replay asks none. */
export type CanonicalReply = JsonObject;
export interface CanonicalRequest extends JsonObject {
  readonly model: string;
  readonly parameters: JsonObject;
  readonly toolChoice: string;
  readonly system: string;
  readonly tools: readonly JsonObject[];
  /** Images by what they are, not by their bytes. */
  readonly messages: readonly JsonObject[];
  /** Absent where none is asked for. */
  readonly format?: JsonObject;
}

/** An id shorter than this could be a word of the text. */
const SHORTEST_ID = 8;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;

export function createMasks({ folders, runIds, slugs }: RunPlaces): Masks {
  const longestFirst = [...folders].filter(([, path]) => path.length > 1).sort(([, a], [, b]) => b.length - a.length);
  const names = new Map<string, string>();
  for (const [name, path] of longestFirst) if (!names.has(path)) names.set(path, `«${name}»`);
  for (const id of runIds) if (id.length >= SHORTEST_ID) names.set(id, '«run.id»');
  // Behind a path stands a `/` or the end of a name: `/a/run` is no part of `/a/run2` or `/a/run.json`.
  const place = new RegExp(`(?:${[...names.keys()].map(literal).join('|') || '(?!)'})(?![\\w-]|\\.\\w)`, 'g');
  const bases = new Map(slugs.flatMap(({ slug, base }) => (slug === base ? [] : [[slug, base] as const])));
  const numbered = new RegExp(`(?<![\\w-])(?:${[...bases.keys()].map(literal).join('|') || '(?!)'})(?![\\w-])`, 'g');
  const places = new Map<string, string>();
  for (const [name, path] of folders) if (!places.has(`«${name}»`)) places.set(`«${name}»`, path);
  places.set('«run.id»', runIds[0] ?? '');
  const named = new RegExp([...places.keys()].map(literal).join('|'), 'g');
  return {
    mask: (text) =>
      text.replace(place, (found) => names.get(found) ?? found).replace(numbered, (found) => bases.get(found) ?? found),
    unmask: (text) => text.replace(named, (found) => places.get(found) ?? found),
  };
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export function canonicalRequest(request: ModelRequest, masks: Masks): CanonicalRequest {
  const { model, parameters, toolChoice, system, tools, messages, format } = request;
  const whole = {
    model,
    parameters,
    toolChoice,
    system,
    tools: tools.map(({ name, description, parameters: takes }) => ({ name, description, parameters: takes })),
    messages: canonicalMessages(messages),
    ...(format ? { format: { name: format.name, schema: format.schema } } : {}),
  };
  return mapTexts(whole, (text) => masks.mask(text).replace(TIME, '«time»')) as CanonicalRequest;
}

export function canonicalReply(reply: ModelReply, masks: Masks): CanonicalReply {
  const { text, calls, reasoning, finish, usage } = reply;
  const whole: JsonObject = {
    ...(text === '' ? {} : { text }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { calls: calls.map(withoutId) }),
    finish,
    ...(usage ? { usage: { ...usage } } : {}),
  };
  return mapTexts(whole, masks.mask) as CanonicalReply;
}

/** @param given calls that the conversation held before @param suffix makes the ids unique within a run */
export function replyFrom(canonical: CanonicalReply, given: number, suffix: string, masks: Masks): ModelReply {
  const { text = '', calls = [], ...more } = mapTexts(canonical, masks.unmask) as Partial<ModelReply> & JsonObject;
  const numbered = (calls as readonly Omit<ToolCall, 'id'>[]).map((call, at) => ({
    id: `call_${given + at + 1}_${suffix}`,
    ...call,
  }));
  return { ...(more as unknown as Pick<ModelReply, 'finish' | 'reasoning' | 'usage'>), text, calls: numbered };
}

/** The message that a reply becomes in the request after it. */
export function messageOf(reply: CanonicalReply, messages: readonly JsonObject[]): JsonObject {
  const { text = '', calls = [], reasoning } = reply;
  const given = countCalls(messages);
  const numbered = (calls as readonly JsonObject[]).map((call, at) => ({ id: `call ${given + at + 1}`, ...call }));
  const message = { role: 'assistant', text, calls: numbered, ...(reasoning === undefined ? {} : { reasoning }) };
  return mapTexts(message, (one) => one.replace(TIME, '«time»')) as JsonObject;
}

export function countCalls(messages: readonly { readonly [key: string]: unknown }[]): number {
  return messages.reduce((sum, { calls }) => sum + (Array.isArray(calls) ? calls.length : 0), 0);
}

/** Calls are numbered in the order in which they appear. */
function canonicalMessages(messages: readonly Message[]): JsonObject[] {
  const numbers = new Map<string, string>();
  let count = 0;
  const compared = messages.filter((message) => message.role !== 'user' || message.aside !== true);
  return compared.map((message): JsonObject => {
    switch (message.role) {
      case 'user':
        return {
          role: 'user',
          text: message.text,
          ...(message.images?.length ? { images: message.images.map(canonicalImage) } : {}),
        };
      case 'assistant': {
        const calls = message.calls.map((call) => {
          numbers.set(call.id, `call ${++count}`);
          return { id: numbers.get(call.id) ?? '', ...withoutId(call) };
        });
        const { text, reasoning } = message;
        return { role: 'assistant', text, calls, ...(reasoning === undefined ? {} : { reasoning }) };
      }
      case 'tool': {
        const { callId, name, text, error } = message;
        return { role: 'tool', callId: numbers.get(callId) ?? callId, name, text, ...(error ? { error } : {}) };
      }
      default:
        return never(message);
    }
  });
}

const imageHashes = new WeakMap<Image, string>();

function canonicalImage(image: Image): JsonObject {
  const { name, mediaType, base64 } = image;
  const hash = imageHashes.get(image) ?? sha256(Buffer.from(base64, 'base64'));
  imageHashes.set(image, hash);
  return { name, mediaType, sha256: hash };
}

function withoutId({ name, arguments: given, extra }: ToolCall): JsonObject {
  return { name, arguments: given, ...(extra ? { extra } : {}) };
}

/** Every text of a value, at any depth; not the keys. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: Json) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one as Json, change)]));
}
