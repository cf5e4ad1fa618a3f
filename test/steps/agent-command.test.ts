import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { turn } from '../support/chat.js';
import { type Answer, type MockReply, mockServer } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const FIXTURE = new URL('../fixtures/pipelines/another-agent', import.meta.url).pathname;
const ANSWER = { verdict: 'good', why: 'It is short.' };

/** The fixture's project, with some of its text replaced. */
function another(replaced: readonly (readonly [string, string])[] = []): TestProject {
  const written = readFileSync(join(FIXTURE, 'pipeline.yaml'), 'utf8');
  const missing = replaced.find(([from]) => !written.includes(from));
  if (missing) throw new Error(`the fixture has no ${missing[0]}`);
  return project({
    'pipeline.yaml': replaced.reduce((text, [from, to]) => text.replace(from, to), written),
    'scripts/agent.mjs': readFileSync(join(FIXTURE, 'scripts/agent.mjs'), 'utf8'),
  });
}

const TEXT = [
  `type: object
      properties: { verdict: { enum: [good, bad] }, why: { type: string } }
      required: [verdict, why]
      additionalProperties: false`,
  'type: string',
] as const;
const BY_STDIN = [`      prompt_as: file\n`, ''] as const;
const WITHOUT_FILE = [`, '{prompt_file}'`, ''] as const;

async function served(script: readonly MockReply[] | Answer = []) {
  const server = await mockServer(script);
  onTestFinished(() => server.close());
  const run = (it: TestProject, does: string, more = {}) =>
    it.run({
      query: 'a text',
      inputs: { does },
      model: undefined as never,
      env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
      ...more,
    });
  return { server, run, bodies: () => server.requests.map(({ body }) => JSON.parse(body)) };
}

it.each(['json', 'fenced'])('takes an answer that is %s as it is, and asks no model', async (does) => {
  const { server, run } = await served();
  expect(await run(another(), does)).toMatchObject({ status: 'done', result: ANSWER });
  expect(server.requests).toEqual([]);
});

it('lets one call put prose into the schema', async () => {
  const { run, bodies } = await served([turn({ text: JSON.stringify(ANSWER) })]);
  const ran = await run(another(), 'prose');
  expect(ran).toMatchObject({ status: 'done', result: ANSWER, usage: { calls: 1 } });
  const [asked, ...others] = bodies();
  expect(others).toEqual([]);
  expect(asked.tools).toBeUndefined();
  expect(asked.messages[0].content).toMatch(/invent nothing[\s\S]*"verdict"/);
  expect(asked.messages[1].content).toBe('I have read it. It is good, for it is short.\n');
});

it('gives the program instructions and prompt on standard input, and names their file', async () => {
  const { run } = await served();
  const { result } = await run(another([TEXT, BY_STDIN, WITHOUT_FILE]), 'echo');
  const seen = JSON.parse(String(result)) as Record<string, Json>;
  expect(seen.stdin).toMatch(/^You review texts\.[\s\S]*\n---\n\nReview: a text\n$/);
  expect(seen).toEqual({ stdin: seen.stdin, others: [], file: seen.stdin, hidden: [] });
});

it('with prompt_as: file, gives the path of the prompt as an argument and nothing on standard input', async () => {
  const { run } = await served();
  const ran = await run(another([TEXT]), 'echo');
  const seen = JSON.parse(String(ran.result));
  expect(seen).toMatchObject({ stdin: '', others: [join(ran.dir, '.steps/review/prompt.md')] });
  expect(seen.file).toBe(ran.file('.steps/review/prompt.md'));
});

it('names the path of an image, which the program can look at itself, and shows it to no model', async () => {
  const { server, run } = await served([turn({ text: JSON.stringify(ANSWER) })]);
  const it = another([['model: openai/m', 'model: openai/m\n      files: [chart.png]']]);
  writeFileSync(join(it.dir, 'chart.png'), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a));
  const ran = await run(it, 'prose');
  expect(ran).toMatchObject({ status: 'done', result: ANSWER });
  expect(ran.file('.steps/review/prompt.md')).toContain(`## Image: chart.png\n\n${join(it.dir, 'chart.png')}\n`);
  expect(server.requests[0]?.body).not.toContain('chart.png');
});

it('takes the text without its last newline where the schema is a string, and needs no model for it', async () => {
  const { server, run } = await served();
  const ran = await run(another([TEXT]), 'prose');
  expect(ran.result).toBe('I have read it. It is good, for it is short.');
  expect(server.requests).toEqual([]);
});

it.each([
  [
    'fail',
    { code: 'shell.exit', exit: 3, stderr: 'not logged in\n', message: 'the command exited with 3: not logged in' },
  ],
  ['nothing', { code: 'shell.output', message: expect.stringContaining('printed nothing') }],
  ['binary', { code: 'shell.output', message: 'the output is not UTF-8 text' }],
])('fails when the program does this: %s', async (does, fault) => {
  const { server, run } = await served();
  expect(await run(another(), does)).toMatchObject({ status: 'failed', fault });
  expect(server.requests).toEqual([]);
});

it('ends a program that is silent for longer than idle_timeout', async () => {
  const { run } = await served();
  const ran = await run(another([['idle_timeout: 20s', 'idle_timeout: 300ms']]), 'stall');
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.silent' } });
});

