/** JSON values: their type, their one canonical text (RFC 8785) and their hash. */
import { createHash } from 'node:crypto';

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
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const members = keys
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex, 64 characters. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}

/** For `default:` of a switch over a closed union: a forgotten case does not compile. */
export function never(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
