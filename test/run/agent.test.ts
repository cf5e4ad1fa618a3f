import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, lastText, resolve, toolNames, turn } from '../support/chat.js';
import { type Answer, type MockReply, mockServer } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const TITLE =
  '{ type: object, properties: { title: { type: string } }, required: [title], additionalProperties: false }';

const oneAgent = (keys = '', more = '') => ({
  'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { instructions: You write titles., prompt: 'A title for \${{ query }}', model: openai/m${keys} }
    output: ${TITLE}
${more}result: '\${{ steps.a.output }}'
`,
});

async function served(script: readonly MockReply[] | Answer) {
  const server = await mockServer(script);
  onTestFinished(() => server.close());
  const run = (it: TestProject) =>
    it.run({
      model: undefined as never,
      env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
    });
  return { server, run };
}

it('sends an invalid answer back with path, expected and received, and accepts the corrected one', async () => {
  const { server, run } = await served([resolve({ title: 7 }), resolve({ title: 'Seven' })]);
  const ran = await run(project(oneAgent()));
  expect(ran).toMatchObject({
    status: 'done',
    result: { title: 'Seven' },
    usage: { calls: 2, inputTokens: 20, outputTokens: 10 },
  });
  expect(lastText(server.requests[1])).toMatch(/title/);
  expect(lastText(server.requests[1])).toMatch(/expected.*string/);
  expect(lastText(server.requests[1])).toMatch(/received.*7/);
  expect(ran.paths('answer_refused')).toEqual(['a']);
});

it('sends a false assert back like a schema error, in the same history', async () => {
  const { server, run } = await served([resolve({ title: 'a b c' }), resolve({ title: 'ab' })]);
  const ran = await run(
    project(
      oneAgent(
        '',
        "    assert: [{ that: 'output.title.size() < 4', message: 'At most three characters, not ${{ output.title }}' }]\n",
      ),
    ),
  );
  expect(ran.result).toEqual({ title: 'ab' });
  expect(lastText(server.requests[1])).toContain('At most three characters, not a b c');
});

it('offers only the listed tools, and executes nothing that is not listed: no file, an error result, an event', async () => {
  const { server, run } = await served([
    turn({ calls: [{ name: 'write_file', args: { path: 'x.txt', content: 'x' } }] }),
    resolve({ title: 'T' }),
  ]);
  const ran = await run(project(oneAgent(', tools: [list_files]')));
  expect(toolNames(server.requests[0]).sort()).toEqual(['list_files', 'resolve']);
  expect(lastText(server.requests[1])).toMatch(
    /"write_file" is not a tool of this step; nothing was executed.*list_files, resolve/,
  );
  expect(ran.events.find((event) => event.type === 'tool_refused')).toMatchObject({ path: 'a', name: 'write_file' });
  expect(ran.files()).toEqual([]);
  expect(existsSync(join(ran.dir, '.steps/a/work/x.txt'))).toBe(false);
});

it('says of a listed tool in the last round that this takes only resolve, to the model and to the person', async () => {
  const list = turn({ calls: [{ name: 'list_files', args: {} }] });
  const { run } = await served([list, list]);
  const ran = await run(project(oneAgent(', tools: [list_files], max_rounds: 2')));
  expect(ran.events.flatMap((event) => (event.type === 'tool_refused' ? [event.reason] : []))).toEqual([
    'list_files was called, but the last round takes only resolve',
  ]);
  expect(ran.file('.steps/a/transcript.ndjson')).toContain('the last round takes only resolve; nothing was executed.');
});

it('lets a listed tool write into the work folder, and publishes the file when the step has succeeded', async () => {
  const { run } = await served([
    turn({ calls: [{ name: 'write_file', args: { path: 'notes/x.txt', content: 'hello\n' } }] }),
    resolve({ title: 'T' }),
  ]);
  const ran = await run(project(oneAgent(', tools: [write_file, read_file]')));
  expect(ran.files()).toEqual(['notes/x.txt']);
  expect(ran.file('notes/x.txt')).toBe('hello\n');
});

it('reminds an agent that answers in plain text three times, and fails at the fourth', async () => {
  const { server, run } = await served([turn({ text: 'Here is the title: T' })]);
  const ran = await run(project(oneAgent()));
  expect(server.requests).toHaveLength(4);
  expect(lastText(server.requests[1])).toContain('`resolve`');
  expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.no_resolve' } });
});

it('warns before a dead loop and stops at it, but lets polling go on', async () => {
  const same = turn({ calls: [{ name: 'list_files', args: {} }] });
  const { server, run } = await served([same]);
  const ran = await run(project(oneAgent(', tools: [list_files]')));
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'agent.dead_loop' } });
  expect(server.requests).toHaveLength(3);
  expect(lastText(server.requests[2])).toContain('same calls');
});

it('names the rounds that are left, offers only resolve in the last one, and fails when they are used up', async () => {
  const calls: Answer = (_, index) => turn({ calls: [{ name: 'list_files', args: { path: index % 2 ? '.' : '' } }] });
  const { server, run } = await served(calls);
  const ran = await run(project(oneAgent(', tools: [list_files], max_rounds: 5, dead_loop_window: 0')));
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'agent.rounds' } });
  expect(server.requests).toHaveLength(5);
  expect(lastText(server.requests[2])).toContain('3 rounds are left');
  expect(toolNames(server.requests[4])).toEqual(['resolve']);
});

it('tells a schema that was never satisfied from rounds that ran out', async () => {
  const { run } = await served((_, index) => resolve({ title: index }));
  const ran = await run(project(oneAgent(', max_rounds: 3')));
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'agent.schema' } });
});

it('says back arguments that are not JSON, runs nothing, and gives up after three turns of them', async () => {
  const broken = turn({ calls: [{ name: 'resolve', args: "{'title': 'x',}" }] });
  const { server, run } = await served([broken]);
  const ran = await run(project(oneAgent(', dead_loop_window: 0')));
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'agent.arguments' } });
  expect(server.requests).toHaveLength(3);
  expect(lastText(server.requests[1])).toContain('not valid JSON');
});

it('runs nothing of an answer that was cut off, and fails after three', async () => {
  const cut = turn({ calls: [{ name: 'write_file', args: '{"path":"o.md","content":"# T' }], finish: 'length' });
  const { server, run } = await served([cut]);
  const ran = await run(project(oneAgent(', tools: [write_file]')));
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'agent.truncated' } });
  expect(lastText(server.requests[1])).toContain('cut off');
  expect(ran.files()).toEqual([]);
});

it('tries a call again after a bad moment of the service, and fails with exit 3 when it refuses', async () => {
  const { server, run } = await served([
    { status: 503, body: 'busy', headers: { 'retry-after': '0' } },
    resolve({ title: 'T' }),
  ]);
  const ran = await run(project(oneAgent()));
  expect(ran.status).toBe('done');
  expect(ran.paths('call_retry')).toEqual(['a']);
  expect(server.requests).toHaveLength(2);
  const no = await served([{ status: 401, body: '{"error":{"message":"bad key"}}' }]);
  const refused = await no.run(project(oneAgent()));
  expect(refused).toMatchObject({ status: 'failed', exit: 3, fault: { code: 'provider.refused' } });
  expect(no.server.requests).toHaveLength(1);
});

it('wraps an output schema that is no object for the call, and unwraps the answer', async () => {
  const { server, run } = await served([resolve({ result: ['a', 'b'] })]);
  const ran = await run(
    project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: List., model: openai/m }
    output: { type: array, items: { type: string } }
result: '\${{ steps.a.output }}'
`,
    }),
  );
  expect(ran.result).toEqual(['a', 'b']);
  expect(server.requests[0]?.body).toContain('"result"');
});

