/** A *.sim.yaml file: what an author claims of every run, and what the simulated runs are given. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../core/json.js';
import { hasErrors, type Position, type Problem } from '../core/problems.js';
import { type Reading, readFields } from '../load/fields.js';
import { inOrder, takeNotes } from '../load/notes.js';
import { readText } from '../load/text.js';
import { readString, readTexts } from '../load/values.js';
import { parseYaml } from '../load/yaml-text.js';
import { toJson, type YamlPair } from '../load/yaml-tree.js';
import { type Claim, readClaims } from '../testing/claims.js';
import { pairsOf } from '../testing/read-expect.js';

export interface Simulation {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** Of which each run is given one; empty where the file names none. */
  readonly queries: readonly string[];
  readonly inputs: Readonly<Record<string, Json>>;
  /** Where each of them stands. */
  readonly givenInputs: readonly { readonly name: string; readonly at: Position }[];
  readonly claims: readonly Claim[];
}

const KEYS = ['name', 'query', 'inputs', 'always', 'never'];
export const SIM_FILE = /\.sim\.ya?ml$/;

/** @param dir of the skill, or of the pipeline file */
export function simulationsIn(dir: string): {
  readonly simulations: readonly Simulation[];
  readonly problems: readonly Problem[];
} {
  const folder = join(dir, 'tests');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => SIM_FILE.test(name)) : [];
  const read = names.sort().map((name) => readSimulation(join(folder, name)));
  return {
    simulations: read.flatMap(({ simulation }) => simulation ?? []),
    problems: read.flatMap(({ problems }) => problems),
  };
}

/** @param file absolute */
export function readSimulation(file: string): {
  readonly simulation?: Simulation;
  readonly problems: readonly Problem[];
} {
  const read = readText(file);
  if (read.type === 'fault') {
    return { problems: [{ severity: 'error', rule: 'test-unreadable', message: read.message, at: read.at }] };
  }
  const { root, problems } = parseYaml(read.source);
  const reading: Reading = { source: read.source, notes: takeNotes() };
  if (!root && problems.length === 0) {
    reading.notes.error('empty', read.source.position(0), 'The simulation is empty: it needs "always" or "never".');
  }
  const fields = root && readFields(root, { what: 'a simulation', keys: KEYS }, reading);
  const inputs = pairsOf(fields?.get('inputs'), 'a mapping of inputs', reading);
  const name = readString(fields?.get('name'), reading);
  const queries = readQueries(fields?.get('query'), reading);
  const claims = (['always', 'never'] as const).flatMap((holds) => readClaims(fields?.get(holds), holds, reading));
  if (fields && !fields.has('always') && !fields.has('never')) {
    reading.notes.error(
      'missing-key',
      read.source.position(0),
      'A simulation claims something: it needs "always" or "never".',
    );
  }
  if (fields && !fields.has('name')) {
    reading.notes.error('missing-key', read.source.position(0), 'The simulation needs "name".');
  }
  const all = inOrder([...problems, ...reading.notes.problems]);
  if (!fields || hasErrors(all)) return { problems: all };
  return {
    problems: all,
    simulation: {
      name: name ?? '',
      file,
      queries,
      inputs: Object.fromEntries(inputs.map(({ key, value }) => [key, toJson(value)])),
      givenInputs: inputs.map(({ key, keySpan }) => ({ name: key, at: keySpan.at })),
      claims,
    },
  };
}

/** A text, or a list of texts with at least one. */
function readQueries(pair: YamlPair | undefined, reading: Reading): string[] {
  if (pair?.value.type === 'scalar' && typeof pair.value.value === 'string') return [pair.value.value];
  const texts = readTexts(pair, reading, 'a text or a list of texts');
  if (texts?.length === 0 && pair?.value.type === 'list' && pair.value.items.length === 0) {
    reading.notes.error('out-of-bounds', pair.value.at, 'A list of queries has at least one.');
  }
  return texts?.map(({ text }) => text) ?? [];
}
