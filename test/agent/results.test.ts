import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { boundResult, resultPath } from '../../src/agent/results.js';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-results-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

it('a result of up to 64 KB reaches the model whole, and leaves no file', () => {
  const text = 'é'.repeat(32 * 1024);
  expect(boundResult(text, '.results/a.txt', '/nowhere')).toBe(text);
});

it('a longer one is told by its start, its end and its size, cut between characters, with the whole in a file', () => {
  const work = folder();
  const text = `START${'é'.repeat(100_000)}END`;
  const path = resultPath('r3-1', 'read_file');
  const shown = boundResult(text, path, work);
  expect(shown).toMatch(/^START/);
  expect(shown).toMatch(/END$/);
  expect(shown).toContain(`of 200008 bytes are left out here; the whole text is the file .results/r3-1-read_file.txt`);
  expect(shown).not.toContain('\uFFFD');
  expect(Buffer.byteLength(shown)).toBeLessThan(66 * 1024);
  expect(readFileSync(join(work, path), 'utf8')).toBe(text);
});

it('a tool name with other characters makes no other path', () => {
  expect(resultPath('r1-1', '../../x y')).toBe('.results/r1-1-______x_y.txt');
});
