/** A *.test.yaml file → a test, or every mistake in it. */
import { existsSync } from 'node:fs';
import { dirname, posix, resolve } from 'node:path';
import type { Json, JsonObject } from '../core/json.js';
import type { Limits } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import { type Fields, type Reading, readFields } from '../load/fields.js';
import { inOrder, takeNotes } from '../load/notes.js';
import { readText } from '../load/text.js';
import { readDuration, readNumber, readString } from '../load/values.js';
import { parseYaml } from '../load/yaml-text.js';
import { toJson, type YamlNode, type YamlPair } from '../load/yaml-tree.js';
import { readChoices } from './read-choices.js';
import { checkInside, pairsOf, readExpect } from './read-expect.js';
import { collectNamed, type Named } from './read-steps.js';
import type { AgentTurns, GateAnswer, SkillTest, Stub, Stubs, TestModel } from './skill-test.js';

/** What a simulation decides by itself. */
const TOLD = ['model', 'turns', 'cassette', 'stubs', 'answers', 'limits'];
const KEYS = ['name', 'query', 'inputs', ...TOLD, 'simulate', 'expect'];

/** @param file absolute */
export function readTest(file: string): { readonly test?: SkillTest; readonly problems: readonly Problem[] } {
  const read = readText(file);
  if (read.type === 'fault') {
    return { problems: [{ severity: 'error', rule: 'test-unreadable', message: read.message, at: read.at }] };
  }
  const { root, problems } = parseYaml(read.source);
  const reading: Reading = { source: read.source, notes: takeNotes() };
  const start = read.source.position(0);
  if (!root && problems.length === 0) reading.notes.error('empty', start, 'The test is empty.');
  const fields = root && readFields(root, { what: 'a test', keys: KEYS }, reading);
  const test = fields && testOf(file, fields, reading);
  // Every simulated run keeps promises, whatever else is expected of it.
  for (const key of fields?.has('simulate') ? ['name'] : ['name', 'expect']) {
    if (fields && !fields.has(key)) reading.notes.error('missing-key', start, `The test needs "${key}".`);
  }
  const all = inOrder([...problems, ...reading.notes.problems]);
  return test && !hasErrors(all) ? { test, problems: all } : { problems: all };
}

function testOf(file: string, fields: Fields, reading: Reading): SkillTest {
  const named = collectNamed(reading.notes);
  const expected = fields.get('expect');
  const inputs = pairsOf(fields.get('inputs'), 'a mapping of inputs', reading);
  return {
    name: readString(fields.get('name'), reading) ?? '',
    file,
    target: dirname(dirname(file)),
    query: readString(fields.get('query'), reading) ?? '',
    inputs: Object.fromEntries(inputs.map(({ key, value }) => [key, toJson(value)])),
    givenInputs: inputs.map(({ key, keySpan }) => ({ name: key, at: keySpan.at })),
    model: readModel(file, fields, named, reading),
    stubs: readStubs(file, fields.get('stubs'), named, reading),
    answers: fields.has('answers') ? readAnswers(fields.get('answers'), named, reading) : undefined,
    limits: readLimits(fields.get('limits'), reading),
    expect: expected ? readExpect(expected, named, reading) : { outputs: [], files: [], tools: [], claims: [] },
    steps: named.steps,
  };
}

function readModel(file: string, fields: Fields, named: Named, reading: Reading): TestModel {
  const { notes } = reading;
  const [model, turns, cassette] = [fields.get('model'), fields.get('turns'), fields.get('cassette')];
  const simulate = fields.get('simulate');
  if (simulate) {
    for (const { key, keySpan } of TOLD.flatMap((one) => fields.get(one) ?? [])) {
      notes.error('two-models', keySpan.at, `"${key}" and "simulate" exclude each other.`, {
        hint: 'A simulation chooses what models, processes and persons do.',
      });
    }
    return { type: 'simulated', choices: readChoices(simulate, reading) };
  }
  const clash = cassette && (turns ?? model);
  if (clash) notes.error('two-models', clash.keySpan.at, `"${clash.key}" and "cassette" exclude each other.`);
  if (cassette) return readCassette(file, cassette, reading);
  const flag = readString(model, reading);
  if (model && flag !== undefined && flag !== 'sketch' && !flag.startsWith('script:')) {
    notes.error('real-model', model.value.at, `A test asks no real model such as "${flag}".`, {
      hint: 'Write model: sketch, or turns, or a cassette of a run with that model.',
    });
  }
  if (turns)
    return {
      type: 'turns',
      turns: readTurns(file, turns, named, reading),
      rest: flag === 'sketch' ? 'sketch' : 'nobody',
    };
  if (flag?.startsWith('script:')) {
    return { type: 'script', flag: `script:${resolve(dirname(file), flag.slice('script:'.length))}` };
  }
  return { type: 'sketch' };
}

function readCassette(file: string, pair: YamlPair, reading: Reading): TestModel {
  const dir = resolve(dirname(file), readString(pair, reading) ?? '.');
  if (!existsSync(resolve(dir, 'cassette.json'))) {
    reading.notes.error('cassette', pair.value.at, `There is no cassette in ${dir}.`, {
      hint: 'Record one: pipeline run … --record <dir>',
    });
  }
  return { type: 'cassette', dir };
}

