import { expect, it } from 'vitest';
import { closingLines } from '../../src/cli/closing.js';
import { serving } from '../cases/serving.js';
import { lastText, resolve, turn } from '../support/chat.js';
import { chunk, DONE, errorReply, type MockReply } from '../support/mock-server.js';
import { project } from '../support/project.js';

const OUTPUT = 'output: { type: object, properties: { word: { type: string } }, required: [word] }';

/** Calls `list_files`; without usage if `silent`. */
function looking(tokens: number, silent: boolean, at: number): MockReply {
  const call = {
    tool_calls: [{ index: 0, id: `c${at}`, function: { name: 'list_files', arguments: `{"path":"./${at}"}` } }],
  };
  const usage = { usage: { prompt_tokens: tokens - 50, completion_tokens: 50 } };
  return { frames: [chunk(call), chunk({}, 'tool_calls', silent ? {} : usage), DONE] };
}

it('eight branches together never pass a limit in tokens by more than one reservation, though one server tells no usage', async () => {
  const limit = 10_000;
  const each = 900;
  const server = await serving((request, index) => looking(each, request.body.includes('branch 3'), index));
  const it = project({
    'pipeline.yaml': `version: 1
name: t
limits: { tokens: ${limit} }
steps:
  - id: f
    foreach: [1, 2, 3, 4, 5, 6, 7, 8]
    max_parallel: 8
    agent: { prompt: 'branch \${{ item }}', tools: [list_files] }
    ${OUTPUT}
`,
  });
  const ran = await server.run(it);
  expect(ran).toMatchObject({ status: 'limit', exit: 6 });
  const reservation = 1_000 + Math.max(...server.requests.map(({ body }) => body.length)) / 4;
  expect(server.requests.length).toBeGreaterThan(4);
  expect(server.requests.length * each).toBeLessThanOrEqual(limit + reservation);
});

it('says which limit would do, and with it the resume comes further', async () => {
  const server = await serving((_, index) => (index < 5 ? looking(900, false, index) : resolve({ word: 'w' })));
  const it = project({
    'pipeline.yaml': `version: 1
name: t
limits: { tokens: 3000 }
steps:
  - id: f
    agent: { prompt: 'look', tools: [list_files] }
    ${OUTPUT}
`,
  });
  const ran = await server.run(it);
  expect(ran).toMatchObject({ status: 'limit', fault: { code: 'run.limit', raise: 'tokens=6000' } });
  expect(closingLines(ran, [], { skillsDir: [], detect: true }).at(-1)).toMatch(/--limit tokens=6000$/);
  expect((await server.run(it, { resume: true, limits: { tokens: 60_000 } })).status).toBe('done');
});

