import { expect, it, onTestFinished } from 'vitest';
import { resolve } from '../support/chat.js';
import { seen, workspace } from '../support/cli.js';
import { errorReply, mockServer } from '../support/mock-server.js';
import { askingAt } from './script-server.js';

it('ends with 130 on SIGINT in the middle of a wait of a minute, and asks the server no more', async () => {
  const server = await mockServer([
    errorReply(429, { message: 'slow down' }, { 'retry-after': '60' }),
    resolve({ title: 'T' }),
  ]);
  onTestFinished(() => server.close());
  const place = workspace('exit-codes');
  const run = place.start(['run', 'agent.yaml', 'a query'], askingAt(server.url));
  onTestFinished(() => void run.child.kill('SIGKILL'));
  await seen(() => place.events('agent/a-query').some(({ type }) => type === 'call_retry'));
  run.child.kill('SIGINT');
  expect(await run.ended).toMatchObject({ code: 130, signal: null });
  expect(server.requests).toHaveLength(1);
  expect(JSON.parse(place.read('skill_run/agent/a-query/run.json'))).toMatchObject({ status: 'cancelled', exit: 130 });
});
