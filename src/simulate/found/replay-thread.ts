/** A simulated test in a thread of this program: node:fs is that of the machine for all the others. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Failure } from '../../testing/judge.js';
import { readTest } from '../../testing/read-test.js';
import type { SkillTest } from '../../testing/skill-test.js';
import { onDisk } from '../disk/on-disk.js';
import { replay } from './replay.js';

/** What a thread is told: plain data. */
interface Replaying {
  /** Of the test; absolute. */
  readonly file: string;
  readonly cwd: string;
  readonly skillsDirs: readonly string[];
}

type Told =
  | { readonly type: 'failures'; readonly failures: readonly Failure[] }
  | { readonly type: 'failed'; readonly message: string };

/** Whether this thread is one that `replayInThread` has started: it then performs its test, and nothing else. */
export async function isReplay(): Promise<boolean> {
  const data = workerData as { readonly replay?: Replaying } | null;
  if (isMainThread || !data?.replay) return false;
  const { file, ...around } = data.replay;
  const tell = (told: Told) => parentPort?.postMessage(told);
  try {
    const { test } = readTest(file);
    if (!test) throw new Error(`${file} cannot be read any more`);
    tell({ type: 'failures', failures: await onDisk((disk) => replay(test, around, disk)) });
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
  return true;
}

/** @param program the command line's own file, which the thread begins with */
export function replayInThread(
  { file, target }: SkillTest,
  around: { readonly cwd: string; readonly skillsDirs?: readonly string[] },
  program: string,
  signal: AbortSignal,
): Promise<readonly Failure[]> {
  const data: Replaying = { file, cwd: around.cwd, skillsDirs: around.skillsDirs ?? [] };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(program, { argv: ['simulate', target], workerData: { replay: data } });
    const stop = () => void worker.terminate();
    signal.addEventListener('abort', stop, { once: true });
    const failed = (message: string) =>
      resolve([
        { what: 'status', expected: 'a run', actual: 'not run' },
        { what: 'because', expected: '', actual: message },
      ]);
    worker.on('message', (told: Told) => {
      if (told.type === 'failures') resolve(told.failures);
      else failed(told.message);
    });
    worker.on('error', (error) => failed(error.message));
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else failed('its thread ended without saying why');
    });
  });
}
