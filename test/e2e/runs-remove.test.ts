import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AtEnd, isAlive, seen, type Workspace, workspace } from '../support/cli.js';

const QUICK = `version: 1
name: quick
steps:
  - id: a
    shell: { command: [echo, made] }
    save: a.txt
result: '\${{ steps.a.output }}'
`;
const FAILS = 'version: 1\nname: fails\nsteps:\n  - id: a\n    shell: { run: "exit 3" }\n';

async function withRuns(atEnd: AtEnd, ...queries: string[]): Promise<Workspace> {
  const place = workspace(undefined, atEnd);
  place.write('quick.yaml', QUICK);
  for (const query of queries) expect((await place.pipeline(['run', 'quick.yaml', query, '-q'])).code).toBe(0);
  return place;
}

const runsIn = (place: Workspace, skill = 'quick') => readdirSync(join(place.dir, 'skill_run', skill)).sort();
const OTHERS = ['latest', 'pipeline.log'];

/** As if the last thing in it had happened so many days ago. */
function age(place: Workspace, run: string, days: number): void {
  const file = `skill_run/${run}/run.json`;
  const at = new Date(Date.now() - days * 86_400_000).toISOString();
  place.write(file, JSON.stringify({ ...JSON.parse(place.read(file)), started: at, ended: at }));
}

