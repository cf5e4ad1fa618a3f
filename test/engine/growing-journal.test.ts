import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { growingJournal } from '../../src/engine/growing-journal.js';
import { encode } from '../../src/engine/journal-line.js';

const record = (seq: number): Recorded => ({ seq, at: '2030-01-02T03:04:05.678Z', type: 'notice', text: `n${seq}` });

function journalFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-growing-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'events.ndjson');
}

const seqs = (records: readonly Recorded[]) => records.map(({ seq }) => seq);

it('tells each record once, as soon as its line is whole', () => {
  const file = journalFile();
  const journal = growingJournal(file);
  expect(journal.read()).toEqual([]);
  const [first, second] = [encode(record(1)), encode(record(2))];
  writeFileSync(file, first + second.slice(0, 20));
  expect(journal.read()).toEqual([record(1)]);
  appendFileSync(file, second.slice(20));
  expect(seqs(journal.read())).toEqual([2]);
  expect(journal.read()).toEqual([]);
});

it('reads on where a resume has cut off what a crash left, however long that was', () => {
  const file = journalFile();
  const journal = growingJournal(file);
  writeFileSync(file, `${encode(record(1))}{"seq":2,"at":"half a li`);
  expect(seqs(journal.read())).toEqual([1]);
  truncateSync(file, encode(record(1)).length);
  appendFileSync(file, encode(record(2)));
  expect(seqs(journal.read())).toEqual([2]);
});

it('refuses a journal of a newer format by name', () => {
  const file = journalFile();
  const journal = growingJournal(file);
  writeFileSync(file, encode({ seq: 1, at: '', type: 'run_started', format: 99 } as unknown as Recorded));
  expect(() => journal.read()).toThrow('format 99; this version reads format 1');
});

it('refuses a journal with a hole in it', () => {
  const file = journalFile();
  const journal = growingJournal(file);
  writeFileSync(file, `${encode(record(1))}what is this\n${encode(record(3))}`);
  expect(() => journal.read()).toThrow('is damaged at line 2');
});
