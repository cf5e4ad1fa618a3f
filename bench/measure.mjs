/** Runs programs, takes medians, prints rows: what all measurements share. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { epochMs } from './mock.mjs';

const PEAK = fileURLToPath(new URL('peak.cjs', import.meta.url));

/**
 * Runs Node with these arguments to its end; throws when it fails. `peakMb` is NaN unless `withPeak`, which loads one small file more.
 * @returns {Promise<{ begunMs: number, ms: number, peakMb: number, stdout: string }>}
 */
export function runNode(args, { cwd, env, withPeak = false }) {
  return new Promise((resolve, reject) => {
    const begunMs = epochMs();
    const all = withPeak ? ['--require', PEAK, ...args] : args;
    const child = spawn(process.execPath, all, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const said = ['', '', '', ''];
    for (const fd of [1, 2, 3]) {
      child.stdio[fd].on('data', (text) => {
        said[fd] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      const [, stdout, stderr, peak] = said;
      if (code === 0) resolve({ begunMs, ms: epochMs() - begunMs, peakMb: Number.parseFloat(peak), stdout });
      else reject(new Error(`node ${args.join(' ')} exited with ${code}: ${stderr.slice(-500)}`));
    });
  });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const NAME_COLUMNS = 52;

export function printHead(name) {
  console.log(
    name.padEnd(NAME_COLUMNS) + ['ours', 'floor', 'ratio', 'target'].map((text) => text.padStart(8)).join(''),
  );
}

export function printRow(name, target, { ours, floor }) {
  const ratio = ours / floor;
  const columns = [ours.toFixed(1), floor.toFixed(1), ratio.toFixed(2), target.toFixed(2)];
  const verdict = ratio <= target ? 'within' : 'above';
  console.log(`${name.padEnd(NAME_COLUMNS)}${columns.map((text) => text.padStart(8)).join('')}  ${verdict}`);
}
