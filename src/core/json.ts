/** JSON values: their type, their one canonical text (RFC 8785) and their hash. */
import { hash } from 'node:crypto';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
/** A JSON Schema, draft 7 or 2020-12. */
export type JsonSchema = boolean | JsonObject;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same text for equal values, whatever the order of their keys (RFC 8785: keys by UTF-16 code units). */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const one of value) text += `${text === '' ? '' : ','}${canonicalJson(one)}`;
    return `[${text}]`;
  }
  // Without a function of its own, a sort is by code units.
  for (const key of Object.keys(value).sort()) {
    const one = (value as JsonObject)[key];
    if (one === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(one)}`;
  }
  return `{${text}}`;
}

/** Deeper values are refused: whatever walks them would run out of stack. */
const MAX_DEPTH = 256;

/** Text from a process, a model or a command line, as JSON that can be kept: throws a SyntaxError for what cannot. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  const open: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next;
    if (typeof one === 'number' && !Number.isFinite(one))
      throw new SyntaxError('a number in it is too large to be held');
    if (typeof one !== 'object' || one === null) continue;
    if (depth >= MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH} levels`);
    for (const inner of Object.values(one) as Json[]) open.push({ value: inner, depth: depth + 1 });
  }
  return value;
}

/** Undefined for a text that is no JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Lower-case hex, 64 characters. */
export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}

/** For `default:` of a switch over a closed union: a forgotten case does not compile. */
export function never(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
