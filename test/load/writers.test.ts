import { describe, expect, it } from 'vitest';
import { loadText } from './arena.js';

const step = (id: string, more: string) => `  - id: ${id}\n    shell: { run: x }\n    ${more}\n`;
const said = async (...steps: readonly string[]) =>
  (await loadText(`steps:\n${steps.join('')}`)).problems.map(({ message }) => message);

describe('two writers of one file', () => {
  it.each([
    ['a saved file', 'save: a.txt', 'Step "b" saves "a.txt", which step "a" (line 4) saves too.'],
    ['one that a step leaves', 'artifacts: [./a.txt]', 'Step "b" leaves "./a.txt", which step "a" (line 4) saves too.'],
    [
      'a folder',
      'save: a.txt/b',
      'Step "b" saves "a.txt/b", and "a.txt" step "a" (line 4) saves as a file, not as a folder.',
    ],
  ])('are said of %s', async (_, second, message) => {
    expect(await said(step('a', 'save: a.txt'), step('b', second))).toEqual([message]);
  });

  it.each([
    ['a pattern', step('b', 'artifacts: ["*.txt"]')],
    ['one of a folder per item', step('b', 'foreach: [1]\n    save: a.txt')],
  ])('are not said of %s', async (_, second) => {
    expect(await said(step('a', 'save: a.txt'), second)).toEqual([]);
  });

  it('are not said of a step that saves what it left', async () => {
    expect(await said(step('a', 'save: a.txt\n    artifacts: [a.txt]'))).toEqual([]);
  });
});
