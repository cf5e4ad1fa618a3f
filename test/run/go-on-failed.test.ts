import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { serving } from '../cases/serving.js';
import { bodyOf, lastText, resolve, turn } from '../support/chat.js';
import { overWith } from '../support/deadline.js';
import { errorReply, type MockReply } from '../support/mock-server.js';
import { project, type Ran } from '../support/project.js';

const HOUR_MS = 3_600_000;
const STEP = `version: 1
name: t
steps:
  - id: dig
    agent: { prompt: Dig., tools: [list_files, write_file], max_rounds: 3 }
    output: { type: object, properties: { depth: { type: integer } }, required: [depth], additionalProperties: false }
`;
const look = (path: string) => turn({ calls: [{ name: 'list_files', args: { path } }] });
const write = (path: string) => turn({ calls: [{ name: 'write_file', args: { path, content: 'x' } }] });

describe('an agent that ran out of rounds', () => {
  const script: readonly MockReply[] = [
    write('notes.txt'),
    look('.'),
    resolve({ depth: 'deep' }),
    look('.'),
    resolve({ depth: 7 }),
  ];

  it('goes on in the same conversation with the rounds that a person grants, and finishes', async () => {
    const server = await serving(script);
    const it = project({ 'pipeline.yaml': STEP });
    const first = await server.run(it);
    expect(first).toMatchObject({ status: 'failed', exit: 1 });
    expect(first.events.findLast(({ type }) => type === 'step_failed')).toMatchObject({
      fault: { code: 'agent.schema' },
    });

    const again = await server.run(it, { resume: true, goOn: { step: 'dig', rounds: 10 } });
    expect(again).toMatchObject({ status: 'done', usage: { calls: 5 } });
    expect(again.file('notes.txt')).toBe('x');
    const [, , third, fourth] = server.requests.map((request) => bodyOf(request).messages);
    expect(fourth?.slice(0, third?.length)).toEqual(third);
    expect(lastText(server.requests[3])).toMatch(
      /You were stopped: after 3 rounds no answer was accepted.*10 rounds left/,
    );
    expect(again.events.find(({ type }) => type === 'step_started')).toMatchObject({
      because: 'goes on where it failed',
    });
    expect(again.events.flatMap((event) => (event.type === 'round' ? [event.round] : []))).toEqual([4, 5]);
  });

  it('keeps what the failed attempt held: its conversation and its files', async () => {
    const server = await serving(script);
    const it = project({ 'pipeline.yaml': STEP });
    const { dir } = await server.run(it);
    await server.run(it, { resume: true, goOn: { rounds: 10 } });
    const attempt = join(dir, '.steps/dig/attempts/1');
    expect(readdirSync(attempt).sort()).toEqual(['prompt.md', 'transcript.ndjson', 'work']);
    expect(readFileSync(join(attempt, 'work/notes.txt'), 'utf8')).toBe('x');
  });

  it('begins anew without that word', async () => {
    const server = await serving([...script.slice(0, 3), resolve({ depth: 1 })]);
    const it = project({ 'pipeline.yaml': STEP });
    await server.run(it);
    expect(await server.run(it, { resume: true })).toMatchObject({ status: 'done' });
    expect(bodyOf(server.requests[3]).messages).toHaveLength(2);
  });

  it('keeps the rounds that were granted over a second stop', async () => {
    const server = await serving([
      look('a'),
      look('b'),
      look('c'),
      look('d'),
      turn({ text: 'x', finish: 'length' }),
      errorReply(401, { message: 'no' }),
      resolve({ depth: 2 }),
    ]);
    const it = project({ 'pipeline.yaml': STEP });
    await server.run(it);
    const second = await server.run(it, { resume: true, goOn: { rounds: 3 } });
    expect(second.events.findLast(({ type }) => type === 'step_failed')).toMatchObject({
      fault: { code: 'provider.refused' },
    });
    expect(await server.run(it, { resume: true })).toMatchObject({ status: 'done' });
    expect(server.requests).toHaveLength(7);
  });
});

it('an agent that is stopped in a dead loop is told so, and may go on', async () => {
  const server = await serving([look('.'), look('.'), look('.'), resolve({ depth: 3 })]);
  const it = project({ 'pipeline.yaml': STEP.replace('max_rounds: 3', 'max_rounds: 9') });
  const first = await server.run(it);
  expect(first.events.findLast(({ type }) => type === 'step_failed')).toMatchObject({
    fault: { code: 'agent.dead_loop' },
  });
  expect(await server.run(it, { resume: true, goOn: { step: 'dig' } })).toMatchObject({ status: 'done' });
  expect(lastText(server.requests[3])).toMatch(/You were stopped: the agent made the same calls/);
});

it('a service that failed costs no round: the next attempt, and the next session, go on from the last whole one', async () => {
  const broken = errorReply(401, { message: 'the key is gone' });
  const server = await serving([look('a'), look('b'), broken, broken, resolve({ depth: 4 })]);
  const it = project({ 'pipeline.yaml': STEP });
  await server.run(it);
  await server.run(it, { resume: true });
  const last = await server.run(it, { resume: true });
  expect(last).toMatchObject({ status: 'done', usage: { calls: 3 } });
  expect(bodyOf(server.requests[4])).toEqual(bodyOf(server.requests[2]));
});

