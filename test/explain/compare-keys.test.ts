import { expect, it } from 'vitest';
import { hashJson, type Json } from '../../src/core/json.js';
import { keyLines } from '../../src/explain/change-text.js';
import { comparedKeys } from '../../src/explain/compare-keys.js';

function keyed(values: Readonly<Record<string, Json>>, hashes: Readonly<Record<string, string>> = {}) {
  const parts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hashJson(value)]));
  return { parts: { ...parts, ...hashes }, values };
}

function told(...[before, now]: Parameters<typeof comparedKeys>): string[] {
  return keyLines(comparedKeys(before, now), 12, false);
}

it('finds nothing in equal keys', () => {
  const one = keyed({ 'config.prompt': 'a' }, { scripts: '1' });
  expect(told(one, one)).toEqual([]);
});

it('says model, host and parameters apart, and not the role as well', () => {
  const before = keyed({ 'config.model': 'judge', model: ['openai/a', 'h1', { temperature: 0.2 }] });
  const now = keyed({ 'config.model': 'best', model: ['openai/b', 'h2', { temperature: 0.7 }] });
  expect(told(before, now)).toEqual([
    'model openai/a → openai/b',
    'model host h1 → h2',
    'model parameter temperature 0.2 → 0.7',
  ]);
});

it('says of an assert whether it or what it reads changed', () => {
  const one = keyed({ 'assert.1': ['output.n > steps.a.output', [1]] });
  expect(told(one, keyed({ 'assert.1': ['output.n > steps.a.output', [2]] }))).toEqual([
    'what assert 1 reads changed: [0] 1 → 2',
  ]);
  expect(told(one, keyed({ 'assert.1': ['output.n > 5', []] }))).toEqual([
    'assert 1 changed',
    '  1 - output.n > steps.a.output',
    '  1 + output.n > 5',
  ]);
});

it('names a file, a tool and scripts of which only the hash is known', () => {
  const before = keyed({}, { 'file.prompts/x.md': '1', 'tool.read_file': '1', scripts: '1' });
  const now = keyed({}, { 'file.prompts/x.md': '2', scripts: '2', 'tool.write_file': '1' });
  expect(told(before, now)).toEqual([
    'file prompts/x.md changed',
    'scripts changed',
    'tool write_file is new',
    'tool read_file is gone',
  ]);
});

it('falls back to the hashes where a side file is gone', () => {
  const now = keyed({ output: { type: 'string' } });
  expect(told({ ...keyed({ output: true }), values: {} }, now)).toEqual(['output schema changed']);
});

it('shows at most twelve lines', () => {
  const text = (word: string) => Array.from({ length: 40 }, (_, at) => `${word} ${at}`).join('\n');
  const lines = told(keyed({ 'config.prompt': text('a') }), keyed({ 'config.prompt': text('b') }));
  expect(lines).toHaveLength(14);
  expect(lines.at(-1)).toBe('  … 68 more');
});
