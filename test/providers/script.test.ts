import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message, ModelRequest, Provider } from '../../src/core/model.js';
import { scriptProvider } from '../../src/providers/script.js';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'script-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function script(text: string, name = 'turns.yaml'): Promise<Provider> {
  await writeFile(join(dir, name), text);
  return scriptProvider(join(dir, name));
}

function ask(
  provider: Provider,
  answers = 0,
  system = 'You plan.',
  signal = new AbortController().signal,
  step = '',
  more: Pick<ModelRequest, 'format'> = {},
) {
  const given: Message[] = Array.from({ length: answers }, () => ({ role: 'assistant', text: 'x', calls: [] }));
  const messages: Message[] = [{ role: 'user', text: 'About fireworks' }, ...given];
  return provider.complete(
    { model: 'script', system, messages, tools: [], toolChoice: 'auto', parameters: {}, ...more },
    { signal, step, idleTimeoutMs: 1_000 },
  );
}

describe('a script', () => {
  it('gives every agent its turns in order, by what the conversation holds', async () => {
    const provider = await script(
      '- { text: one, usage: { input: 3, output: 1 } }\n- calls: [{ name: resolve, arguments: { a: 1 } }, { name: f, arguments: "{a:" }]\n',
    );
    expect(await ask(provider, 1)).toMatchObject({
      finish: 'calls',
      calls: [{ name: 'resolve', arguments: '{"a":1}' }, { arguments: '{a:' }],
    });
    expect(await ask(provider, 0)).toEqual({
      text: 'one',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 1, cachedTokens: 0 },
    });
  });

  it('gives the arguments of resolve as the text where the answer is asked for as one', async () => {
    const provider = await script(
      '- resolve: { a: 1 }\n  usage: { input: 3, output: 1, cached: 1, cache_written: 2 }\n- text: "{}"\n',
    );
    const format = { name: 'v', schema: { type: 'object' } };
    const { signal } = new AbortController();
    expect(await ask(provider, 0, 'You judge.', signal, '', { format })).toEqual({
      text: '{"a":1}',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 3, outputTokens: 1, cachedTokens: 1, cacheWrittenTokens: 2 },
    });
    expect(await ask(provider, 1, 'You judge.', signal, '', { format })).toMatchObject({ text: '{}', finish: 'stop' });
    expect(await ask(provider, 0)).toMatchObject({ finish: 'calls', calls: [{ name: 'resolve' }] });
  });

  it('gives turns to the agent whose instructions or prompt they match', async () => {
    const agents = [
      { match: 'audit', turns: [{ text: 'A' }] },
      { match: 'fireworks', turns: [{ text: 'F' }] },
    ];
    const provider = await script(JSON.stringify({ agents }), 'turns.json');
    expect((await ask(provider, 0, 'You audit.')).text).toBe('A');
    expect((await ask(provider)).text).toBe('F');
  });

  it('gives an error once, before the answer that follows it', async () => {
    const provider = await script(
      '- text: one\n- error: { code: provider.overloaded, message: busy, retry_after_ms: 5 }\n- error: { code: provider.silent }\n- text: two\n',
    );
    expect((await ask(provider, 0)).text).toBe('one');
    await expect(ask(provider, 1)).rejects.toMatchObject({
      data: { code: 'provider.overloaded', message: 'busy', retryAfterMs: 5 },
    });
    await expect(ask(provider, 1)).rejects.toMatchObject({ data: { code: 'provider.silent' } });
    expect((await ask(provider, 1)).text).toBe('two');
  });

  it('says when it is out of turns, and for whom it has none', async () => {
    const provider = await script('agents: [{ match: plan, turns: [{ text: one }] }]');
    await expect(ask(provider, 1)).rejects.toThrow('out of turns for the agent "plan": it has 1, and answer 2');
    await expect(ask(provider, 0, 'Other')).rejects.toThrow('no agent for this conversation; it knows "plan"');
  });

  it('waits as long as it says, unless it is stopped', async () => {
    const provider = await script('- { text: late, delay_ms: 60000 }');
    const stop = new AbortController();
    const reason = new Error('stop');
    setTimeout(() => stop.abort(reason), 20);
    await expect(ask(provider, 0, '', stop.signal)).rejects.toBe(reason);
  });

  it.each([
    ['text', 'is neither a list of turns'],
    ['agents: [{ match: x }]', 'has no list "turns" in agents[0]'],
    ['- one', 'has a turn that is not a map: agents[0].turns[0]'],
    ['- error: { code: nonsense }', 'unknown code "nonsense"'],
    ['- calls: [{ arguments: {} }]', 'has a call without a "name"'],
    ['[', 'cannot be parsed'],
  ])('says what is wrong with %j', async (text, message) => {
    await expect(script(text).then((provider) => ask(provider))).rejects.toThrow(message);
  });

  it('gives turns to the step that they are for, as a test does', async () => {
    const turns = { 'rounds/0/critic': { text: 'first' }, critic: [{ text: 'later' }] };
    for (const text of [JSON.stringify({ turns }), JSON.stringify(turns)]) {
      const provider = await script(text);
      expect((await ask(provider, 0, '', undefined, 'rounds/0/critic')).text).toBe('first');
      expect((await ask(provider, 0, '', undefined, 'rounds/1/critic')).text).toBe('later');
      await expect(ask(provider, 0, '', undefined, 'draft')).rejects.toThrow('has no turns for the step "draft"');
    }
  });

  it('that is a pipe or a device is refused, and no file is waited for', async () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const file of [join(dir, 'pipe'), '/dev/zero']) {
      await expect(ask(scriptProvider(file))).rejects.toMatchObject({
        data: { code: 'config.invalid', message: expect.stringContaining('is not a regular file') },
      });
    }
  });

  it('says that its file is not there', async () => {
    await expect(ask(scriptProvider(join(dir, 'none.yaml')))).rejects.toThrow('cannot be read (ENOENT)');
  });
});