it('a quota that is gone at item 30 of 100 costs no more requests than run at once, and the resume does exactly the rest', async () => {
  let isGone = true;
  const gone = errorReply(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' });
  const server = await serving((_, index) => (isGone && index >= 30 ? gone : resolve({ word: 'w' })));
  const items = Array.from({ length: 100 }, (_, at) => at).join(', ');
  const it = project({
    'pipeline.yaml': `version: 1
name: t
limits: { max_parallel: 8 }
steps:
  - id: f
    foreach: [${items}]
    max_parallel: 8
    agent: { prompt: 'item \${{ item }}' }
    ${OUTPUT}
`,
  });
  const first = await server.run(it);
  expect(first).toMatchObject({ status: 'limit', exit: 6, census: { failed: 0 } });
  const done = first.paths('step_done').filter((path) => path.startsWith('f/')).length;
  expect(server.requests.length).toBeLessThanOrEqual(30 + 8);
  isGone = false;
  const before = server.requests.length;
  expect(await server.run(it, { resume: true })).toMatchObject({
    status: 'done',
    census: { asked: 100, reused: done },
  });
  expect(server.requests.length - before).toBe(100 - done);
});

const PRICED = `models:
  default: { provider: openai, base_url: URL, model: m, price: { input: 1000, output: 1000 } }
`;
const LOOPING = `version: 1
name: t
steps:
  - id: a
    agent: { prompt: Look., tools: [list_files], max_rounds: 30, dead_loop_window: 0 }
    ${OUTPUT}
`;

it('a limit in US dollars stops the run before the call that would pass it, over resumes too; the model is told at 80 %', async () => {
  const server = await serving((_, index) => looking(100, false, index));
  const it = project({ 'pipeline.yaml': LOOPING, 'pipeline.config.yaml': PRICED.replace('URL', server.url) });
  // A call costs $0.10, and is reckoned at more than $1.
  const ran = await server.run(it, { limits: { usd: 2 } });
  expect(ran).toMatchObject({ status: 'limit', exit: 6, fault: { code: 'run.limit' } });
  expect(ran.message).toMatch(/limit in US dollars of the run is reached: \$0\.\d+ used/);
  expect(ran.usage.usd).toBeCloseTo(0.1 * server.requests.length, 6);
  const spent = server.requests.length;
  expect(await server.run(it, { limits: { usd: 2 }, resume: true })).toMatchObject({ status: 'limit' });
  expect(server.requests).toHaveLength(spent);
  await server.run(it, { limits: { usd: 4 }, resume: true });
  expect(server.requests.length).toBeGreaterThan(spent);
  const told = server.requests.filter((request) => lastText(request).includes('of what the run may use is used'));
  expect(told.length).toBeLessThanOrEqual(1);
});

it('the model is told once, at 80 % of its tokens', async () => {
  const server = await serving((_, index) => looking(1_000, false, index));
  const it = project({ 'pipeline.yaml': LOOPING });
  await server.run(it, { limits: { tokens: 20_000 } });
  const told = server.requests.flatMap(({ body }, at) => (body.includes('of what the run may use') ? [at] : []));
  expect(told[0]).toBe(16);
  expect(server.requests.at(-1)?.body.match(/of what the run may use/g)).toHaveLength(1);
});

it('an attempt that broke off in its answer counts as used, and a refused one does not', async () => {
  const cut: MockReply = { frames: [chunk({ content: 'half' })], close: 'reset' };
  const server = await serving([cut, errorReply(503, { message: 'busy' }), resolve({ word: 'w' })]);
  const it = project({ 'pipeline.yaml': LOOPING });
  const ran = await server.run(it);
  expect(ran).toMatchObject({ status: 'done' });
  const retries = ran.events.flatMap((event) => (event.type === 'call_retry' ? [event.estimatedTokens] : []));
  expect(retries).toEqual([expect.any(Number), undefined]);
});

it('what nobody would answer to is lost and said: the last attempt too', async () => {
  const server = await serving([{ frames: [chunk({ content: 'half' })], close: 'reset' }]);
  const it = project({ 'pipeline.yaml': LOOPING });
  const ran = await server.run(it);
  expect(ran).toMatchObject({ status: 'failed' });
  expect(ran.paths('call_retry')).toHaveLength(3);
  expect(ran.paths('call_lost')).toEqual(['a']);
});

it('only text and no call, then an answer, is told in full', async () => {
  const server = await serving([turn({ text: 'hm' }), resolve({ word: 'w' })]);
  const ran = await server.run(project({ 'pipeline.yaml': LOOPING }));
  expect(ran.usage).toMatchObject({ calls: 2, inputTokens: 20, outputTokens: 10, unknownCalls: 0 });
});

it('a refused answer is a round that was paid: the limits count it, also after resumes', async () => {
  const refusal = {
    choices: [{ index: 0, message: { role: 'assistant', refusal: 'I will not.' }, finish_reason: 'stop' }],
  };
  const body = JSON.stringify({ ...refusal, usage: { prompt_tokens: 500, completion_tokens: 500 } });
  const server = await serving([{ body, headers: { 'content-type': 'application/json' } }]);
  const it = project({ 'pipeline.yaml': LOOPING });
  const first = await server.run(it, { limits: { tokens: 3_200 } });
  expect(first).toMatchObject({ status: 'failed', usage: { calls: 1, inputTokens: 500 } });
  expect(first.events.findLast(({ type }) => type === 'step_failed')).toMatchObject({
    fault: { code: 'agent.refusal' },
  });
  for (let more = 0; more < 4; more++) await server.run(it, { limits: { tokens: 3_200 }, resume: true });
  expect(server.requests.length).toBeLessThanOrEqual(3);
});

it('replies of a server that tells nothing, or nothing but zeros, count by their length', async () => {
  const long = resolve({ word: 'w'.repeat(40_000) });
  const zeros = {
    ...long,
    frames: long.frames?.map((frame) =>
      String(frame).replace(/"prompt_tokens":10,"completion_tokens":5/, '"prompt_tokens":0,"completion_tokens":0'),
    ),
  };
  const server = await serving([zeros as MockReply]);
  const ran = await server.run(project({ 'pipeline.yaml': LOOPING }));
  const [round] = ran.events.flatMap((event) => (event.type === 'round' ? [event] : []));
  expect(round?.usage).toBeUndefined();
  expect(round?.estimatedTokens).toBeGreaterThan(10_000);
});
