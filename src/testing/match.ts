/** Whether a value is what a test expects: listed keys must match, lists exactly, or a matcher says what is enough. */
import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.js';

export interface Mismatch {
  /** Below what was expected: keys and indices. */
  readonly place: readonly (string | number)[];
  /** The value, or what a matcher asks for, in words. */
  readonly expected: Json;
  /** Undefined for nothing there. */
  readonly actual: Json | undefined;
  /** `expected` is words: what a matcher asks for. */
  readonly isWish?: true;
}

/** A mapping with nothing but these keys is no value but says what is enough. */
const MATCHERS = ['matches', 'contains', 'length', 'any', 'min', 'max'];

export function mismatches(expected: Json, actual: Json | undefined, place: Mismatch['place'] = []): Mismatch[] {
  if (isMatcher(expected)) return matcherMismatches(expected, actual, place);
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      mismatches(value, Object.hasOwn(actual, key) ? actual[key] : undefined, [...place, key]),
    );
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return [{ place, expected, actual }];
    return expected.flatMap((value: Json, at) => mismatches(value, actual[at], [...place, at]));
  }
  const isEqual = actual !== undefined && canonicalJson(expected) === canonicalJson(actual);
  return isEqual ? [] : [{ place, expected, actual }];
}

export function isMatcher(value: Json): value is JsonObject {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  return (
    keys.length > 0 &&
    keys.every((key) => MATCHERS.includes(key)) &&
    keys.every((key) => isMeant(key, value[key] as Json))
  );
}

function isMeant(key: string, value: Json): boolean {
  switch (key) {
    case 'matches':
      return typeof value === 'string';
    case 'any':
      return value === true;
    case 'length':
      return typeof value === 'number' || isMatcher(value);
    case 'min':
    case 'max':
      return typeof value === 'number';
    default:
      return true;
  }
}

function matcherMismatches(matcher: JsonObject, actual: Json | undefined, place: Mismatch['place']): Mismatch[] {
  return Object.entries(matcher).flatMap(([name, value]): Mismatch[] => {
    if (name === 'length' && isMatcher(value)) return lengthMismatches(value, actual, place);
    return holds(name, value, actual) ? [] : [{ place, expected: spoken(name, value), actual, isWish: true }];
  });
}

function lengthMismatches(wanted: JsonObject, actual: Json | undefined, place: Mismatch['place']): Mismatch[] {
  const length = lengthOf(actual);
  return mismatches(wanted, length, place).map((one) => ({
    ...one,
    actual,
    expected: `${String(one.expected)} as its length`,
  }));
}

function holds(name: string, value: Json, actual: Json | undefined): boolean {
  if (actual === undefined) return false;
  switch (name) {
    case 'matches':
      return new RegExp(String(value), 'u').test(textOf(actual));
    case 'contains':
      return contains(actual, value);
    case 'length':
      return lengthOf(actual) === value;
    case 'min':
      return typeof actual === 'number' && actual >= Number(value);
    case 'max':
      return typeof actual === 'number' && actual <= Number(value);
    default:
      return actual !== null;
  }
}

/** A text holds a text, a list an item like this one; of a list of wishes each. */
function contains(actual: Json, wanted: Json): boolean {
  if (Array.isArray(wanted)) return wanted.every((one: Json) => contains(actual, one));
  if (Array.isArray(actual)) return actual.some((item: Json) => mismatches(wanted, item).length === 0);
  return textOf(actual).includes(textOf(wanted));
}

function lengthOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function spoken(name: string, value: Json): string {
  const text = JSON.stringify(value);
  switch (name) {
    case 'matches':
      return `a match of /${String(value)}/`;
    case 'contains':
      return `something with ${text}`;
    case 'length':
      return `a length of ${text}`;
    case 'min':
      return `at least ${text}`;
    case 'max':
      return `at most ${text}`;
    default:
      return 'anything but nothing';
  }
}
