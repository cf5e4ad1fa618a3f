import { describe, expect, it } from 'vitest';
import type { ListedRun } from '../../src/cli/runs.js';
import { type Criteria, criteriaOf, fittingRuns } from '../../src/cli/runs-prune.js';
import type { Fault } from '../../src/core/faults.js';
import type { RunFile } from '../../src/engine/run-file.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-03-31T00:00:00Z');

function listed(name: string, status: ListedRun['status'], daysAgo: number): ListedRun {
  const ended = new Date(NOW_MS - daysAgo * DAY_MS).toISOString();
  return { label: name, dir: `/p/skill_run/${name}`, run: { started: ended, ended } as RunFile, status };
}

const ALL = [
  listed('essay/old', 'done', 40),
  listed('essay/middle', 'failed', 20),
  listed('essay/new', 'done', 1),
  listed('talk/old', 'interrupted', 35),
  listed('talk/live', 'running', 50),
];
const fitting = (criteria: Criteria) => fittingRuns(ALL, criteria, NOW_MS).map(({ label }) => label);

describe('the runs that prune removes', () => {
  it.each<[string, Criteria, string[]]>([
    ['are older', { olderThanMs: 30 * DAY_MS }, ['talk/old', 'essay/old', 'talk/live']],
    ['have one of the statuses', { statuses: ['failed', 'interrupted'] }, ['essay/middle', 'talk/old']],
    ['are not the newest of their skill', { keep: 1 }, ['essay/middle', 'essay/old', 'talk/live']],
    ['fit all that is given', { olderThanMs: 10 * DAY_MS, statuses: ['done', 'failed'], keep: 2 }, ['essay/old']],
    ['are none where nothing fits', { olderThanMs: 60 * DAY_MS }, []],
  ])('%s, the newest first', (_, criteria, labels) => {
    expect(fitting(criteria).sort()).toEqual([...labels].sort());
  });

  it('do not hold one whose time cannot be read or lies ahead', () => {
    const odd = [listed('a/ahead', 'done', -5), { ...listed('a/odd', 'done', 90), run: { started: '?' } as RunFile }];
    expect(fittingRuns(odd, { olderThanMs: 0 }, NOW_MS)).toEqual([]);
  });
});

const fault = (options: Parameters<typeof criteriaOf>[0]) => {
  try {
    criteriaOf(options);
  } catch (error) {
    return (error as Fault).data;
  }
  throw new Error('expected a fault');
};

describe('the criteria of prune', () => {
  it('are read from the command line', () => {
    expect(criteriaOf({ olderThan: '1d12h', status: 'done, interrupted', keep: 0 })).toEqual({
      olderThanMs: 1.5 * DAY_MS,
      statuses: ['done', 'interrupted'],
      keep: 0,
    });
  });

  it('must be given: without any, it says which there are', () => {
    expect(fault({})).toMatchObject({
      code: 'input.invalid',
      hint: expect.stringMatching(/--older-than .* --status .* --keep/),
    });
  });

  it.each([['30'], ['30 days'], ['d'], ['1d2'], ['']])('are refused with the age %j', (olderThan) => {
    expect(fault({ olderThan })).toMatchObject({ code: 'input.invalid', hint: 'Write it as 30d, 12h or 1d12h.' });
  });

  it.each([
    ['fialed', 'Did you mean failed? Statuses: done, '],
    ['running', 'Statuses: done, '],
    ['done,', 'Statuses: done, '],
  ])('are refused with the status %j', (status, hint) => {
    expect(fault({ status }).hint).toContain(hint);
  });
});