it('tells an agent what file is missing before its resolve is accepted', async () => {
  const { server, run } = await served([
    resolve({ title: 'T' }),
    turn({ calls: [{ name: 'write_file', args: { path: 'report.md', content: '# R' } }] }),
    resolve({ title: 'T' }),
  ]);
  const ran = await run(project(oneAgent(', tools: [write_file]', "    artifacts: ['report.md']\n")));
  expect(ran.status).toBe('done');
  expect(lastText(server.requests[1])).toContain('report.md');
  expect(ran.files()).toEqual(['report.md']);
});

it('keeps requests growing at the end only, and the first message as it was', async () => {
  const { server, run } = await served([
    turn({ calls: [{ name: 'list_files', args: {} }] }),
    turn({ calls: [{ name: 'list_files', args: { path: '.' } }] }),
    resolve({ title: 'T' }),
  ]);
  await run(project(oneAgent(', tools: [list_files]')));
  const [first, second, third] = server.requests.map((request) => bodyOf(request).messages);
  expect(second?.slice(0, first?.length)).toEqual(first);
  expect(third?.slice(0, second?.length)).toEqual(second);
});

it('stops before a call that the token limit does not allow: status limit, resumable', async () => {
  const { server, run } = await served([resolve({ title: 'T' })]);
  const it = project({
    'pipeline.yaml': oneAgent()['pipeline.yaml'].replace('steps:', 'limits: { tokens: 500 }\nsteps:'),
  });
  const ran = await run(it);
  expect(ran).toMatchObject({ status: 'limit', exit: 6, fault: { code: 'run.limit' } });
  expect(server.requests).toHaveLength(0);
});

it('says before the run what sketch cannot honour in an output schema', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: Hello }
    output: { type: object, properties: { x: { type: string } }, required: [x], not: { required: [y] } }
`,
  });
  const refused = await it.refused();
  expect(refused.problems).toMatchObject([
    { rule: 'sketch-schema', at: { line: 6 }, message: expect.stringContaining('"not"') },
  ]);
});
