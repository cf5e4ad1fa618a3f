import { expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
import { project } from '../support/project.js';

const ITEMS = `version: 1
name: t
limits: { tokens: 8000 }
steps:
  - id: f
    foreach: [1, 2, 3, 4, 5, 6, 7, 8]
    max_parallel: 8
    agent: { prompt: 'hi \${{ item }}' }
    output: { type: object, properties: { t: { type: string } }, required: [t] }
`;

const answering = (usage: object): Provider => ({
  name: 'own',
  complete: async () => ({
    text: '',
    calls: [{ id: '1', name: 'resolve', arguments: '{"t":"x"}' }],
    finish: 'calls',
    ...usage,
  }),
});

it('open reservations alone do not end a run: eight branches of 30 tokens fit into 8 000', async () => {
  const own = answering({ usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 0 } });
  const ran = await project({ 'pipeline.yaml': ITEMS }).run({ model: 'own', providers: { own } });
  expect(ran).toMatchObject({ status: 'done', usage: { calls: 8, inputTokens: 160 } });
});

it('calls without usage count as what they were reckoned at, also after a resume', async () => {
  const own = answering({});
  const it = project({ 'pipeline.yaml': ITEMS.replace('max_parallel: 8', 'max_parallel: 1') });
  const first = await it.run({ model: 'own', providers: { own }, limits: { tokens: 2_500 } });
  expect(first).toMatchObject({ status: 'limit', exit: 6, usage: { calls: 2, unknownCalls: 2 } });
  const rounds = first.events.flatMap((event) => (event.type === 'round' ? [event.estimatedTokens] : []));
  expect(rounds.every((tokens) => tokens !== undefined && tokens > 1_000)).toBe(true);
  const again = await it.run({ model: 'own', providers: { own }, limits: { tokens: 3_500 }, resume: true });
  expect(again).toMatchObject({ status: 'limit', usage: { calls: 3 } });
});