describe.concurrent('pipeline runs rm', () => {
  it('lists what would go, and removes nothing where nobody can be asked', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one', 'two');
    const refused = await place.pipeline(['runs', 'rm', 'quick/one']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /^quick\/one {2}done {2}now {2}\d+ KB {2}\d+ files {2}one\n✗ Nobody can be asked here: nothing was removed\.\n {2}try {2}.*--yes/,
    );
    expect(runsIn(place)).toEqual([...OTHERS, 'one', 'two'].sort());
  });

  it('removes with --yes what is named, by whichever name, and hands `latest` on', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one', 'two', 'three', 'four');
    const id = JSON.parse(place.read('skill_run/quick/one/run.json')).run;
    const names = [id, 'quick/latest', 'quick/four', join(place.dir, 'skill_run/quick/three/')];
    const gone = await place.pipeline(['runs', 'rm', ...names, '--yes', '--json']);
    expect(gone.code).toBe(0);
    const { runs } = JSON.parse(gone.stdout);
    expect(runs).toMatchObject([
      { name: 'quick/one', status: 'done', removed: true, forks: [] },
      { name: 'quick/four', removed: true },
      { name: 'quick/three', removed: true },
    ]);
    expect(runs[0].files).toBeGreaterThan(3);
    expect(runs[0].bytes).toBeGreaterThan(500);
    expect(runsIn(place)).toEqual([...OTHERS, 'two'].sort());
    expect(readlinkSync(join(place.dir, 'skill_run/quick/latest'))).toBe('two');
    const listed = await place.pipeline(['runs', '--json']);
    expect(JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)).toEqual(['quick/two']);
    expect((await place.pipeline(['run', 'quick.yaml', 'one', '-q'])).code).toBe(0);
    expect(runsIn(place)).toContain('one');
  });

  it('says all bad names at once, before anything is removed', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one', 'two');
    const elsewhere = join(place.dir, 'elsewhere/quick');
    mkdirSync(elsewhere, { recursive: true });
    renameSync(join(place.dir, 'skill_run/quick/two'), join(elsewhere, 'two'));
    symlinkSync('one', join(place.dir, 'skill_run/quick/linked'));
    symlinkSync(elsewhere, join(place.dir, 'skill_run/away'));
    mkdirSync(join(place.dir, 'skill_run/quick/no-run'));
    writeFileSync(join(place.dir, 'skill_run/quick/no-run/kept.txt'), '');
    const names = [
      'quick/one',
      'quick/on',
      'quick/linked',
      'away/two',
      elsewhere.concat('/two'),
      'quick/no-run',
      '',
      '.',
      'quick',
    ];
    const refused = await place.pipeline(['runs', 'rm', ...names, '--yes']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    const { stderr } = refused;
    expect(stderr).toContain('✗ "quick/on" is only the beginning of quick/one: give the whole name.\n');
    expect(stderr).toContain('\n"quick/linked" is a link: only what is itself a run is removed.\n');
    expect(stderr).toContain('\n"away/two" is no run of this project: ');
    expect(stderr).toContain('elsewhere/quick/two" is no run of this project: ');
    expect(stderr).toContain('\nThere is no run "quick/no-run".\n');
    expect(stderr).toContain('\nThere is no run "".\n');
    expect(stderr).toContain('\nThere is no run ".".\n');
    expect(stderr).toContain('\n"quick" is only the beginning of quick/one: give the whole name.\n');
    expect(stderr).toContain('\nNothing was removed.\n  try  pipeline runs lists');
    expect(runsIn(place)).toEqual([...OTHERS, 'linked', 'no-run', 'one'].sort());
    expect(existsSync(join(elsewhere, 'two/run.json'))).toBe(true);
  });

  it('removes no run that a process works on, and nothing else with it', async ({ onTestFinished }) => {
    const place = workspace('exit-codes', onTestFinished);
    place.write('quick.yaml', QUICK);
    await place.pipeline(['run', 'quick.yaml', 'one', '-q']);
    const run = place.start(['run', 'slow.yaml', 'a query', '--quiet']);
    onTestFinished(() => void run.child.kill('SIGTERM'));
    await seen(() => place.has('ready'));
    const refused = await place.pipeline(['runs', 'rm', 'quick/one', 'slow/a-query', '--yes', '--json']);
    expect(refused.code).toBe(75);
    expect(JSON.parse(refused.stdout)).toMatchObject({ fault: { code: 'run.in_use' } });
    expect(refused.stderr).toContain('"slow/a-query" is in use');
    expect(place.has('skill_run/quick/one/run.json')).toBe(true);
    const pruned = await place.pipeline(['runs', 'prune', '--keep', '0', '--yes']);
    expect(pruned.code).toBe(0);
    expect(pruned.stderr).toContain('! In use, so it stays: slow/a-query.');
    expect(place.has('skill_run/quick/one')).toBe(false);
    expect(place.has('skill_run/slow/a-query/run.json')).toBe(true);
    expect((await place.pipeline(['stop', 'slow/a-query'])).code).toBe(0);
    expect((await run.ended).code).toBe(143);
  });

  it('ends what a killed session has left before its run goes', async ({ onTestFinished }) => {
    const place = workspace('exit-codes', onTestFinished);
    const run = place.start(['run', 'slow.yaml', 'a query', '--quiet']);
    await seen(() => place.has('ready'));
    run.child.kill('SIGKILL');
    await run.ended;
    const pids = place.read('pids').trim().split('\n').map(Number);
    onTestFinished(() => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    const gone = await place.pipeline(['runs', 'rm', 'slow/a-query', '--yes']);
    expect(gone.code).toBe(0);
    expect(gone.stderr).toContain('  ended 3 processes that slow/a-query had left\n');
    expect(pids.filter(isAlive)).toEqual([]);
    expect(runsIn(place, 'slow')).toEqual(['pipeline.log']);
  });

  it('names the forks of a run that goes; they need nothing of its folder', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one');
    expect((await place.pipeline(['fork', 'quick/one', '-q'])).code).toBe(0);
    const gone = await place.pipeline(['runs', 'rm', 'quick/one', '--yes']);
    expect(gone.stderr).toContain('\n  forked from quick/one: quick/one-2; what they need of it they have as copies\n');
    expect(runsIn(place)).toEqual([...OTHERS, 'one-2'].sort());
    const resumed = await place.pipeline(['resume', 'quick/one-2']);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('made') });
    expect(resumed.stderr).toContain('1 reused');
    expect((await place.pipeline(['explain', 'quick/one-2', 'a'])).stdout).toContain('the run it was forked from');
  });

  it('finishes a removal that was cut off, which has left nothing that looks like a run', async ({
    onTestFinished,
  }) => {
    const place = await withRuns(onTestFinished, 'one', 'two');
    const folder = join(place.dir, 'skill_run/quick');
    renameSync(join(folder, 'two'), join(folder, '.removed-two-0badcafe'));
    expect(JSON.parse((await place.pipeline(['runs', '--json'])).stdout)).toHaveLength(1);
    const pruned = await place.pipeline(['runs', 'prune', '--older-than', '1d', '--yes']);
    expect(pruned).toMatchObject({
      code: 0,
      stderr: 'Removed what was left of 1 run whose removal was cut off.\nThere is nothing to remove.\n',
    });
    expect(runsIn(place)).toEqual([...OTHERS, 'one'].sort());
    expect(readlinkSync(join(folder, 'latest'))).toBe('one');
  });
});

