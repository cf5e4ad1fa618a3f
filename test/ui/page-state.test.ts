import { describe, expect, it } from 'vitest';
import type { KnownRun } from '../../src/ui/known-runs.js';
import { knownRuns } from '../../src/ui/known-runs.js';
import { pageStates } from '../../src/ui/page-state.js';
import { project } from '../support/project.js';

async function finishedRun() {
  const place = project({ 'pipeline.yaml': 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\n' });
  const { dir } = await place.run();
  const [run] = knownRuns([place.dir]).all();
  if (!run) throw new Error(`no run was found in ${dir}`);
  return { place, run };
}

describe('the state of a run on its page', () => {
  it('changes with the clock while a process is at work, since what is at work takes longer', async () => {
    const { run } = await finishedRun();
    let nowMs = 0;
    const stateOf = pageStates(() => nowMs);
    const states = (one: KnownRun) =>
      [0, 4_999, 5_000, 10_000].map((ms) => {
        nowMs = ms;
        return stateOf(one);
      });
    expect(new Set(states(run)).size).toBe(1);
    const [first, second, ...later] = states({ ...run, status: 'running' });
    expect(second).toBe(first);
    expect(new Set([first, ...later]).size).toBe(3);
  });

  it('changes with what is written of the run', async () => {
    const { place, run } = await finishedRun();
    const stateOf = pageStates();
    const before = stateOf(run);
    expect(stateOf(run)).toBe(before);
    place.write('skill_run/t/a-query/run.json', `${place.read('skill_run/t/a-query/run.json')} `);
    expect(stateOf(run)).not.toBe(before);
  });
});
