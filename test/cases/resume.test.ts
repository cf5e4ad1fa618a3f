import {
  appendFileSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { sha256 } from '../../src/core/json.js';
import { createBlobs } from '../../src/engine/blobs.js';
import { readJournal } from '../../src/engine/journal.js';
import { encode } from '../../src/engine/journal-line.js';
import { createRecorder } from '../../src/engine/recorder.js';
import { realFiles } from '../../src/files/layer.js';
import { fakeClock } from '../support/fake-clock.js';
import { project, type TestProject } from '../support/project.js';
import { type RunProgram, runProgram } from '../support/run-program.js';

let programs: RunProgram;
beforeAll(async () => {
  programs = await runProgram();
});
afterAll(() => programs.remove());

const plan = (steps: string) => ({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n${steps}`, log: '' });
const counted = (id: string, script: string) =>
  `  - { id: ${id}, shell: { run: 'echo ${id} >> "$PIPELINE_PROJECT_DIR/log"; ${script}' } }\n`;
const logOf = (at: TestProject) => at.read('log').split('\n').filter(Boolean);
const runDir = (at: TestProject) => join(at.dir, 'skill_run/t/a-query');
const journalOf = (at: TestProject) => join(runDir(at), 'events.ndjson');
const linesOf = (at: TestProject) => readFileSync(journalOf(at), 'utf8').split('\n').slice(0, -1);
const noticesIn = (events: readonly Recorded[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));

function recordsIn(at: TestProject): Recorded[] {
  const records: Recorded[] = [];
  readJournal(journalOf(at), createBlobs(join(runDir(at), '.steps/.blobs'), realFiles), (one) => records.push(one));
  return records;
}

/** As a process that was killed left it: the records before the first one that holds the text. */
function cutBefore(at: TestProject, text: string): void {
  const lines = linesOf(at);
  const end = lines.findIndex((line) => line.includes(text));
  expect(end).toBeGreaterThan(0);
  writeFileSync(journalOf(at), `${lines.slice(0, end).join('\n')}\n`);
}

it('resume-01: a torn last line is cut off before anything is appended, its step runs again, and that is said once', async () => {
  const at = project(plan(counted('a', 'echo x > a.txt') + counted('b', 'echo y > b.txt')));
  await at.run();
  const lines = linesOf(at);
  const done = lines.findIndex((line) => line.includes('"step_done"') && line.includes('"path":"b"'));
  const torn = (lines[done] ?? '').slice(0, 40);
  writeFileSync(journalOf(at), `${lines.slice(0, done).join('\n')}\n${torn}`);
  const again = await at.run({ resume: true });
  expect(again.status).toBe('done');
  expect(noticesIn(again.events)).toEqual(['the last 40 bytes of the journal were torn by a crash and are cut off']);
  expect(logOf(at)).toEqual(['a', 'b', 'b']);
  const records = recordsIn(at);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
  expect(noticesIn((await at.run({ resume: true })).events)).toEqual([]);
});

describe('resume-03, at 6 moments instead of 200', () => {
  const STEPS = Array.from({ length: 4 }, (_, i) => `s${i}`);
  const CHAIN = plan(STEPS.map((id) => counted(id, `sleep 0.05; echo ${id} > ${id}.txt`)).join(''));

  it('killed with SIGKILL after ever more of its events, a run loses no finished step and publishes the same', async () => {
    const whole = project(CHAIN);
    await whole.run();
    const wanted = filesOf(whole);
    for (let moment = 0; moment < 6; moment++) {
      const at = project(CHAIN);
      const run = programs.start(at.dir);
      const seen = () => existsSync(journalOf(at)) && linesOf(at).length > moment * 2;
      while (!seen()) await wait(2);
      run.child.kill('SIGKILL');
      await run.ended;
      const finished = recordsIn(at).filter(({ type }) => type === 'step_done').length;
      const again = await at.run({ resume: true });
      expect(again, `moment ${moment}`).toMatchObject({ status: 'done', census: { reused: finished } });
      expect(filesOf(at), `moment ${moment}`).toEqual(wanted);
      expect([...new Set(logOf(at))].sort()).toEqual(STEPS);
      // At most the one that was under way runs twice.
      expect(logOf(at).length).toBeLessThanOrEqual(STEPS.length + 1);
    }
  });
});

const filesOf = (at: TestProject) =>
  readdirSync(runDir(at))
    .filter((name) => name.endsWith('.txt'))
    .map((name) => [name, readFileSync(join(runDir(at), name), 'utf8')]);

describe('resume-04: killed between the side effect and its record', () => {
  const sends = (effect: string) =>
    plan(`  - id: send
    effect: ${effect}
    shell: { run: 'echo "$PIPELINE_STEP_KEY" >> "$PIPELINE_PROJECT_DIR/log"' }
`);

  it('a step runs again, with the same PIPELINE_STEP_KEY', async () => {
    const at = project(sends('repeatable'));
    await at.run();
    cutBefore(at, '"step_done"');
    expect(await at.run({ resume: true })).toMatchObject({ status: 'done' });
    const keys = logOf(at);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('one with `effect: once` asks first, and is repeated or taken as done as it is told', async () => {
    const at = project(sends('once'));
    await at.run();
    cutBefore(at, '"step_done"');
    expect(await at.run({ resume: true })).toMatchObject({ status: 'waiting', exit: 7 });
    expect(logOf(at)).toHaveLength(1);
    cpSync(runDir(at), `${runDir(at)}-other`, { recursive: true });
    expect(await at.run({ resume: { dir: runDir(at) }, assumeDone: {} })).toMatchObject({ status: 'done' });
    expect(logOf(at)).toHaveLength(1);
    const other = await at.run({ resume: { dir: `${runDir(at)}-other` }, retryUnknown: true });
    expect(other).toMatchObject({ status: 'done' });
    expect(new Set(logOf(at)).size).toBe(1);
    expect(logOf(at)).toHaveLength(2);
  });
});

describe('resume-05: two processes', () => {
  it('of which the second resumes the run of the first: it ends with 75 at once and names the first', async () => {
    const at = project(plan(counted('a', 'until [ -e "$PIPELINE_PROJECT_DIR/go" ]; do sleep 0.05; done')));
    const first = programs.start(at.dir);
    onTestFinished(() => {
      first.child.kill('SIGKILL');
    });
    while (logOf(at).length === 0) await wait(10);
    const { code, report } = await programs.start(at.dir, { resume: true }).ended;
    expect({ code, report: report?.code }).toEqual({ code: 75, report: 'run.in_use' });
    expect(report?.message).toMatch(new RegExp(`^The run is in use by pid ${first.child.pid} since 20\\d\\d-`));
    at.write('go', '');
    expect(await first.ended).toMatchObject({ code: 0, report: { status: 'done' } });
    expect(recordsIn(at).filter(({ type }) => type === 'run_resumed')).toEqual([]);
    expect(logOf(at)).toEqual(['a']);
  });

  it('that begin the same skill with the same query have a run each', async () => {
    const at = project(plan(counted('a', 'echo x')));
    const runs = await Promise.all([programs.start(at.dir).ended, programs.start(at.dir).ended]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(readdirSync(join(at.dir, 'skill_run/t')).sort()).toEqual(['a-query', 'a-query-2', 'latest', 'pipeline.log']);
  });
});

it('resume-08: a step whose input step fails this time is not reused, though the text would be the same', async () => {
  const at = project({
    ...plan(`  - id: a
    cache: false
    shell: { run: 'test ! -e "$PIPELINE_PROJECT_DIR/fail"' }
  - { id: b, shell: { run: 'echo b >> "$PIPELINE_PROJECT_DIR/log"; cat', stdin: '\${{ steps.a.output }}' } }
`),
  });
  expect(await at.run()).toMatchObject({ status: 'done' });
  at.write('fail', '');
  const again = await at.run({ resume: true });
  expect(again).toMatchObject({ status: 'failed', census: { reused: 0, done: 0 } });
  expect(again.paths('step_reused')).toEqual([]);
});

it('resume-10: what a failed step had written is no artifact, and the next attempt begins without it', async () => {
  const at = project(
    plan(counted('a', 'ls; echo half > out.md; test -e "$PIPELINE_PROJECT_DIR/go"; echo whole > out.md')),
  );
  const failed = await at.run();
  expect(failed).toMatchObject({ status: 'failed', exit: 1 });
  expect(failed.files()).toEqual([]);
  at.write('go', '');
  const again = await at.run({ resume: true });
  expect(again.file('out.md')).toBe('whole\n');
  expect(existsSync(join(runDir(at), '.steps/a/stdout.log'))).toBe(false);
});

describe('resume-12: a large journal', () => {
  it('of 10 000 events is read piece by piece: 100 MB instead of 600', () => {
    const at = project(plan(counted('a', 'true')));
    const file = join(at.dir, 'large.ndjson');
    const fd = openSync(file, 'w');
    const text = 'x\n'.repeat(5_000);
    for (let seq = 1; seq <= 10_000; seq++) writeSync(fd, encode({ type: 'notice', text, seq, at: '' }));
    closeSync(fd);
    const before = process.memoryUsage().rss;
    let events = 0;
    let highest = 0;
    const end = readJournal(file, { read: () => Buffer.of() }, () => {
      events++;
      if (events % 500 === 0) highest = Math.max(highest, process.memoryUsage().rss);
    });
    expect({ events, ...end }).toMatchObject({ events: 10_000, lastSeq: 10_000, tornBytes: 0 });
    expect(end.wholeBytes).toBeGreaterThan(100_000_000);
    expect(highest - before).toBeLessThan(250 * 1024 * 1024);
  });

  it('holds an event of 2 MB with line breaks as one short line, its text in a side file', async () => {
    const at = project(plan(counted('a', 'true')));
    const text = 'line\n'.repeat(400_000);
    const output = await at.run({ query: 'loud' });
    const journal = join(output.dir, 'events.ndjson');
    const blobs = createBlobs(join(output.dir, '.steps/.blobs'), realFiles);
    const lines: string[] = [];
    const recorder = createRecorder({
      journal: { write: (line) => lines.push(line), sync: async () => undefined, close: () => undefined },
      blobs,
      sinks: [],
      clock: fakeClock(),
      lastSeq: output.events.length,
      onSinkError: () => undefined,
    });
    await recorder.record({ type: 'notice', text });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(300);
    appendFileSync(journal, lines[0] ?? '');
    const read: Recorded[] = [];
    readJournal(journal, blobs, (record) => read.push(record));
    expect(noticesIn(read)).toEqual([text]);
  });
});

describe('resume-13: a journal', () => {
  const finished = async () => {
    const at = project(plan(counted('a', 'echo x > a.txt')));
    return { at, ran: await at.run() };
  };

  it('of a newer format is refused by name, and stays as it is', async () => {
    const { at } = await finished();
    const [first = '', ...rest] = linesOf(at);
    const { crc: _, ...event } = JSON.parse(first);
    const newer = [encode({ ...event, format: 99 }).trimEnd(), ...rest, ''].join('\n');
    writeFileSync(journalOf(at), newer);
    await expect(at.run({ resume: true })).rejects.toMatchObject({
      data: { code: 'run.journal', message: expect.stringContaining('format 99; this version reads format 1') },
    });
    expect(readFileSync(journalOf(at), 'utf8')).toBe(newer);
  });

  it('may hold events that this version does not know', async () => {
    const { at, ran } = await finished();
    const future = { type: 'from_the_future', seq: ran.events.length + 1, at: '2030-01-01T00:00:00.000Z' };
    appendFileSync(journalOf(at), encode(future as unknown as Recorded));
    expect(await at.run({ resume: true })).toMatchObject({ status: 'done', census: { reused: 1 } });
  });

  it('holds no path of its folder: a run that was moved is resumed where it is, with nothing done again', async () => {
    const { at } = await finished();
    cpSync(runDir(at), join(at.dir, 'elsewhere'), { recursive: true });
    rmSync(runDir(at), { recursive: true });
    const again = await at.run({ resume: { dir: join(at.dir, 'elsewhere') } });
    expect(again).toMatchObject({ status: 'done', dir: join(at.dir, 'elsewhere'), census: { reused: 1 } });
    expect(logOf(at)).toEqual(['a']);
  });

  it.runIf(process.getuid?.() === 0)('in a folder of another user is refused', async () => {
    const { at } = await finished();
    chownSync(runDir(at), 65_534, 65_534);
    await expect(at.run({ resume: true })).rejects.toMatchObject({
      data: { code: 'run.storage', message: expect.stringContaining('belongs to another user') },
    });
  });

  it('whose side file is lost is refused with the line, unless that is the last one', async () => {
    const { at } = await finished();
    const lines = linesOf(at);
    const seq = lines.length + 1;
    const lost = encode({ seq, at: '', type: 'notice', whole: sha256('lost') });
    appendFileSync(journalOf(at), lost);
    expect(noticesIn((await at.run({ resume: true })).events)).toContain(
      `the last ${lost.length} bytes of the journal were torn by a crash and are cut off`,
    );
    writeFileSync(
      journalOf(at),
      `${lines.join('\n')}\n${lost}${encode({ seq: seq + 1, at: '', type: 'notice', text: '' })}`,
    );
    await expect(at.run({ resume: true })).rejects.toThrow(`damaged at line ${seq}`);
  });
});

it('a clock that goes back in the middle disturbs neither the run nor its resume', async () => {
  const clock = fakeClock();
  const times = [2_000_000, 1_999_000, 1_000_000, 1_500_000, 3];
  let at = 0;
  const backwards = { ...clock, now: () => times[at++ % times.length] ?? 0 };
  const place = project(plan(counted('a', 'echo x > a.txt') + counted('b', 'echo y')));
  const first = await place.run({ clock: backwards });
  expect(first).toMatchObject({ status: 'done' });
  expect(first.events.map(({ seq }) => seq)).toEqual(first.events.map((_, index) => index + 1));
  expect(await place.run({ resume: true, clock: backwards })).toMatchObject({ status: 'done', census: { reused: 2 } });
  expect(logOf(place)).toEqual(['a', 'b']);
});