describe('what holds no conversation', () => {
  const files = {
    'work.sh': `if [ -e "$PIPELINE_PROJECT_DIR/begun" ]; then echo '{"depth": 1}'; exit; fi
echo half > half.md
touch "$PIPELINE_PROJECT_DIR/begun"
sleep 60
`,
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: build
    timeout: 1h
    shell: { command: [bash, '\${{ project.dir }}/work.sh'] }
`,
  };
  const agent = `
    agent: { adapter: command, prompt: Build., command: [bash, '\${{ project.dir }}/work.sh'] }
    output: { type: object, properties: { depth: { type: integer } }, required: [depth] }
`;
  const program = files['pipeline.yaml'].replace(/\n +shell: .*\n/, agent);
  const began = ({ events }: Ran) => events.find(({ type }) => type === 'step_started');

  it('is refused, whatever it failed with', async () => {
    const it = project(files);
    const first = await it.run({ clock: overWith(HOUR_MS, join(it.dir, 'begun')) });
    expect(first).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
    await expect(it.run({ resume: { dir: first.dir }, goOn: { step: 'build' } })).rejects.toThrow(
      '"build" failed with step.timeout, after which no conversation can go on',
    );
    const again = await it.run({ resume: { dir: first.dir } });
    expect(began(again)).toMatchObject({ because: 'the last attempt failed' });
  });

  it("begins anew in an empty folder, as another agent's program does: what it had left lies in its attempt alone", async () => {
    const server = await serving([]);
    const it = project({ ...files, 'pipeline.yaml': program });
    const first = await server.run(it, { clock: overWith(HOUR_MS, join(it.dir, 'begun')) });
    expect(first).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
    const { dir } = first;
    await expect(server.run(it, { resume: { dir }, goOn: { step: 'build' } })).rejects.toThrow(
      'after which no conversation can go on',
    );
    const again = await server.run(it, { resume: { dir } });
    expect(again).toMatchObject({ status: 'done' });
    expect(began(again)).toMatchObject({ because: 'the last attempt failed' });
    expect(again.file('.steps/build/attempts/1/work/half.md')).toBe('half\n');
    expect(readdirSync(join(dir, '.steps/build')).sort()).toEqual(['attempts', 'prompt.md', 'stdout.log']);
  });
});

describe('the rounds that a person grants', () => {
  const deep = (depth: unknown) => resolve({ depth: depth as string });
  const RETRYING = STEP.replace('max_rounds: 3 }', 'max_rounds: 2 }').replace(
    '    output',
    '    retry: { attempts: 3, backoff: 1ms }\n    output',
  );

  it('count once: an attempt after the one that had them has those of the file', async () => {
    const server = await serving([deep('x')]);
    const it = project({ 'pipeline.yaml': RETRYING });
    await server.run(it);
    expect(server.requests).toHaveLength(6);
    expect(await server.run(it, { resume: true, goOn: { step: 'dig', rounds: 2 } })).toMatchObject({
      status: 'failed',
    });
    expect(server.requests).toHaveLength(6 + 2 + 2 + 2);
  });

  it('are for those that had failed, not for those that fail later', async () => {
    const server = await serving([deep('x')]);
    const two = `${STEP}  - id: later
    needs: [dig]
    agent: { prompt: Later., tools: [list_files], max_rounds: 2 }
    retry: { attempts: 2, backoff: 1ms }
    output: { type: object, properties: { depth: { type: integer } }, required: [depth] }
`;
    const it = project({ 'pipeline.yaml': two.replace('  - id: dig', '  - id: dig\n    on_error: continue') });
    await server.run(it);
    const before = server.requests.length;
    await server.run(it, { resume: true, goOn: { step: 'dig', rounds: 1 } });
    expect(server.requests.length - before).toBe(1 + 2 + 2);
  });

  it('can be granted to an agent that was interrupted', async () => {
    const stop = new AbortController();
    const server = await serving((_, index) => {
      if (index === 1) stop.abort(new Fault('run.cancelled', 'stopped'));
      return index < 5 ? look(`./${index}`) : resolve({ depth: 5 });
    });
    const it = project({ 'pipeline.yaml': STEP });
    expect(await server.run(it, { signal: stop.signal })).toMatchObject({ status: 'cancelled' });
    expect(await server.run(it, { resume: true, goOn: { step: 'dig', rounds: 5 } })).toMatchObject({ status: 'done' });
  });
});

describe('to go on where nothing can', () => {
  it('is refused before anything runs', async () => {
    const server = await serving([resolve({ depth: 1 })]);
    const it = project({ 'pipeline.yaml': STEP });
    const { dir } = await server.run(it);
    const on = (goOn: { step?: string; rounds?: number }) => server.run(it, { resume: { dir }, goOn });
    await expect(on({ step: 'dig', rounds: 2 })).rejects.toThrow('"dig" has not failed');
    await expect(on({ rounds: 2 })).rejects.toThrow('no agent of the run has failed');
    await expect(on({ step: 'dog' })).rejects.toThrow('no step of "t" has the id "dog"');
    await expect(server.run(it, { goOn: { rounds: 1 } })).rejects.toThrow('of an earlier run');
    expect(existsSync(join(dir, '.lock'))).toBe(false);
    expect(server.requests).toHaveLength(1);
  });
});
