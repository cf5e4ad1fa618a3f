/** A pipeline file with values put in place of its own, e.g. `steps.audit.agent.model`: as text, so that all checks see it. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../core/json.js';
import type { Position, Problem } from '../core/problems.js';
import { type Found, findPlace, type Refusal } from './override-path.js';
import { type Piece, spliced } from './spliced.js';
import { type Source, sourceOf } from './text.js';
import { parseYaml } from './yaml-text.js';
import { pairOf, toJson, type YamlMap, type YamlPair } from './yaml-tree.js';

export type Overrides = Readonly<Record<string, string>>;

export interface Overridden {
  readonly source: Source;
  readonly problems: readonly Problem[];
  /** A problem of the new text, at its place in the file; of a value that was set, with the path it was set by. */
  placed(problem: Problem): Problem;
}

/** @param overrides YAML text by path; `steps.<id>` is the step of that id at any depth */
export function override(source: Source, overrides: Overrides): Overridden {
  const problems: Problem[] = [];
  const places = new Map<string, Position>();
  let now = source;
  for (const [path, value] of Object.entries(overrides)) {
    const replaced = replace(now, path, value);
    if ('message' in replaced) problems.push(overrideProblem(path, replaced));
    else {
      places.set(setBy(path), now.position(replaced.at));
      now = spliced(now, replaced);
    }
  }
  const placed = ({ edit: _, ...problem }: Problem): Problem => {
    const place = places.get(problem.at.file);
    if (!place) return problem;
    const message = `${problem.message.replace(/\.$/, '')} (${problem.at.file}).`;
    return placed({ ...problem, at: place, message });
  };
  return { source: now, problems, placed: now === source ? (problem) => problem : placed };
}

export function overrideProblem(path: string, { message, hint }: Refusal): Problem {
  const at = { file: setBy(path), line: 1, column: 1 };
  return { severity: 'error', rule: 'override', message, at, ...(hint ? { hint } : {}) };
}

/** Stands for a file in places of what was set, and in problems of setting it. */
function setBy(path: string): string {
  return `--set ${path}`;
}

interface Replaced extends Piece {
  /** Where a person looks for it. */
  readonly at: number;
}

function replace(source: Source, path: string, value: string): Replaced | Refusal {
  const { root, problems } = parseYaml(source);
  // What is wrong with the file is said when it is read.
  if (!root) return { start: 0, end: 0, text: '', by: setBy(path), at: 0 };
  const given = parseYaml(sourceOf(source.file, value));
  if (!given.root || given.problems.length > 0)
    return { message: `"${value}" is no value.`, hint: 'Put a text with special characters in quotes.' };
  const json = toJson(given.root);
  const found = findPlace(root, path);
  if ('message' in found) return found;
  const piece = { ...pieceFor(source.text, found, JSON.stringify(json)), by: setBy(path) };
  const after = parseYaml(spliced(source, piece));
  const wanted = withValue(toJson(root), [...found.path, found.key], json);
  const isDone =
    after.root && after.problems.length <= problems.length && isDeepStrictEqual(toJson(after.root), wanted);
  if (isDone) return piece;
  return {
    message: `"${found.key}" cannot be set here alone.`,
    hint: 'Write it in the file, without an anchor (&) that other places repeat.',
  };
}

function pieceFor(text: string, { map, key }: Found, json: string): Omit<Replaced, 'by'> {
  const known = pairOf(map, key);
  return known ? inPlaceOf(text, known, json) : inserted(text, map, key, json);
}

/** From the end of the key: a list may begin in the key's own column. */
function inPlaceOf(text: string, { keySpan, value }: YamlPair, json: string): Omit<Replaced, 'by'> {
  const start = keySpan.end;
  const colon = /^\s*:/.exec(text.slice(start))?.[0].length ?? 0;
  const end = Math.max(value.end, start + colon);
  const tail = /\s*$/.exec(text.slice(start + colon, end))?.[0].length ?? 0;
  return { start, end: end - tail, text: `: ${json}`, at: Math.max(value.start, start) };
}

/** Before the first key, in the mapping's own manner. */
function inserted(text: string, map: YamlMap, key: string, json: string): Omit<Replaced, 'by'> {
  const [first] = map.pairs;
  const pair = `${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}: ${json}`;
  if (!first) return { start: map.start, end: map.end, text: `{ ${pair} }`, at: map.start };
  const { start } = first.keySpan;
  const indent = start - (text.lastIndexOf('\n', start - 1) + 1);
  const gap = text[map.start] === '{' ? ', ' : `\n${' '.repeat(indent)}`;
  return { start, end: start, text: pair + gap, at: start };
}

function withValue(json: Json, path: readonly (string | number)[], value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number')
    return Array.isArray(json) ? json.map((item, at) => (at === key ? withValue(item, rest, value) : item)) : json;
  const map = isObject(json) ? json : {};
  return Object.fromEntries([
    ...Object.entries(map).filter(([one]) => one !== key),
    [key, withValue(map[key] ?? null, rest, value)],
  ]);
}
