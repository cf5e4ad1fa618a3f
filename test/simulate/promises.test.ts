/** Each promise that every run keeps: a run that breaks it by hand, and it alone, is found. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { givenChoices, type Taken } from '../../src/simulate/choices/choices.js';
import type { Compiled } from '../../src/simulate/compiled.js';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { PROMISES, type PromiseName } from '../../src/simulate/promises/broken.js';
import { judgedRun } from '../../src/simulate/promises/judged.js';
import { brokenPromises } from '../../src/simulate/promises/promises.js';
import type { Ended, SessionFacts, SimulatedRun } from '../../src/simulate/run-facts.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { simulateSession } from '../../src/simulate/simulated-session.js';
import { createPools } from '../../src/simulate/values/pools.js';
import { compiledAt, compiledFrom, folder } from './compiled.js';
import { mounted } from './mounted.js';

const PIPELINE = `version: 1
name: kept
steps:
  - id: write
    agent: { instructions: You write., prompt: Write. }
    output: { type: object, properties: { text: { type: string } }, required: [text] }
    save: text.json
  - { id: pay, needs: [write], effect: once, shell: { command: [pay] } }
  - { id: each, needs: [pay], foreach: [red, green], shell: { command: [color, "\${{ item }}"] } }
  - { id: last, needs: [each], shell: { command: [last] } }
`;

interface Around {
  readonly compiled: Compiled;
  /** A run without any trouble, as it has happened. */
  readonly run: SimulatedRun;
  readonly session: SessionFacts;
  readonly report: Ended;
  /** As that run has left it. */
  readonly disk: Disk;
}

/** A run that the journal is not held against, for what its events say. */
const told = ({ run, session }: Around, events: readonly Recorded[], more: Partial<SessionFacts> = {}) => ({
  ...run,
  dir: undefined,
  sessions: [{ ...session, events, ...more }],
});

const isAt = (type: RunEvent['type'], path: string) => (event: Recorded) =>
  event.type === type && 'path' in event && event.path === path;

/** The events with another one before the first that is meant. */
function before(events: readonly Recorded[], isMeant: (event: Recorded) => boolean, more: Recorded): Recorded[] {
  const at = events.findIndex(isMeant);
  expect(at).toBeGreaterThan(0);
  return [...events.slice(0, at), more, ...events.slice(at)];
}

/** The events with this one's fields changed. */
function changed(
  events: readonly Recorded[],
  isMeant: (event: Recorded) => boolean,
  fields: Readonly<Record<string, unknown>>,
): Recorded[] {
  expect(events.filter(isMeant).length).toBeGreaterThan(0);
  return events.map((event) => (isMeant(event) ? ({ ...event, ...fields } as Recorded) : event));
}

const WRONG: Recorded = {
  seq: 9_999,
  at: '2030-01-01T00:00:00.000Z',
  type: 'step_failed',
  path: 'last',
  fault: { code: 'shell.exit', message: 'exit 1', problems: [] } as never,
  ms: 1,
};

const choosing = (taken: Taken = new Map()) => givenChoices(taken);

