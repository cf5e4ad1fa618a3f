/** Reads what a test expects. */
import type { Json } from '../core/json.js';
import type { Position } from '../core/problems.js';
import { type Fields, type Reading, readFields } from '../load/fields.js';
import { readChoice, readNumber, readString, readTexts } from '../load/values.js';
import { describeNode, toJson, type YamlNode, type YamlPair } from '../load/yaml-tree.js';
import { readClaims } from './claims.js';
import type { Named } from './read-steps.js';
import type { Expectations, OutputExpectation, StepList } from './skill-test.js';

const KEYS = [
  'status',
  'exit',
  'outcome',
  'message',
  'result',
  'outputs',
  'files',
  'ran',
  'skipped',
  'reused',
  'failed',
  'tools',
  'calls',
  'tokens',
  'always',
  'never',
];
const STATUSES = ['done', 'failed', 'partial', 'refused', 'limit', 'waiting', 'cancelled', 'invalid'] as const;

export function readExpect(pair: YamlPair, named: Named, reading: Reading): Expectations {
  const fields = readFields(pair.value, { what: '"expect"', keys: KEYS }, reading);
  if (!fields) return { outputs: [], files: [], tools: [], claims: [] };
  if (fields.size === 0) {
    reading.notes.error('missing-key', pair.keySpan.at, '"expect" expects nothing.', { hint: 'Write status: done.' });
  }
  const status = readChoice(fields.get('status'), STATUSES, reading);
  const exit = readNumber(fields.get('exit'), reading, { min: 0, max: 255, integer: true });
  const message = readMessage(fields.get('message'), reading);
  const lists = (['ran', 'skipped', 'reused', 'failed'] as const).flatMap((key) => {
    const list = readStepList(fields.get(key), named, reading);
    return list ? [[key, list] as const] : [];
  });
  return {
    ...(status === undefined ? {} : { status }),
    ...(exit === undefined ? {} : { exit }),
    ...(message === undefined ? {} : { message }),
    ...values(fields, ['outcome', 'result', 'calls', 'tokens'], reading),
    ...Object.fromEntries(lists),
    outputs: readOutputs(fields.get('outputs'), named, reading),
    files: readFiles(fields.get('files'), reading),
    tools: readTools(fields.get('tools'), named, reading),
    claims: (['always', 'never'] as const).flatMap((holds) => readClaims(fields.get(holds), holds, reading)),
  };
}

function values(fields: Fields, keys: readonly string[], reading: Reading): Record<string, Json> {
  const found: Record<string, Json> = {};
  for (const key of keys) {
    const pair = fields.get(key);
    if (!pair || pair.value.type === 'broken') continue;
    checkPatterns(pair.value, reading);
    found[key] = toJson(pair.value);
  }
  return found;
}

function readMessage(pair: YamlPair | undefined, reading: Reading): string | undefined {
  const text = readString(pair, reading);
  const pattern = text === undefined ? undefined : /^\/(.*)\/$/s.exec(text)?.[1];
  if (pair && pattern !== undefined) checkPattern(pattern, pair.value, reading);
  return text;
}

/** Every `matches` below holds a regular expression. */
function checkPatterns(node: YamlNode, reading: Reading): void {
  if (node.type === 'list') for (const item of node.items) checkPatterns(item, reading);
  if (node.type !== 'map') return;
  for (const { key, value } of node.pairs) {
    if (key === 'matches' && value.type === 'scalar' && typeof value.value === 'string')
      checkPattern(value.value, value, reading);
    checkPatterns(value, reading);
  }
}

function checkPattern(pattern: string, node: YamlNode, { notes }: Reading): void {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    notes.error('pattern', node.at, `This is no regular expression: ${(error as Error).message}.`);
  }
}

function readOutputs(pair: YamlPair | undefined, named: Named, reading: Reading): OutputExpectation[] {
  return pairsOf(pair, 'a mapping of steps to values', reading).flatMap(
    ({ key, keySpan, value }): OutputExpectation[] => {
      const [head = '', ...place] = key.split('.');
      checkPatterns(value, reading);
      return named.note(head, keySpan.at) ? [{ key, pattern: head, place, value: toJson(value), at: keySpan.at }] : [];
    },
  );
}

function readFiles(pair: YamlPair | undefined, reading: Reading): Expectations['files'] {
  if (pair?.value.type === 'list') {
    const items = readTexts(pair, reading, 'a list of paths') ?? [];
    for (const { text, at } of items) checkInside(text, at, 'the run folder', 'expected-file', reading);
    return items.map(({ text }) => ({ path: text, value: undefined }));
  }
  const files = pairsOf(pair, 'a list of paths, or a mapping of paths to what they hold', reading);
  return files.map(({ key, keySpan, value }) => {
    checkInside(key, keySpan.at, 'the run folder', 'expected-file', reading);
    checkPatterns(value, reading);
    return { path: key, value: toJson(value) };
  });
}

/** A test neither writes nor reads anything else. */
export function checkInside(path: string, at: Position, folder: string, rule: string, { notes }: Reading): boolean {
  const isInside = !/^(?:[/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..');
  if (!isInside) notes.error(rule, at, `"${path}" is no path in ${folder}.`);
  return isInside;
}

/** A list holds all there are; `{ contains: […] }` some of them. */
function readStepList(pair: YamlPair | undefined, named: Named, reading: Reading): StepList | undefined {
  if (!pair || pair.value.type === 'broken') return undefined;
  const isSome = pair.value.type === 'map';
  const some = isSome
    ? readFields(pair.value, { what: `"${pair.key}"`, keys: ['contains'] }, reading)?.get('contains')
    : pair;
  const items = readTexts(some, reading, 'a list of steps') ?? [];
  return { patterns: items.flatMap(({ text, at }) => (named.note(text, at) ? [text] : [])), exactly: !isSome };
}

function readTools(pair: YamlPair | undefined, named: Named, reading: Reading): Expectations['tools'] {
  return pairsOf(pair, 'a mapping of steps to lists of tools', reading).flatMap((each) => {
    const calls = readTexts(each, reading, 'a list of tools')?.map(({ text }) => text) ?? [];
    return named.note(each.key, each.keySpan.at) ? [{ pattern: each.key, calls }] : [];
  });
}

export function pairsOf(pair: YamlPair | undefined, what: string, { notes }: Reading): readonly YamlPair[] {
  if (!pair || pair.value.type === 'broken') return [];
  if (pair.value.type === 'map') return pair.value.pairs;
  notes.error('wrong-type', pair.value.at, `"${pair.key}" must be ${what}, not ${describeNode(pair.value)}.`);
  return [];
}
