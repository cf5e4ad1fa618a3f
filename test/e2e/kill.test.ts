import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { difference, isAlive, type Started, seen, type Workspace, workspace } from '../support/cli.js';
import { type MockServer, mockServer } from '../support/mock-server.js';
import { askingAt, scripted } from './script-server.js';

const RUN = 'kill-anywhere/colours';
const ARGS = ['run', 'pipeline.yaml', 'colours', '--quiet'];
const SHELL_STEPS = [
  'seed',
  'paint red',
  'paint green',
  'paint blue',
  'measure 0',
  'measure 1',
  'measure 2',
  'late',
  'page',
];
const MODEL_MS = 40;

const clean: (() => void)[] = [];
let server: MockServer;
let undisturbed: Workspace;
let eventCount = 0;

beforeAll(async () => {
  server = await mockServer(scripted('kill-anywhere', MODEL_MS));
  undisturbed = workspace('kill-anywhere', (undo) => clean.push(undo));
  const ran = await undisturbed.pipeline(ARGS, askingAt(server.url));
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  eventCount = undisturbed.events(RUN).length;
});

afterAll(async () => {
  await server.close();
  for (const undo of clean) undo();
});

it('counts each shell step once when nothing disturbs the run', () => {
  expect(counted(undisturbed).sort()).toEqual([...SHELL_STEPS].sort());
  expect(eventCount).toBeGreaterThan(60);
});

describe('a run that is killed with SIGKILL and resumed publishes what an undisturbed one does', () => {
  it.concurrent.for(Array.from({ length: 12 }, (_, index) => index))(
    'after %i twelfths of its events',
    async (part, { onTestFinished: atEnd }) => {
      const place = workspace('kill-anywhere', atEnd);
      const wanted = 1 + Math.floor((part * (eventCount - 1)) / 12);
      const open = await killWhen(place, server, () => place.events(RUN).length >= wanted);
      await expectTheSame(place, server, open);
    },
  );

  it.concurrent.for(['late', 'paint green', 'measure 1'])(
    'between the side effect of "%s" and its record',
    async (name, { onTestFinished: atEnd }) => {
      const place = workspace('kill-anywhere', atEnd);
      const open = await killWhen(place, server, () => place.has('counter.log') && counted(place).includes(name));
      expect(open.size).toBeGreaterThan(0);
      await expectTheSame(place, server, open);
    },
  );

  it.concurrent.for([1, 2, 3, 5, 9])(
    'inside of a round: model call %i is never answered',
    async (call, { onTestFinished: atEnd }) => {
      const answer = scripted('kill-anywhere');
      const own = await mockServer((request, index) => (index === call - 1 ? { refuse: 'hang' } : answer(request)));
      atEnd(() => void own.close());
      const place = workspace('kill-anywhere', atEnd);
      const open = await killWhen(place, own, () => own.requests.length >= call);
      await expectTheSame(place, own, open);
    },
  );
});

/** Kills the run when `now` says so; returns the paths of the leaves that were begun and not settled. */
async function killWhen(place: Workspace, models: MockServer, now: () => boolean): Promise<ReadonlySet<string>> {
  const run = place.start(ARGS, askingAt(models.url));
  await seen(now);
  await kill(run);
  return openLeaves(place.events(RUN));
}

async function kill({ child, ended }: Started): Promise<void> {
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
}

async function expectTheSame(place: Workspace, models: MockServer, open: ReadonlySet<string>): Promise<void> {
  const resumed = await place.pipeline([...ARGS, '--resume'], askingAt(models.url));
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(difference(join(place.dir, 'skill_run', RUN), join(undisturbed.dir, 'skill_run', RUN))).toBe('');
  const counts = new Map<string, number>();
  for (const name of counted(place)) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect([...counts.keys()].sort()).toEqual([...SHELL_STEPS].sort());
  const twice = [...counts].filter(([, count]) => count > 1);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
  expect(twice.length).toBeLessThanOrEqual(open.size);
}

function openLeaves(events: readonly Recorded[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'step_started' && event.key !== '') open.add(event.path);
    else if (event.type === 'step_done' || event.type === 'step_failed') open.delete(event.path);
  }
  return open;
}

function counted(place: Workspace): string[] {
  return place.read('counter.log').split('\n').slice(0, -1);
}

it('leaves no process of the killed session alive when the resumed one has ended', async () => {
  const place = workspace('exit-codes');
  const run = place.start(['run', 'slow.yaml', 'a query', '--quiet']);
  await seen(() => place.has('ready'));
  await kill(run);
  const pids = place.read('pids').trim().split('\n').map(Number);
  onTestFinished(() => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  place.write('go', '');
  expect(await place.pipeline(['run', 'slow.yaml', 'a query', '--quiet', '--resume'])).toMatchObject({ code: 0 });
  expect(pids.filter(isAlive)).toEqual([]);
});

it("takes a dead process's lock over, and says so", async () => {
  const place = workspace('exit-codes');
  const run = place.start(['run', 'slow.yaml', 'a query', '--quiet']);
  await seen(() => place.has('ready'));
  await kill(run);
  for (const pid of place.read('pids').trim().split('\n'))
    if (isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL');
  place.write('go', '');
  const resumed = await place.pipeline(['run', 'slow.yaml', 'a query', '--resume']);
  expect(resumed.stderr).toContain(`took over from process ${run.child.pid}`);
  expect(readFileSync(join(place.dir, 'skill_run/slow/a-query/answer.txt'), 'utf8')).toContain('went');
});
