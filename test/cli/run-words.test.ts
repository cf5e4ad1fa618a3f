import { expect, it } from 'vitest';
import { madeFiles } from '../../src/cli/made-files.js';
import { forPerson } from '../../src/cli/run-words.js';
import { realModelText } from '../../src/cli/sketch-notice.js';
import { columnsOf } from '../../src/core/columns.js';
import { plainText } from '../../src/core/plain-text.js';

const LINES = [
  'failed: 28 steps, 22 done, 3 failed, 3 skipped, 31 model calls, 25.5k tokens',
  '  try  Make the schema or the asserts easier to satisfy, or raise max_rounds.',
  '  go on  pipeline resume field-guide/between-the-houses --model openai/gpt-5-mini',
];

it('breaks lines between words at a terminal, under their own beginning, and leaves commands whole to be copied', () => {
  const shown = forPerson(LINES, false, 40).split('\n');
  const command = shown.filter((line) => line.includes('pipeline resume'));
  expect(command).toEqual(LINES.slice(2));
  const others = shown.filter((line) => !command.includes(line));
  for (const line of others) expect(columnsOf(line)).toBeLessThanOrEqual(40);
  const hint = others.slice(others.findIndex((line) => line.startsWith('  try')));
  expect(hint.length).toBeGreaterThan(1);
  for (const line of hint.slice(1)) expect(line).toMatch(/^ {9}\S/);
});

it('leaves lines as they are where there is no terminal', () => {
  expect(forPerson(LINES, false, undefined)).toBe(LINES.join('\n'));
});

it('changes no letter by its colours', () => {
  expect(forPerson(LINES, true, undefined)).toContain('\u001b[1;31mfailed:\u001b[0m');
  expect(forPerson(LINES, true, undefined).split('\n').map(plainText)).toEqual(LINES);
});

it('names the files that were published last, each once, and counts the others', () => {
  const files = madeFiles();
  const done = (...paths: string[]) =>
    files.see({
      type: 'step_done',
      seq: 1,
      at: '2026-01-05T09:30:00.000Z',
      path: 'a',
      key: 'k',
      output: null,
      artifacts: paths.map((path) => ({ path, sha256: '', bytes: 1, executable: false })),
      ms: 1,
    });
  done('a.md', 'b.md', 'c.md', 'd.md');
  done('b.md');
  expect(files.made()).toEqual({ newest: ['c.md', 'd.md', 'b.md'], count: 4 });
});

it('says how to get from the sketch to a real model: by a key, or by leaving out what asks for the sketch', () => {
  const env = { ANTHROPIC_API_KEY: 'k' };
  expect(realModelText('--model sketch', env)).toBe(
    'For a real model: leave out --model sketch (ANTHROPIC_API_KEY is set).',
  );
  expect(realModelText('--model sketch', {})).toContain('export OPENAI_API_KEY=…');
  expect(realModelText('the role "default" of the configuration', env)).toContain('export OPENAI_API_KEY=…');
});
