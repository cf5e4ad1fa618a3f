import { expect, it, onTestFinished } from 'vitest';
import { createModels } from '../../src/providers/models.js';
import { type Trial, tryModel } from '../../src/providers/try-model.js';
import { type Answer, callReply, chunk, DONE, errorReply, mockServer, textReply } from '../support/mock-server.js';

async function tried(answer: Answer): Promise<Trial & { readonly requests: number }> {
  const server = await mockServer(answer);
  onTestFinished(() => server.close());
  const role = { provider: 'openai', model: 'm', baseUrl: server.url, price: { input: 1, output: 1 } };
  const models = createModels({ roles: new Map([['default', role]]), env: {}, detect: false, cwd: '/' });
  const trial = await tryModel(await models.pick('default'), new AbortController().signal);
  return { ...trial, requests: server.requests.length };
}

const holds = ({ checks }: Trial) => Object.fromEntries(checks.map((check) => [check.name, check.holds]));
const asksForTool = (body: string) => body.includes('"tool_choice"');
const streamed = { frames: [chunk({ content: 'one ' }), chunk({ content: 'two' }), chunk({}, 'stop'), DONE] };

it('says of a server that can do it all that it can run agents, and what that cost', async () => {
  const told = {
    frames: [
      ...streamed.frames.slice(0, 3),
      'data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}}\n\n',
      DONE,
    ],
  };
  const trial = await tried(({ body }) => (asksForTool(body) ? callReply(['resolve', { word: 'ready' }]) : told));
  expect(trial).toMatchObject({ canRunAgents: true, requests: 2, usage: { inputTokens: 18, outputTokens: 4 } });
  expect(trial.usd).toBeCloseTo(22e-6);
  expect(new Set(Object.values(holds(trial)))).toEqual(new Set([true]));
  expect(trial).not.toHaveProperty('fault');
});

it('says of a server that takes no tools what it said, though it answers', async () => {
  const trial = await tried(({ body }) =>
    asksForTool(body) ? errorReply(400, { message: 'm does not support tools' }) : streamed,
  );
  expect(trial).toMatchObject({ canRunAgents: false, fault: { code: 'provider.refused' }, usd: null });
  expect(holds(trial)).toEqual({
    answers: true,
    'calls tools': false,
    'keeps tool_choice': false,
    streams: true,
    'tells usage': false,
  });
  expect(trial.checks[1]?.seen).toContain('does not support tools');
});

it('says of a model that writes text where it had to call that it cannot run agents', async () => {
  const trial = await tried(() => textReply('resolve(ready)'));
  expect(trial).toMatchObject({ canRunAgents: false, fault: { code: 'provider.refused' } });
  expect(holds(trial)).toMatchObject({ answers: true, 'calls tools': false, 'keeps tool_choice': false });
});

it.each([
  ['resolve', { title: 'x' }, 'resolve({"title":"x"}): the text "word" is not among them', 'arguments that do not fit'],
  ['other', { word: 'x' }, 'other({"word":"x"}): the tool is resolve', 'did not call the tool'],
])('says what is wrong with a call of %s(%j)', async (name, args, seen, message) => {
  const trial = await tried(({ body }) => (asksForTool(body) ? callReply([name, args]) : streamed));
  expect(trial.checks.find((check) => check.name === 'calls tools')).toEqual({
    name: 'calls tools',
    holds: false,
    seen,
  });
  expect(trial.fault?.message).toContain(message);
});

it('says when tool_choice had to be given up', async () => {
  const trial = await tried(({ body }) => {
    if (body.includes('"required"') && body.includes('"tool_choice":"required"'))
      return errorReply(400, { message: 'tool_choice must be auto' });
    return asksForTool(body) || body.includes('"tools"') ? callReply(['resolve', { word: 'ready' }]) : streamed;
  });
  expect(trial.canRunAgents).toBe(true);
  expect(trial.notices).toEqual([expect.stringContaining('tool_choice')]);
  expect(holds(trial)).toMatchObject({ 'calls tools': true, 'keeps tool_choice': false });
});

it('asks a server that cannot be used no second time', async () => {
  const trial = await tried(() => errorReply(503, { message: 'busy' }));
  expect(trial).toMatchObject({ canRunAgents: false, requests: 1, fault: { code: 'provider.overloaded' } });
  expect(holds(trial)).toEqual({ answers: false });
});
