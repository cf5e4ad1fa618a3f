/** Joins the fragments of streamed tool calls into whole calls. */
import { Fault } from '../core/faults.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { ToolCall } from '../core/model.js';

export interface CallJoiner {
  push(fragment: unknown): void;
  /** After a terminal signal. Arguments that are not JSON are handed on as they are: the caller judges them. */
  finish(uniqueId: (proposed: string | undefined) => string): ToolCall[];
}

interface OpenCall {
  index: number | undefined;
  id: string | undefined;
  name: string;
  /** Joined once, at the end. */
  readonly pieces: string[];
  readonly braces: Braces;
  extra: Record<string, Json>;
}

/**
 * Fragments belong together by `index` where it is given. A new non-empty id opens a new call, also on a used index; so does a name
 * when the last call has its name and its arguments already. Without index and id a fragment continues the last call.
 */
export function createCallJoiner(): CallJoiner {
  const calls: OpenCall[] = [];
  const latestByIndex = new Map<number, OpenCall>();
  const latestById = new Map<string, OpenCall>();

  function find(index: number | undefined, id: string | undefined, name: string): OpenCall | undefined {
    const byId = id === undefined ? undefined : latestById.get(id);
    const candidate =
      index !== undefined ? latestByIndex.get(index) : (byId ?? (id === undefined ? calls.at(-1) : undefined));
    if (!candidate) {
      // An id that comes late, without an index, for a call that began without one.
      const last = calls.at(-1);
      const late = index === undefined && id !== undefined && name === '' && last && last.id === undefined;
      return late ? last : undefined;
    }
    if (id !== undefined && candidate.id !== undefined && candidate.id !== id) return undefined;
    return startsAnother(candidate, id, name) ? undefined : candidate;
  }

  function open(index: number | undefined, id: string | undefined): OpenCall {
    const call: OpenCall = {
      index,
      id,
      name: '',
      pieces: [],
      braces: { depth: 0, inString: false, escaped: false, begun: false },
      extra: {},
    };
    calls.push(call);
    if (index !== undefined) latestByIndex.set(index, call);
    return call;
  }

  return {
    push(fragment) {
      if (!isObject(fragment)) return;
      const { index: rawIndex, id: rawId, function: given } = fragment;
      const index = isCount(rawIndex) || /^\d+$/.test(String(rawIndex)) ? Number(rawIndex) : undefined;
      const id = (typeof rawId === 'string' && rawId !== '') || typeof rawId === 'number' ? String(rawId) : undefined;
      const body = isObject(given) ? given : NOTHING;
      const { name: rawName, arguments: rawArguments } = body;
      const name = typeof rawName === 'string' ? rawName : '';

      const call = find(index, id, name) ?? open(index, id);
      if (id !== undefined) {
        call.id ??= id;
        latestById.set(id, call);
      }
      if (name !== '' && call.name !== name) call.name += name;
      if (rawArguments !== undefined && rawArguments !== null) {
        const piece = typeof rawArguments === 'string' ? rawArguments : JSON.stringify(rawArguments);
        call.pieces.push(piece);
        follow(call.braces, piece);
      }
      if (hasOthers(fragment, OUTSIDE)) {
        const { index: _index, id: _id, type: _type, function: _function, ...unknownFields } = fragment;
        Object.assign(call.extra, unknownFields);
      }
      if (hasOthers(body, INSIDE)) {
        const { name: _name, arguments: _arguments, ...unknownInside } = body;
        call.extra.function = { ...(isObject(call.extra.function) ? call.extra.function : {}), ...unknownInside };
      }
    },
    finish(uniqueId) {
      return calls.flatMap((call) => {
        const text = call.pieces.join('');
        const blank = text.trim() === '';
        if (call.name === '' && blank) return [];
        if (call.name === '') throw new Fault('provider.protocol', 'The model server sent a tool call without a name.');
        const whole = { id: uniqueId(call.id), name: call.name, arguments: blank ? '{}' : text };
        return [Object.keys(call.extra).length > 0 ? { ...whole, extra: call.extra } : whole];
      });
    },
  };
}

const NOTHING: JsonObject = {};
const OUTSIDE = new Set(['index', 'id', 'type', 'function']);
const INSIDE = new Set(['name', 'arguments']);

/** Asked of each fragment, and mostly no: so nothing is copied for it. */
function hasOthers(fields: JsonObject, known: ReadonlySet<string>): boolean {
  for (const name in fields) if (!known.has(name)) return true;
  return false;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a fragment with this name begins a call of its own, although nothing else tells it from the one that is open. */
function startsAnother(call: OpenCall, id: string | undefined, name: string): boolean {
  if (name === '' || call.name === '') return false;
  if (call.name !== name) return call.braces.begun;
  if (id !== undefined && call.index !== undefined) return false;
  // Some proxies repeat the name in every fragment: only whole arguments end a call.
  return call.braces.begun && call.braces.depth === 0;
}

/** Where in a JSON text we are; followed piece by piece, so that "is it whole?" costs nothing. */
interface Braces {
  depth: number;
  inString: boolean;
  escaped: boolean;
  begun: boolean;
}

function follow(braces: Braces, piece: string): void {
  for (let i = 0; i < piece.length; i++) {
    const char = piece[i] as string;
    if ((char <= ' ' || char > '~') && char.trim() === '') continue;
    braces.begun = true;
    if (braces.escaped) braces.escaped = false;
    else if (braces.inString) {
      if (char === '\\') braces.escaped = true;
      else if (char === '"') braces.inString = false;
    } else if (char === '"') braces.inString = true;
    else if (char === '{' || char === '[') braces.depth++;
    else if (char === '}' || char === ']') braces.depth--;
  }
}
