/** Pipelines of a test, read and checked. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Compiled, compile } from '../../src/simulate/compiled.js';

/** A folder for one test. */
export function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'simulate-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** @throws what is wrong with it */
export async function compiledAt(target: string, query: string | readonly string[]): Promise<Compiled> {
  const got = await compile({ target, cwd: dirname(target), query, inputs: {} });
  if ('compiled' in got) return got.compiled;
  throw new Error([...got.problems.map(({ message }) => message), ...got.inputs].join('\n'));
}

/** The pipeline of this text, in a folder of its own. */
export async function compiledFrom(text: string, query: string | readonly string[] = 'a question'): Promise<Compiled> {
  const file = join(folder(), 'pipeline.yaml');
  writeFileSync(file, text);
  return compiledAt(file, query);
}