describe.concurrent('pipeline runs prune', () => {
  it('needs a criterion, and says which there are', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one');
    const refused = await place.pipeline(['runs', 'prune', '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^✗ Nothing says which runs go\.\n {2}try .*--older-than.*--status.*--keep/);
    expect((await place.pipeline(['runs', 'prune', '--keep', 'x', '--yes'])).code).toBe(2);
    expect(runsIn(place)).toContain('one');
  });

  it('with --dry-run lists what would go, and removes nothing', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one', 'two', 'three');
    place.write('fails.yaml', FAILS);
    expect((await place.pipeline(['run', 'fails.yaml', 'one', '-q'])).code).toBe(1);
    age(place, 'quick/one', 40);
    age(place, 'fails/one', 31);
    const dry = await place.pipeline(['runs', 'prune', '--older-than', '30d', '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(/^fails\/one {2}failed {2}31 days .*\nquick\/one {2}done {4}40 days .*\n$/);
    expect(dry.stderr).toMatch(/^2 runs, \d+ KB would go\.\n$/);
    const failed = await place.pipeline(['runs', 'prune', '--status', 'failed', '--dry-run', '--json']);
    expect(JSON.parse(failed.stdout)).toMatchObject({ dryRun: true, runs: [{ name: 'fails/one', removed: false }] });
    expect(runsIn(place)).toEqual([...OTHERS, 'one', 'three', 'two'].sort());
    expect(runsIn(place, 'fails')).toContain('one');
  });

  it('keeps the newest of each skill, asks before the rest goes, and says what went', async ({ onTestFinished }) => {
    const place = await withRuns(onTestFinished, 'one', 'two', 'three');
    for (const [days, run] of ['three', 'two', 'one'].entries()) age(place, `quick/${run}`, days + 1);
    expect((await place.pipeline(['runs', 'prune', '--keep', '2'])).code).toBe(2);
    expect(runsIn(place)).toContain('one');
    const gone = await place.pipeline(['runs', 'prune', '--keep', '2', '--yes']);
    expect(gone).toMatchObject({ code: 0, stdout: '' });
    expect(gone.stderr).toMatch(/^quick\/one {2}done {2}3 days .*\n✓ Removed 1 run, \d+ KB\.\n$/);
    expect(runsIn(place)).toEqual([...OTHERS, 'three', 'two'].sort());
    const none = await place.pipeline(['runs', 'prune', '--keep', '2', '--yes', '--json']);
    expect(JSON.parse(none.stdout)).toEqual({ dryRun: false, runs: [] });
  });
});

it('pipeline runs lists as it did: all runs, or those of a skill', async ({ onTestFinished }) => {
  const place = await withRuns(onTestFinished, 'one');
  expect((await place.pipeline(['runs'])).stdout).toContain('quick/one');
  expect((await place.pipeline(['runs', 'quick'])).stdout).toContain('quick/one');
  expect((await place.pipeline(['runs', 'other'])).stderr).toBe('There are no runs of "other".\n');
});
