import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, resolve, turn } from '../support/chat.js';
import { isAlive, seen, type Workspace, workspace } from '../support/cli.js';
import { mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

const RUN = 'effects/asked';
const ARGS = ['run', 'pipeline.yaml', 'asked', '--quiet', '--sandbox', 'off'];
const PIPELINE = `version: 1
name: effects
steps:
  - id: work
    EFFECT
    agent: { instructions: Work., prompt: Go., tools: [read_file, write_file, shell] }
    output: { type: object, properties: { done: { type: boolean } }, required: [done] }
`;

/** One round of a read and three effects, of which the second stays at work; then the answer. */
async function arena(effect = 'cache: true', signal: NodeJS.Signals = 'SIGKILL') {
  const place = workspace();
  place.write('pipeline.yaml', PIPELINE.replace('EFFECT', effect));
  place.write('counter.log', '');
  const counter = join(place.dir, 'counter.log');
  const server = await mockServer([
    turn({
      calls: [
        { name: 'write_file', args: { path: 'one.txt', content: 'one' } },
        { name: 'shell', args: { command: `echo "$$" >> '${counter}'; sleep 300` } },
        { name: 'write_file', args: { path: 'two.txt', content: 'two' } },
        { name: 'read_file', args: { path: 'one.txt' } },
      ],
    }),
    resolve({ done: true }),
  ]);
  onTestFinished(() => server.close());
  const run = place.start(ARGS, askingAt(server.url));
  const pid = await seen(() => Number(place.read('counter.log').split('\n')[0]) || undefined);
  run.child.kill(signal);
  await run.ended;
  return { place, server, pid };
}

const notices = (place: Workspace) =>
  place.events(RUN).flatMap((event) => (event.type === 'step_notice' ? [event.text] : []));

it('shows a model which of its calls was cut off by a kill, and repeats neither that call nor the ones before it', async () => {
  const { place, server, pid } = await arena();
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(isAlive(pid)).toBe(false);
  expect(server.requests).toHaveLength(2);
  const results = bodyOf(server.requests[1]).messages.filter((message) => message.role === 'tool');
  expect(results.map((message) => message.content.slice(0, 60))).toEqual([
    expect.stringMatching(/^(?!Error).*one\.txt/),
    'Error: the run was interrupted while this call was at work. ',
    'Error: not executed: the run was interrupted during the call',
    expect.stringContaining('one'),
  ]);
  expect(place.read('counter.log').split('\n')).toHaveLength(2);
  expect(notices(place)).toEqual([expect.stringContaining('nobody knows how the call of shell in round 1 ended')]);
  const rounds = place.events(RUN).filter((event) => event.type === 'round');
  expect(rounds.map((event) => [event.round, event.usage?.inputTokens])).toEqual([
    [1, 10],
    [2, 10],
  ]);
});

it('goes on the same way behind a line that was torn', async () => {
  const { place, server } = await arena();
  appendFileSync(join(place.dir, 'skill_run', RUN, '.steps/work/transcript.ndjson'), '{"type":"outcome","call":1,"res');
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(2);
  expect(place.read('counter.log').split('\n')).toHaveLength(2);
});

it('goes on after Ctrl-C, too, and counts the call of the model once', async () => {
  const { place, server } = await arena(undefined, 'SIGINT');
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(2);
  const run = JSON.parse(place.read(`skill_run/${RUN}/run.json`)) as { readonly usage: object };
  expect(run.usage).toMatchObject({ calls: 2, inputTokens: 20, unknownCalls: 0 });
});

it('asks a person before anything of an `effect: once` agent goes on, and names the call', async () => {
  const { place, server } = await arena('effect: once');
  const waits = await place.pipeline([...ARGS, '--resume'], askingAt(server.url));
  expect(waits).toMatchObject({ code: 7 });
  expect(waits.stderr + waits.stdout).toContain('its call of shell');
  expect(server.requests).toHaveLength(1);
  const goesOn = await place.pipeline([...ARGS, '--resume', '--retry-unknown'], askingAt(server.url));
  expect(goesOn).toMatchObject({ code: 0 });
  expect(place.read('counter.log').split('\n')).toHaveLength(2);
});
