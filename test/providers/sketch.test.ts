import { describe, expect, it } from 'vitest';
import type { Message, ModelReply, ModelRequest, ToolSpec } from '../../src/core/model.js';
import { sketchProvider } from '../../src/providers/sketch.js';

const never = new AbortController().signal;
const spec = (name: string, properties = {}, required: string[] = []): ToolSpec => ({
  name,
  description: '',
  parameters: { type: 'object', properties, required },
});
const RESOLVE = spec('resolve', { verdict: { enum: ['advance', 'revise'] } }, ['verdict']);

function ask(request: Partial<ModelRequest>, provider = sketchProvider()): Promise<ModelReply> {
  return provider.complete(
    {
      model: 'sketch',
      system: 'You plan.',
      messages: [{ role: 'user', text: 'Topic: fireworks. Read notes.md.' }],
      tools: [RESOLVE],
      toolChoice: 'auto',
      parameters: {},
      ...request,
    },
    { signal: never, idleTimeoutMs: 1_000 },
  );
}

function answered(reply: ModelReply, error: boolean): Message[] {
  return [
    { role: 'assistant', text: reply.text, calls: reply.calls },
    ...reply.calls.map((call) => ({ role: 'tool', callId: call.id, name: call.name, text: '', error }) as const),
  ];
}

const first: Message = { role: 'user', text: 'Topic: fireworks. Read notes.md.' };

describe('the sketch model', () => {
  it('answers in the form that is asked for, in another way each time it is asked again', async () => {
    const format = { name: 'verdict', schema: RESOLVE.parameters };
    const reply = await ask({ tools: [], format });
    expect(reply).toMatchObject({ text: '{"verdict":"advance"}', calls: [], finish: 'stop' });
    const messages: Message[] = [first, { role: 'assistant', text: reply.text, calls: [] }, first];
    expect((await ask({ tools: [], format, messages })).text).toBe('{"verdict":"revise"}');
  });

  it('looks with each read-only tool once, then resolves', async () => {
    const text = { type: 'string' };
    const tools = [
      spec('list_files', { path: text }),
      spec('read_file', { path: text, limit: { type: 'integer' } }, ['path']),
      spec('search_files', { pattern: text }, ['pattern']),
      spec('write_file', { path: text }, ['path']),
      spec('shell', { command: text }, ['command']),
      RESOLVE,
    ];
    const looking = await ask({ tools });
    expect(looking.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['list_files', {}],
      ['read_file', { path: 'notes.md' }],
      ['search_files', { pattern: 'fireworks' }],
    ]);
    const done = await ask({ tools, messages: [first, ...answered(looking, true)] });
    expect(done.calls.map(({ name }) => name)).toEqual(['resolve']);
  });

  it('reads no file when the prompt names none', async () => {
    const reply = await ask({
      tools: [spec('read_file', {}, ['path']), RESOLVE],
      messages: [{ role: 'user', text: 'Topic: fireworks' }],
    });
    expect(reply.calls.map(({ name }) => name)).toEqual(['resolve']);
  });

  it('answers differently after a refusal, three times at most', async () => {
    const messages: Message[] = [first];
    const verdicts: string[] = [];
    for (let i = 0; i < 6; i++) {
      const reply = await ask({ messages: [...messages] });
      verdicts.push(JSON.parse(reply.calls[0]?.arguments ?? '').verdict);
      messages.push(...answered(reply, true));
    }
    expect(verdicts).toEqual(['advance', 'revise', 'advance', 'revise', 'revise', 'revise']);
  });

  it('gives the same answer to the same request, and different call ids to different agents', async () => {
    expect(await ask({})).toEqual(await ask({}));
    expect((await ask({})).calls[0]?.id).not.toBe((await ask({ system: 'You audit.' })).calls[0]?.id);
  });

  it('counts tokens as a quarter of the characters', async () => {
    const { usage } = await ask({ system: '', messages: [{ role: 'user', text: 'x'.repeat(400) }] });
    expect(usage).toEqual({ inputTokens: 100, outputTokens: 6, cachedTokens: 0 });
  });

  it('answers the last message of a chat, and looks at nothing there', async () => {
    const tools = [spec('skills_list'), spec('list_files'), spec('run_brief_pipeline')];
    const messages: Message[] = [first, { role: 'assistant', text: 'Yes.', calls: [] }, { role: 'user', text: 'Rain' }];
    expect(await ask({ tools, messages })).toMatchObject({
      text: 'Placeholder answer without a language model: Rain.',
      calls: [],
    });
    expect((await ask({ tools: [], messages })).text).toContain(': Rain.');
  });

  it('calls in a chat the pipeline that a message says to call, once, with what is asked, and tells its result', async () => {
    const text =
      'Use the skill "brief".\nIt runs as a pipeline: call run_brief_pipeline with the query, and report.\nWhat is asked: why\nso\nContract of this skill: no questions.';
    const asked: Message[] = [first, { role: 'assistant', text: 'Yes.', calls: [] }, { role: 'user', text }];
    const tools = [spec('skills_list'), spec('run_brief_pipeline')];
    const reply = await ask({ tools, messages: asked });
    expect(reply.calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual([
      ['run_brief_pipeline', { query: 'why\nso' }],
    ]);
    const [said, result] = answered(reply, false) as [Message, Message];
    const after = await ask({ tools, messages: [...asked, said, { ...result, text: 'done' }] });
    expect(after).toMatchObject({ calls: [], text: expect.stringMatching(/run_brief_pipeline gave:\n\ndone$/) });
    expect((await ask({ tools: [spec('skills_list')], messages: asked })).calls).toEqual([]);
  });

  it('says in a chat that there is no language model', async () => {
    expect(await ask({ tools: [] })).toMatchObject({
      text: expect.stringContaining('without a language model'),
      finish: 'stop',
    });
  });
});
