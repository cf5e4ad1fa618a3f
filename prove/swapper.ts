/** A thread that swaps a folder for a link that leads out, and back, as fast as it can. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

const SWAPPER = `
  const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData, parentPort } = require('node:worker_threads');
  const { dir, aside, outside } = workerData;
  parentPort.postMessage('ready');
  const flag = new Int32Array(workerData.flag);
  let swaps = 0;
  while (Atomics.load(flag, 0) === 0) {
    try {
      renameSync(dir, aside);
      symlinkSync(outside, dir);
      swaps++;
      unlinkSync(dir);
      renameSync(aside, dir);
      for (let pause = Math.random() * 40_000; pause > 0; pause--);
    } catch {
      // A tool has made the folder anew in between.
      try { rmSync(dir, { recursive: true, force: true }); } catch {}
      try { renameSync(aside, dir); } catch {}
    }
  }
  parentPort.postMessage(swaps);`;

/**
 * @param where.aside a path on the same file system, for the folder in the meantime
 * @returns what ends it, and gives how often it swapped
 */
export async function swapping(where: {
  readonly dir: string;
  readonly aside: string;
  readonly outside: string;
}): Promise<() => Promise<number>> {
  const flag = new SharedArrayBuffer(4);
  const thread = new Worker(SWAPPER, { eval: true, workerData: { ...where, flag } });
  onTestFinished(() => void thread.terminate());
  await once(thread, 'message');
  return async () => {
    Atomics.store(new Int32Array(flag), 0, 1);
    const [swaps] = (await once(thread, 'message')) as [number];
    return swaps;
  };
}
