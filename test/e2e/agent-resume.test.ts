import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seen, type Workspace, workspace } from '../support/cli.js';
import { type Answer, mockServer } from '../support/mock-server.js';
import { askingAt, scripted } from './script-server.js';

const RUN = 'twelve-rounds/asked';
const ARGS = ['run', 'pipeline.yaml', 'asked', '--quiet'];

async function models(answer: Answer) {
  const server = await mockServer(answer);
  onTestFinished(() => server.close());
  return server;
}

it("asks for round 8 after a kill in the twelve-round agent's round 8, byte for byte as if nothing had happened", async () => {
  const answer = scripted('twelve-rounds');
  const whole = await models(answer);
  expect(await workspace('twelve-rounds').pipeline(ARGS, askingAt(whole.url))).toMatchObject({ code: 0 });
  expect(whole.requests).toHaveLength(12);

  const cut = await models((request, index) => (index === 7 ? { refuse: 'hang' } : answer(request)));
  const place = workspace('twelve-rounds');
  const run = place.start(ARGS, askingAt(cut.url));
  await seen(() => cut.requests.length === 8);
  run.child.kill('SIGKILL');
  expect(await run.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(place.events(RUN).filter((event) => event.type === 'round')).toHaveLength(7);

  expect(await place.pipeline([...ARGS, '--resume'], askingAt(cut.url))).toMatchObject({ code: 0 });
  const afterwards = cut.requests.slice(8).map((request) => request.body);
  expect(afterwards).toEqual(whole.requests.slice(7).map((request) => request.body));
  expect(place.events(RUN).flatMap((event) => (event.type === 'round' ? [event.round] : []))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
  ]);
});

it('counts a round that is in the conversation and not in the journal, as a kill between the two leaves it', async () => {
  const server = await models(scripted('twelve-rounds'));
  const place = workspace('twelve-rounds');
  expect(await place.pipeline(ARGS, askingAt(server.url))).toMatchObject({ code: 0 });
  const usage = () => (JSON.parse(place.read(`skill_run/${RUN}/run.json`)) as { readonly usage: object }).usage;
  const undisturbed = usage();
  forgetAfterLastRound(place, 1);
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(12);
  expect(place.events(RUN).filter((event) => event.type === 'round')).toHaveLength(12);
  expect(usage()).toEqual(undisturbed);
});

/** Takes away what the run did after its last round was recorded, as if it had been killed right there. @param more events that are lost as well */
function forgetAfterLastRound(place: Workspace, more = 0): void {
  const folder = join(place.dir, 'skill_run', RUN);
  const lines = place.read(`skill_run/${RUN}/events.ndjson`).split('\n').slice(0, -1);
  const last = lines.findLastIndex((line) => line.includes('"type":"round"'));
  const kept = lines.slice(0, last + 1 - more).map((line) => `${line}\n`);
  truncateSync(join(folder, 'events.ndjson'), Buffer.byteLength(kept.join('')));
  rmSync(join(folder, 'answer.json'));
}

it('takes an answer that was accepted right before the kill, and does not ask again', async () => {
  const server = await models(scripted('twelve-rounds'));
  const place = workspace('twelve-rounds');
  expect(await place.pipeline(ARGS, askingAt(server.url))).toMatchObject({ code: 0 });
  forgetAfterLastRound(place);
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(place.read(`skill_run/${RUN}/answer.json`)).toContain('eleven pages');
  expect(server.requests).toHaveLength(12);
});

it('remembers over a kill which files the agent had read: a changed one makes it run again', async () => {
  const answer = scripted('twelve-rounds');
  const server = await models((request, index) => (index === 7 ? { refuse: 'hang' } : answer(request)));
  const place = workspace('twelve-rounds');
  const run = place.start(ARGS, askingAt(server.url));
  await seen(() => server.requests.length === 8);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  place.write('pages/2.txt', 'Another page 2.\n');
  const asked = server.requests.length;
  expect(await place.pipeline([...ARGS, '--resume'], askingAt(server.url))).toMatchObject({ code: 0 });
  expect(server.requests.length - asked).toBe(12);
});
