/** What a run does when a service gives no more in the middle of it. */
import { expect, it, onTestFinished } from 'vitest';
import { callReply, errorReply, mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';

const ITEMS = 100;
const PARALLEL = 4;
const ANSWERED = 29;

it('sends at most the requests that were on their way, ends with limit, and asks on resume for exactly the rest', async () => {
  let isPaid = false;
  let answered = 0;
  const server = await mockServer(() => {
    if (!isPaid && answered >= ANSWERED) return errorReply(429, { message: 'no credit', code: 'insufficient_quota' });
    answered++;
    return callReply(['resolve', { ok: true }]);
  });
  onTestFinished(() => server.close());
  const it = project({
    'pipeline.config.yaml': `models: { default: { provider: openai, base_url: "${server.url}", model: m } }\n`,
    'pipeline.yaml': `version: 1
name: many
limits: { max_parallel: ${PARALLEL} }
steps:
  - id: each
    foreach: '${JSON.stringify(Array.from({ length: ITEMS }, (_, at) => at))}'
    max_items: ${ITEMS}
    agent: { prompt: 'Item \${{ item }}' }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }
result: '\${{ size(steps.each.output) }}'
`,
  });
  const request = { model: undefined as never };

  const first = await it.run(request);
  expect(first).toMatchObject({ status: 'limit', exit: 6, fault: { code: 'provider.exhausted' } });
  expect(server.requests.length).toBeLessThanOrEqual(ANSWERED + PARALLEL);
  expect(first.paths('step_failed')).toEqual([]);

  isPaid = true;
  const before = server.requests.length;
  expect(await it.run({ ...request, resume: true })).toMatchObject({ status: 'done', result: ITEMS });
  expect(server.requests.length - before).toBe(ITEMS - ANSWERED);
});