it('says that the program is not there', async () => {
  const { run } = await served();
  const ran = await run(another([['[node, ', '[no-such-agent, ']]), 'json');
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.missing' } });
});

it('publishes what the program left in its folder', async () => {
  const { run } = await served();
  const ran = await run(another([['idle_timeout: 20s', 'artifacts: [note.md]']]), 'leave');
  expect(ran.status).toBe('done');
  expect(ran.file('note.md')).toBe('# Note\n');
  expect(ran.file('.steps/review/prompt.md')).toContain(
    'write these files into the folder in which you were started: note.md',
  );
});

it('does not ask a model to mend what only the program could have done', async () => {
  const { server, run } = await served();
  const ran = await run(another([['idle_timeout: 20s', 'artifacts: [note.md]']]), 'json');
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.artifacts' } });
  expect(server.requests).toEqual([]);
});

it('after an extraction that failed, goes on with the conversation and does not start the program again', async () => {
  let answers = false;
  const { server, run } = await served(() =>
    answers ? turn({ text: JSON.stringify(ANSWER) }) : { status: 400, body: '{"error":{"message":"no"}}' },
  );
  const it = another();
  const first = await run(it, 'prose');
  expect(first).toMatchObject({ status: 'failed', fault: { code: 'provider.refused' } });
  answers = true;
  cutAfterStart(first.dir);
  rmSync(join(it.dir, 'scripts/agent.mjs'));
  it.write('scripts/agent.mjs', readFileSync(join(FIXTURE, 'scripts/agent.mjs'), 'utf8'));
  writeFileSync(join(first.dir, '.steps/review/stdout.log'), 'from the first start');
  const ran = await run(it, 'prose', { resume: true });
  expect(ran).toMatchObject({ status: 'done', result: ANSWER });
  expect(ran.file('.steps/review/stdout.log')).toBe('from the first start');
  expect(server.requests.length).toBeGreaterThan(1);
});

it('goes on with an extraction that no answer was accepted of, when a person says so', async () => {
  const { server, run } = await served([
    turn({ text: 'no' }),
    turn({ text: 'no' }),
    turn({ text: JSON.stringify(ANSWER) }),
  ]);
  const it = another();
  const first = await run(it, 'prose');
  expect(first).toMatchObject({ status: 'failed', fault: { code: 'agent.schema' } });
  writeFileSync(join(first.dir, '.steps/review/stdout.log'), 'from the first start');
  const ran = await run(it, 'prose', { resume: true, goOn: { step: 'review', rounds: 1 } });
  expect(ran).toMatchObject({ status: 'done', result: ANSWER });
  expect(ran.file('.steps/review/stdout.log')).toBe('from the first start');
  expect(server.requests).toHaveLength(3);
});

it('begins an interrupted program anew in an empty folder, and keeps what it had left', async () => {
  const { run } = await served();
  const it = another();
  const first = await run(it, 'fail');
  cutAfterStart(first.dir);
  mkdirSync(join(first.dir, '.steps/review/work'), { recursive: true });
  writeFileSync(join(first.dir, '.steps/review/work/half.md'), 'half');
  const ran = await run(it, 'fail', { resume: true });
  expect(ran.file('.steps/review/attempts/1/work/half.md')).toBe('half');
  expect(ran.events.find(({ type }) => type === 'step_started')).toMatchObject({
    because: 'the last attempt was interrupted',
  });
  expect(readdirSync(join(ran.dir, '.steps/review')).sort()).toEqual(['attempts', 'prompt.md', 'stderr.log', 'work']);
  expect(existsSync(join(ran.dir, '.steps/review/work/half.md'))).toBe(false);
});

/** The journal as a kill in the middle of the step would have left it. */
function cutAfterStart(dir: string): void {
  const journal = join(dir, 'events.ndjson');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const start = lines.findIndex((line) => line.includes('"step_started"'));
  writeFileSync(journal, `${lines.slice(0, start + 1).join('\n')}\n`);
}

it.each([
  ['command: [node', 'tools: [read_file], command: [node', /`tools` means nothing with adapter: command/],
  ['prompt_as: file', 'max_rounds: 3', /`max_rounds` means nothing|\{prompt_file\} is replaced only/],
  ['adapter: command', 'adapter: llm', /`command` means nothing with adapter: llm/],
  ['adapter: command', "adapter: '${{ inputs.does }}'", /`adapter` is never templated/],
])('the check refuses %s written as %s', async (from, to, message) => {
  const it = another([[from, to.replace(', command', '\n      command')]]);
  const { problems } = await it.refused({ inputs: { does: 'json' } });
  expect(problems.map((problem) => problem.message).join('\n')).toMatch(message);
});

it('the check asks for the command', async () => {
  const it = project({
    'pipeline.yaml':
      'version: 1\nname: t\nsteps:\n  - { id: a, agent: { adapter: command, prompt: p }, output: { type: string } }\n',
  });
  const { problems } = await it.refused();
  expect(problems).toMatchObject([{ message: '`adapter: command` needs `command`.', at: { line: 4 } }]);
});

it('ends a program that prints without end', async () => {
  const ran = await project({
    'pipeline.yaml':
      'version: 1\nname: t\nsteps: [{ id: a, agent: { adapter: command, command: ["yes"], prompt: go }, output: { type: string } }]\n',
  }).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.output' } });
  expect(ran.message).toContain('more than 64 MB to standard output');
});