/** What each promise is broken by: a run that is held against all of them, or what was found while it ran. */
const BREAKS = {
  end: (around) => told(around, around.session.events, { end: { type: 'hung' } }),
  bug: (around) => told(around, around.session.events, { end: { type: 'thrown', error: new Error('undefined') } }),
  done: (around) =>
    told(
      around,
      around.session.events.map((one) => (isAt('step_done', 'last')(one) ? WRONG : one)),
    ),
  once(around) {
    const { run, session } = around;
    const { events } = session;
    const begun = events.findIndex(isAt('step_started', 'pay'));
    const first = { ...session, events: events.slice(0, begun + 1), end: { type: 'killed', at: 40 } as const };
    const second = { ...session, events: events.slice(begun).map((one) => ({ ...one, seq: one.seq + 1 })) };
    // The later session knows of the step before it.
    const write = events.filter(isAt('step_done', 'write')).map((one) => ({ ...one, seq: second.events[0]?.seq ?? 0 }));
    return { ...run, dir: undefined, sessions: [first, { ...second, events: [...write, ...second.events] }] };
  },
  async budget({ compiled, run, session, disk }) {
    const broken: SimulatedRun['broken'][number][] = [];
    const spent = { inputTokens: compiled.plan.limits.tokens, outputTokens: 1 };
    const round = { ...WRONG, type: 'round', path: 'write', round: 1, calls: [], usage: spent } as unknown as Recorded;
    disk.wipe();
    await simulateSession({
      choices: choosing(),
      disk,
      number: 0,
      startMs: 0,
      pid: 1,
      first: compiled,
      query: run.query,
      now: compiled,
      isCalm: true,
      isSalted: false,
      isAwaited: false,
      // Of which the journal knows nothing.
      before: [{ ...session, events: [round] }],
      pools: createPools(),
      newId: () => 'a',
      began: () => undefined,
      acts: [],
      broken,
    });
    return { ...run, sessions: [], broken };
  },
  after(around) {
    const ended = { ...WRONG, type: 'step_ended', path: 'stop', outcome: 'over', as: 'done', message: '' };
    return told(around, before(around.session.events, isAt('step_started', 'last'), ended as unknown as Recorded));
  },
  needs(around) {
    const { events } = around.session;
    const [begins] = events.filter(isAt('step_started', 'pay'));
    const others = events.filter((event) => event !== begins);
    return told(around, before(others, isAt('step_done', 'write'), begins as Recorded));
  },
  bounds: (around) => told(around, changed(around.session.events, isAt('step_started', 'last'), { attempt: 2 })),
  output: (around) => told(around, changed(around.session.events, isAt('step_done', 'write'), { output: { text: 7 } })),
  journal({ run, disk }) {
    const fd = disk.open(`${run.dir}/events.ndjson`, 'a');
    disk.write(fd, Buffer.from('{"seq":'));
    disk.close(fd);
    return run;
  },
  files({ run, disk }) {
    disk.close(disk.open(`${run.dir}/nobodys.txt`, 'w'));
    return run;
  },
  async crash({ compiled, disk }) {
    // In the run without the crash the model refuses.
    const one: Taken = new Map([
      ['crash.0', [60]],
      ['word.1', [1]],
    ]);
    const asked = [choosing(one), choosing(new Map([['write@1.1', [0, 8]]]))];
    return judgedRun(compiled, () => asked.shift() ?? choosing(), disk, []);
  },
} satisfies Record<
  PromiseName,
  (around: Around) => SimulatedRun | Promise<SimulatedRun> | ReturnType<typeof judgedRun>
>;

async function calmly(): Promise<Around> {
  const disk = mounted();
  const compiled = await compiledFrom(PIPELINE);
  // What is loaded when it is first needed takes real time.
  await simulateRun(compiled, choosing(), disk);
  const run = await simulateRun(compiled, choosing(), disk);
  const [session] = run.sessions;
  if (session?.end.type !== 'ended') throw new Error('the calm run did not end');
  return { compiled, run, session, report: session.end.report, disk };
}

it('finds nothing in a run that breaks nothing', async () => {
  const { run, report, disk } = await calmly();
  expect(report.status).toBe('done');
  expect(await brokenPromises(run, disk)).toEqual([]);
});

it.each(Object.entries(BREAKS))('finds a run that breaks the promise "%s", and says no other', async (name, breaks) => {
  const around = await calmly();
  const came = await breaks(around);
  const found = 'violations' in came ? came.violations : await brokenPromises(came, around.disk);
  expect(new Set(found.map(({ what }) => what))).toEqual(new Set([PROMISES[name as PromiseName]]));
});

it('lets a run be done in which a step failed of a child pipeline that says accept_partial, and no other', async () => {
  const disk = mounted();
  const dir = folder();
  const part = join(dir, 'skills/part');
  mkdirSync(part, { recursive: true });
  writeFileSync(join(part, 'SKILL.md'), '---\nname: part\ndescription: A part.\n---\n');
  const steps = '{ id: try, on_error: continue, shell: { command: [try] } }, { id: last, needs: [], set: { is: 1 } }';
  writeFileSync(join(part, 'pipeline.yaml'), `version: 1\nname: part\naccept_partial: true\nsteps: [${steps}]\n`);
  mkdirSync(join(dir, '.git'));
  writeFileSync(
    join(dir, 'pipeline.yaml'),
    'version: 1\nname: whole\nsteps: [{ id: inner, pipeline: { skill: part } }]\n',
  );
  const compiled = await compiledAt(join(dir, 'pipeline.yaml'), 'a question');
  await simulateRun(compiled, choosing(), disk);
  const run = await simulateRun(compiled, choosing(new Map([['inner/try#1', [2]]])), disk);
  const [session] = run.sessions;
  expect(session?.end.type === 'ended' && session.end.report.status).toBe('done');
  expect(session?.events.filter(isAt('step_failed', 'inner/try'))).toHaveLength(1);
  expect(await brokenPromises(run, disk)).toEqual([]);
});