/** What stands under the key, or in a file beside the test that it names. */
function inPlaceOrFile(
  file: string,
  pair: YamlPair,
  reading: Reading,
): { readonly pair: YamlPair; readonly reading: Reading } | undefined {
  if (pair.value.type !== 'scalar') return { pair, reading };
  const name = readString(pair, reading);
  const read = name === undefined ? undefined : readText(resolve(dirname(file), name));
  if (!read) return undefined;
  if (read.type === 'fault') {
    reading.notes.error('test-unreadable', pair.value.at, `"${pair.key}" cannot be read. ${read.message}`);
    return undefined;
  }
  const { root, problems } = parseYaml(read.source);
  reading.notes.problems.push(...problems);
  return root && { pair: { ...pair, value: root }, reading: { source: read.source, notes: reading.notes } };
}

function readTurns(file: string, written: YamlPair, named: Named, around: Reading): AgentTurns[] {
  const found = inPlaceOrFile(file, written, around);
  if (!found) return [];
  const { pair, reading } = found;
  return pairsOf(pair, 'a mapping of steps to lists of turns', reading).flatMap(({ key, keySpan, value }) => {
    const turns = listOf(value).filter((turn) => isTurn(turn, reading));
    return named.note(key, keySpan.at)
      ? [{ pattern: key, turns: turns.map((turn) => toJson(turn) as JsonObject) }]
      : [];
  });
}

const TURN_KEYS = ['text', 'reasoning', 'resolve', 'calls', 'finish', 'usage', 'delay_ms', 'error'];

function isTurn(node: YamlNode, reading: Reading): boolean {
  return readFields(node, { what: 'a turn', keys: TURN_KEYS }, reading) !== undefined;
}

/** One alone may stand without its list. */
function listOf(node: YamlNode): readonly YamlNode[] {
  return node.type === 'list' ? node.items : [node];
}

function readStubs(file: string, written: YamlPair | undefined, named: Named, around: Reading): Stubs[] {
  const found = written && inPlaceOrFile(file, written, around);
  if (!found) return [];
  const { pair, reading } = found;
  return pairsOf(pair, 'a mapping of steps to what their processes do', reading).flatMap(({ key, keySpan, value }) => {
    const stubs = listOf(value).flatMap((node) => readStub(node, reading) ?? []);
    if (value.type === 'list' && value.items.length === 0) {
      reading.notes.error('wrong-type', value.at, `The stubs of "${key}" are an empty list.`);
    }
    return named.note(key, keySpan.at) ? [{ pattern: key, stubs, at: keySpan.at }] : [];
  });
}

function readStub(node: YamlNode, reading: Reading): Stub | undefined {
  const fields = readFields(node, { what: 'a stub', keys: ['stdout', 'stderr', 'exit', 'files'] }, reading);
  if (!fields) return undefined;
  const stdout = fields.get('stdout');
  const files = pairsOf(fields.get('files'), 'a mapping of paths to what they hold', reading);
  checkStubFiles(files, reading);
  return {
    stdout: stdout ? toJson(stdout.value) : '',
    stderr: readString(fields.get('stderr'), reading) ?? '',
    exit: readNumber(fields.get('exit'), reading, { min: 0, max: 255, integer: true }) ?? 0,
    files: Object.fromEntries(files.map(({ key, value }): [string, Json] => [key, toJson(value)])),
  };
}

/** Each must be a file that can be written beside the others. */
function checkStubFiles(files: readonly YamlPair[], reading: Reading): void {
  const places = new Map<string, string>();
  for (const { key, keySpan } of files) {
    const error = (message: string) => reading.notes.error('stub-file', keySpan.at, message);
    const isInside = checkInside(key, keySpan.at, 'the work folder', 'stub-file', reading);
    const place = posix.normalize(key);
    if (isInside && (place === '.' || place.endsWith('/') || key === '')) {
      error(`"${key}" names a folder: a stub leaves files.`);
      continue;
    }
    for (const [other, written] of places) {
      if (other === place) error(`"${key}" and "${written}" are the same file.`);
      else if (place.startsWith(`${other}/`)) error(`"${written}" is a file, so there can be no "${key}" in it.`);
      else if (other.startsWith(`${place}/`)) error(`"${key}" is no file: "${written}" is in it.`);
    }
    places.set(place, key);
  }
}

function readAnswers(pair: YamlPair | undefined, named: Named, reading: Reading): GateAnswer[] {
  return pairsOf(pair, 'a mapping of gates to answers', reading).flatMap((each): GateAnswer[] => {
    if (!named.note(each.key, each.keySpan.at)) return [];
    const isShort = each.value.type === 'scalar';
    const fields = isShort
      ? undefined
      : readFields(each.value, { what: 'an answer', keys: ['choice', 'comment'] }, reading);
    const chosen = isShort ? each : fields?.get('choice');
    const choice = readString(chosen, reading);
    if (!chosen || choice === undefined) return [];
    const comment = readString(fields?.get('comment'), reading) ?? '';
    return [{ pattern: each.key, choice, comment, at: each.keySpan.at, choiceAt: chosen.value.at }];
  });
}

function readLimits(pair: YamlPair | undefined, reading: Reading): Partial<Limits> {
  const fields =
    pair && readFields(pair.value, { what: '"limits"', keys: ['tokens', 'usd', 'time', 'max_parallel'] }, reading);
  const tokens = readNumber(fields?.get('tokens'), reading, { min: 1, integer: true });
  const usd = readNumber(fields?.get('usd'), reading, { min: 0 });
  const timeMs = readDuration(fields?.get('time'), reading);
  const maxParallel = readNumber(fields?.get('max_parallel'), reading, { min: 1, integer: true });
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(maxParallel === undefined ? {} : { maxParallel }),
  };
}
