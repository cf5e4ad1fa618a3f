/** Performs a row in a process of its own, so that one that hangs, crashes or eats memory is a fault of the row, not the end of the board. */
import { spawn } from 'node:child_process';

const LIMIT_MS = { small: 180_000, large: 3 * 3_600_000 };

/** @returns the row's figure; a process that did not come to one is a fault, with the last lines that it said */
export function runRow({ script, cli }, order) {
  return new Promise((resolve) => {
    const began = performance.now();
    // A group of its own, so that nothing of a row outlives its limit.
    const child = spawn(process.execPath, [script, JSON.stringify({ ...order, cli })], {
      // What a row lets happen by a relative path happens there.
      cwd: order.dir,
      env: { ...process.env, NO_COLOR: '1', PIPELINE_TEST_CLI: cli, TMPDIR: order.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const endGroup = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    process.once('exit', endGroup);
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      endGroup();
    }, LIMIT_MS[order.size]);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        said[name] = (said[name] + text).slice(-1_000_000);
      });
    }
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      process.off('exit', endGroup);
      endGroup();
      const seconds = (performance.now() - began) / 1_000;
      resolve({ ...(code === 0 ? JSON.parse(said.stdout) : ended(code, signal, isLate, said.stderr)), seconds });
    });
  });
}

function ended(code, signal, isLate, stderr) {
  const how = isLate ? 'did not end within its limit' : `ended with ${signal ?? code}`;
  return { tried: 0, faults: [`the row ${how}: ${stderr.trim().slice(-2_000)}`] };
}
