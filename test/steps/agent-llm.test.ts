import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { turn } from '../support/chat.js';
import { type Answer, type MockReply, mockServer } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const TITLE = '{ type: object, properties: { title: { type: string } }, required: [title] }';

const oneCall = (output = TITLE, more = '', keys = '') =>
  project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { adapter: llm, instructions: You write titles., prompt: 'For \${{ query }}', model: openai/m${keys} }
    output: ${output}
${more}result: \${{ steps.a.output }}
`,
  });

async function served(script: readonly MockReply[] | Answer) {
  const server = await mockServer(script);
  onTestFinished(() => server.close());
  const run = (it: TestProject, more = {}) =>
    it.run({
      model: undefined as never,
      env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
      ...more,
    });
  return { server, run, bodies: () => server.requests.map(({ body }) => JSON.parse(body)) };
}

const said = (...texts: string[]) => texts.map((text) => turn({ text }));

it('asks once, without tools, for JSON of the schema', async () => {
  const { run, bodies } = await served(said('{"title":"Seven"}'));
  const ran = await run(oneCall());
  expect(ran).toMatchObject({ status: 'done', result: { title: 'Seven' }, usage: { calls: 1 } });
  const [asked] = bodies();
  expect(asked.tools).toBeUndefined();
  expect(asked.messages).toMatchObject([
    { role: 'system', content: expect.stringMatching(/^You write titles\.[\s\S]*no other words:\n\{"type":"object"/) },
    { role: 'user', content: 'For a query' },
  ]);
  expect(ran.file('.steps/a/prompt.md')).toContain(asked.messages[0].content);
});

it.each([
  ['a fenced block', '```json\n{"title":"Seven"}\n```\n', { title: 'Seven' }, TITLE],
  ['a list in its wrapping', '{"result":["a"]}', ['a'], '{ type: array, items: { type: string } }'],
  ['a list as it is', '["a"]', ['a'], '{ type: array, items: { type: string } }'],
  ['a text', '  {"not":"parsed"}\n', '{"not":"parsed"}', '{ type: string }'],
])('takes %s', async (_, text, value, output) => {
  const { run } = await served(said(text));
  expect((await run(oneCall(output))).result).toEqual(value);
});

it('sends an answer back once, with the reasons, and takes the next one', async () => {
  const { run, bodies } = await served(said('{"title":7}', '{"title":"Seven"}'));
  const ran = await run(oneCall());
  expect(ran).toMatchObject({ status: 'done', result: { title: 'Seven' }, usage: { calls: 2 } });
  expect(bodies()[1].messages.slice(2)).toEqual([
    { role: 'assistant', content: '{"title":7}' },
    {
      role: 'user',
      content:
        'The answer was not accepted.\n- /title: expected string, received number 7\nCorrect this, then answer again with the whole JSON value, and no other words.',
    },
  ]);
  expect(ran.events.filter(({ type }) => type === 'round' || type === 'answer_refused')).toMatchObject([
    { type: 'round', round: 1, model: 'openai/m', usage: { inputTokens: 10 } },
    { type: 'answer_refused', round: 1, problems: ['/title: expected string, received number 7'] },
    { type: 'round', round: 2 },
  ]);
});

it('sends back what an assert says', async () => {
  const { run, bodies } = await served(said('{"title":"x"}', '{"title":"Seven"}'));
  const assert = `    assert: [{ that: 'size(output.title) > 1', message: Longer than a letter. }]\n`;
  expect((await run(oneCall(TITLE, assert))).result).toEqual({ title: 'Seven' });
  expect(bodies()[1].messages.at(-1).content).toContain('- answer: Longer than a letter.');
});

it.each([
  ['prose twice', said('Seven!', 'Eight!'), 'agent.schema', /it is not JSON: [\s\S]*it begins with "Eight!"/, 2],
  ['JSON with words around it', said('Here: {"title":"x"}', '{"title":"x"} so'), 'agent.schema', /it is not JSON/, 2],
  ['nothing', said('', ' '), /agent.schema|provider.protocol/, /empty|nothing/i, undefined],
  ['a cut-off answer', [turn({ text: '{"title":"S', finish: 'length' })], 'agent.truncated', /cut off/, 2],
  ['a refusal', [turn({ text: 'No.', finish: 'content_filter' })], 'agent.refusal', /refused: No\./, 1],
])('fails on %s', async (_, script, code, message, calls) => {
  const { server, run } = await served(script);
  const ran = await run(oneCall());
  expect(ran).toMatchObject({
    status: 'failed',
    fault: {
      code: typeof code === 'string' ? code : expect.stringMatching(code),
      message: expect.stringMatching(message),
    },
  });
  if (calls !== undefined) expect(server.requests).toHaveLength(calls);
});

it('after a kill goes on behind the first answer', async () => {
  const { server, run, bodies } = await served(said('{"title":7}', '{"title":"Seven"}'));
  const it = oneCall();
  const first = await run(it);
  expect(server.requests).toHaveLength(2);
  cutAfterFirstRound(first.dir);
  const ran = await run(it, { resume: true });
  expect(ran).toMatchObject({ status: 'done', result: { title: 'Seven' } });
  expect(server.requests).toHaveLength(3);
  expect(bodies()[2]).toEqual(bodies()[1]);
});

it('goes on in the same conversation when a person grants more rounds', async () => {
  const { server, run, bodies } = await served(said('Seven', 'Seven!', '{"title":"Seven"}'));
  const it = oneCall();
  expect(await run(it)).toMatchObject({ status: 'failed', fault: { code: 'agent.schema' } });
  const ran = await run(it, { resume: true, goOn: { step: 'a', rounds: 1 } });
  expect(ran).toMatchObject({ status: 'done', result: { title: 'Seven' } });
  expect(server.requests).toHaveLength(3);
  expect(bodies()[2].messages.slice(0, 4)).toEqual(bodies()[1].messages);
});

/** Journal and transcript as a kill after the first round would have left them. */
function cutAfterFirstRound(dir: string): void {
  for (const [name, mark] of [
    ['events.ndjson', '"round"'],
    ['.steps/a/transcript.ndjson', '"type":"round"'],
  ] as const) {
    const file = join(dir, name);
    const lines = readFileSync(file, 'utf8').split('\n');
    const last = lines.findIndex((line) => line.includes(mark));
    writeFileSync(file, `${lines.slice(0, last + 1).join('\n')}\n`);
  }
}

it.each([TITLE, '{ type: string }'])('is answered by the sketch, too: %s', async (output) => {
  expect(await oneCall(output).run()).toMatchObject({ status: 'done', usage: { calls: 1 } });
});

it('is replayed from its run', async () => {
  const { server, run } = await served(said('{"title":7}', '{"title":"Seven"}'));
  const it = oneCall();
  const { dir } = await run(it);
  expect(await run(it, { replay: dir })).toMatchObject({ status: 'done', result: { title: 'Seven' } });
  expect(server.requests).toHaveLength(2);
});

it('the check refuses a step that must leave files', async () => {
  const { problems } = await oneCall(TITLE, '    artifacts: [note.md, "*.csv"]\n').refused();
  expect(problems).toMatchObject([
    {
      severity: 'error',
      rule: 'agent-config',
      message: '`adapter: llm` has no tool to write what the step must leave: note.md, *.csv.',
      hint: 'Use adapter: react with write_file, or `save` the output.',
    },
  ]);
});

it.each(['tools: []', 'max_rounds: 3', 'dead_loop_window: 1', 'command: [x]', 'prompt_as: file'])(
  'the check refuses %s',
  async (key) => {
    const { problems } = await oneCall(TITLE, '', `, ${key}`).refused();
    expect(problems).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/^`\w+` means nothing with adapter: llm\.$/) },
    ]);
  },
);
