import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { endLeftovers, findLeftovers, MARKER_VARIABLE } from '../../src/process/group.js';

it('finds and ends what a run that died has left, and nothing of another run', async () => {
  const run = `dead-${process.pid}`;
  const start = (marker: string) =>
    spawn('sleep', ['300'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, [MARKER_VARIABLE]: marker },
    });
  const ours = [start(`${run}.1`), start(`${run}.22`)];
  const other = start(`${run}x.1`);
  await Promise.all([...ours, other].map((child) => once(child, 'spawn')));

  expect([...findLeftovers(run)].sort()).toEqual(ours.map((child) => child.pid).sort());
  expect(await endLeftovers(run)).toBe(2);
  expect(findLeftovers(run)).toEqual([]);
  expect(findLeftovers(`${run}x`)).toEqual([other.pid]);
  other.kill();
});
