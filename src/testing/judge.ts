/** What a run did, held against what its test expects. */
import fs from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, parseJson } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import { idsOf } from '../core/step-path.js';
import { names } from '../core/step-pattern.js';
import type { RunReport } from '../request.js';
import { type Mismatch, mismatches } from './match.js';
import type { Observed } from './observed.js';
import type { Expectations, OutputExpectation, StepList } from './skill-test.js';

export type Ran = Exclude<RunReport, { status: 'invalid' }>;

/** One thing that is not as expected. */
export interface Failure {
  /** As a path into `expect`, e.g. `outputs.rounds.audit.verdict`. */
  readonly what: string;
  readonly expected: Json;
  /** Undefined for nothing there: `absent` says what is not. */
  readonly actual: Json | undefined;
  readonly absent?: string;
  /** `expected` is words, and no value. */
  readonly isWish?: true;
}

export function judge(expect: Expectations, report: Ran, seen: Observed): Failure[] {
  return [
    ...values({ status: report.status, exit: report.exit, outcome: report.outcome }, expect),
    ...message(expect.message, report.message),
    ...(expect.result === undefined ? [] : failures('result', mismatches(expect.result, report.result))),
    ...expect.outputs.flatMap((one) => output(one, seen)),
    ...expect.files.flatMap(({ path, value }) => file(path, value, report.dir)),
    ...stepList('ran', expect.ran, [...seen.ran], seen),
    ...stepList('skipped', expect.skipped, [...seen.skipped], seen),
    ...stepList('reused', expect.reused, [...seen.reused], seen),
    ...stepList('failed', expect.failed, seen.failed(), seen),
    ...expect.tools.flatMap(({ pattern, calls }) => tools(pattern, calls, seen)),
    ...values({ calls: report.usage.calls, tokens: report.usage.inputTokens + report.usage.outputTokens }, expect),
  ];
}

type Plain = 'status' | 'exit' | 'outcome' | 'calls' | 'tokens';

function values(actual: Partial<Record<Plain, Json>>, expect: Expectations): Failure[] {
  return Object.entries(actual).flatMap(([what, value]) => {
    const expected = expect[what as Plain];
    return expected === undefined ? [] : failures(what, mismatches(expected, value));
  });
}

function failures(what: string, found: readonly Mismatch[]): Failure[] {
  return found.map(({ place, ...rest }) => ({
    what: [what, ...place].join('.'),
    ...rest,
    ...(rest.actual === undefined ? { absent: 'no such field' } : {}),
  }));
}

export function message(expected: string | undefined, actual: string): Failure[] {
  if (expected === undefined) return [];
  const pattern = /^\/(.*)\/$/s.exec(expected)?.[1];
  const matcher = pattern === undefined ? { contains: expected } : { matches: pattern };
  return failures('message', mismatches(matcher, actual));
}

function output({ key, pattern, place, value }: OutputExpectation, seen: Observed): Failure[] {
  const what = `outputs.${key}`;
  const found = seen.output(pattern);
  if (!found) return [{ what, expected: value, actual: undefined, absent: 'the step never ran' }];
  return failures(what, mismatches(value, valueAt(found.value, place)));
}

function valueAt(value: Json, place: readonly string[]): Json | undefined {
  let here: Json | undefined = value;
  for (const name of place) {
    if (Array.isArray(here)) here = here[Number(name)];
    else here = isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  }
  return here;
}

function file(path: string, expected: Json | undefined, dir: string): Failure[] {
  const what = `files.${path}`;
  const text = readIfThere(join(dir, path));
  if (text === undefined) return [{ what, expected: expected ?? 'a file', actual: undefined, absent: 'no such file' }];
  if (expected === undefined) return [];
  const isText = typeof expected === 'string' || isTextMatcher(expected);
  const actual = isText ? withoutLastBreak(text, expected) : jsonOf(text);
  return failures(what, mismatches(expected, actual));
}

/** These look at a JSON file as text. */
function isTextMatcher(expected: Json): boolean {
  return isObject(expected) && ['matches', 'contains'].some((name) => typeof expected[name] === 'string');
}

function withoutLastBreak(text: string, expected: Json): string {
  return typeof expected === 'string' && !expected.endsWith('\n') ? text.replace(/\r?\n$/, '') : text;
}

function jsonOf(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function readIfThere(path: string): string | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? fs.readFileSync(path, 'utf8') : undefined;
}

function stepList(what: string, list: StepList | undefined, paths: readonly StepPath[], seen: Observed): Failure[] {
  if (!list) return [];
  const missing = list.patterns.filter((pattern) => !paths.some((path) => isMeant(pattern, path, seen)));
  const extra = list.exactly ? paths.filter((path) => !list.patterns.some((one) => isMeant(one, path, seen))) : [];
  if (missing.length === 0 && extra.length === 0) return [];
  return [{ what, expected: [...list.patterns], actual: distinctIds(paths) }];
}

/** A group stands for the steps in it. */
function isMeant(pattern: string, path: StepPath, { known }: Observed): boolean {
  if (names(pattern, path)) return true;
  const parts = path.split('/');
  return parts.some((_, at) => {
    const around = parts.slice(0, at).join('/');
    return known.has(around) && names(pattern, around);
  });
}

/** In their order, each once. */
function distinctIds(paths: readonly StepPath[]): string[] {
  return [...new Set(paths.map((path) => idsOf(path).split('/').at(-1) ?? path))];
}

function tools(pattern: string, calls: readonly string[], seen: Observed): Failure[] {
  const made = seen.pathsOf(pattern).flatMap((path) => seen.tools.get(path) ?? []);
  return failures(`tools.${pattern}`, mismatches([...calls], made));
}
