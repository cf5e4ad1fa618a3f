import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turn } from '../support/chat.js';
import { messageReply, toolReply } from '../support/mock-messages.js';
import { type MockReply, mockServer } from '../support/mock-server.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Wire {
  readonly model: string;
  env(url: string): Readonly<Record<string, string>>;
  calls(name: string, args: object): MockReply;
  text(text: string): MockReply;
}

const WIRES: Readonly<Record<string, Wire>> = {
  'Chat Completions': {
    model: 'openai/m',
    env: (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'a-key' }),
    calls: (name, args) => turn({ calls: [{ name, args: args as never }] }),
    text: (text) => turn({ text }),
  },
  'the Messages API': {
    model: 'anthropic/m',
    env: (url) => ({ ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ''), ANTHROPIC_API_KEY: 'a-key' }),
    calls: (name, args) => toolReply(['call_1', name, args]),
    text: messageReply,
  },
};

async function example(name: string, wire: Wire, replies: readonly MockReply[]) {
  const server = await mockServer(replies);
  onTestFinished(() => server.close());
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [`examples/${name}.mjs`], {
    cwd: ROOT,
    env: { PATH, HOME, MODEL: wire.model, ...wire.env(server.url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const code = await new Promise((end) => child.once('close', end));
  return { code, stdout, stderr, requests: server.requests };
}

describe.each(Object.entries(WIRES))('over %s', (_, wire) => {
  it('read-file.mjs answers from package.json in two rounds', async () => {
    const ran = await example('read-file', wire, [
      wire.calls('read_file', { path: 'package.json' }),
      wire.text('It is called pipeline.'),
    ]);
    expect(ran).toMatchObject({ code: 0, stdout: 'It is called pipeline. (2 rounds)\n' });
    expect(ran.requests[1]?.body).toContain('Run skills as repeatable pipelines');
  });

  it('typed-answer.mjs gives a value of the schema, after an answer that was none', async () => {
    const ran = await example('typed-answer', wire, [
      wire.calls('count_words', { text: 'Attention is all you need' }),
      wire.calls('resolve', { verdict: 'maybe', words: 5 }),
      wire.calls('resolve', { verdict: 'accept', words: 5 }),
    ]);
    expect(ran).toMatchObject({ code: 0, stdout: 'accept, 5 words\n' });
    expect(ran.requests[1]?.body).toContain('"5"');
    expect(ran.requests[2]?.body).toContain('not accepted');
  });

  it('run-pipeline.mjs tells what is done, and the result', async () => {
    const ran = await example('run-pipeline', wire, [wire.calls('resolve', { title: 'Sparse' })]);
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'title is done\nletters is done\ndone Sparse: 6 letters\n',
    });
  });

  it('own-agent.mjs has the agent of the program do the step, held against the schema of the step', async () => {
    const ran = await example('own-agent', wire, [
      wire.calls('length_of', { text: 'Sparse' }),
      wire.calls('resolve', { rating: 6 }),
      wire.calls('resolve', { rating: 4 }),
    ]);
    expect(ran).toMatchObject({ code: 0, stdout: 'done Sparse, rated 4\n' });
    expect(ran.requests[0]?.body).toContain('Rate the title');
    expect(ran.requests[2]?.body).toContain('not accepted');
  });
});

const refused: MockReply = { status: 401, body: '{"error":{"message":"Incorrect API key"}}' };

it.each(['run-pipeline', 'own-agent'])('%s.mjs says why its run failed, and exits as the run does', async (name) => {
  const ran = await example(name, WIRES['Chat Completions'] as Wire, [refused]);
  expect(ran).toMatchObject({ code: 3, stdout: expect.stringMatching(/^failed .*HTTP 401: Incorrect API key/m) });
});

it('what is not caught is shown with a line of the source that fits a screen', async () => {
  const ran = await example('read-file', WIRES['Chat Completions'] as Wire, [refused]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('HTTP 401: Incorrect API key');
  expect(Math.max(...ran.stderr.split('\n').map(({ length }) => length))).toBeLessThan(500);
});

it.each(['read-file', 'typed-answer', 'own-agent'])(
  '%s.mjs says that there is no key, and asks nobody',
  async (name) => {
    const wire = { ...(WIRES['Chat Completions'] as Wire), env: () => ({}) };
    const ran = await example(name, wire, []);
    expect(ran).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('set OPENAI_API_KEY') });
  },
);
