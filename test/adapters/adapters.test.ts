import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import {
  agentToAdapter,
  createAgentLoop,
  createLlmAdapter,
  createReactAdapter,
  createToolRegistry,
  defineTool,
  type FromSchema,
  openAiProvider,
  type ToolSpec,
} from '../../src/index.js';
import { bodyOf, lastText, resolve, toolNames, turn } from '../support/chat.js';
import { type MockReply, mockServer } from '../support/mock-server.js';

const TITLE = {
  type: 'object',
  properties: { title: { type: 'string', maxLength: 5 }, score: { type: 'integer' } },
  required: ['title'],
} as const;

async function serving(...replies: readonly MockReply[]) {
  const server = await mockServer(replies);
  onTestFinished(() => server.close());
  return { server, model: { provider: openAiProvider({ name: 'openai', baseUrl: server.url }), model: 'm' } };
}

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => text,
});

describe('createReactAdapter', () => {
  it('gives the value that was handed to resolve, after an invalid one went back with its problems', async () => {
    const { server, model } = await serving(
      turn({ calls: [{ name: 'echo', args: { text: 'hi' } }] }),
      resolve({ title: 'too long a title' }),
      resolve({ title: 'Short', score: 1 }),
    );
    const review = createReactAdapter({ ...model, tools: [echo] })('Judge it.', TITLE);
    const value = await review('a paper');
    expectTypeOf(value).toEqualTypeOf<{ title: string; score?: number }>();
    expect(value).toEqual({ title: 'Short', score: 1 });
    expect(toolNames(server.requests[0])).toEqual(['echo', 'resolve']);
    expect(lastText(server.requests[2])).toContain('title');
    expect(bodyOf(server.requests[0]).messages.map(({ content }) => content)).toEqual([
      expect.stringContaining('Judge it.'),
      'a paper',
    ]);
  });

  it('reminds of resolve three times, then rejects with a fault that says where its transcript is', async () => {
    const { server, model } = await serving(turn({ text: 'Well.' }));
    const asked = createReactAdapter(model)('Judge it.', TITLE)('a paper');
    await expect(asked).rejects.toMatchObject({
      data: { code: 'agent.no_resolve', hint: expect.stringContaining('transcript.ndjson') },
    });
    expect(server.requests).toHaveLength(4);
  });

  it('stops after ten rounds, or as many as it is told', async () => {
    const replies = Array.from({ length: 20 }, (_, at) => turn({ calls: [{ name: 'echo', args: { text: `${at}` } }] }));
    const { server, model } = await serving(...replies);
    const asked = (maxRounds?: number) =>
      createReactAdapter({ ...model, tools: [echo], ...(maxRounds ? { maxRounds } : {}) })('x', TITLE)('y');
    await expect(asked(2)).rejects.toMatchObject({ data: { code: 'agent.rounds' } });
    expect(server.requests).toHaveLength(2);
    await expect(asked()).rejects.toMatchObject({ data: { code: 'agent.rounds' } });
    expect(server.requests).toHaveLength(12);
  });

  it('takes tools as they are told to a model, with one function that performs them all', async () => {
    const { server, model } = await serving(
      turn({ calls: [{ name: 'look', args: { at: 1 } }] }),
      resolve({ title: 'x' }),
    );
    const look: ToolSpec = { name: 'look', description: 'Look.', parameters: { type: 'object' } };
    const toolHandler = (name: string, input: object) => `${name} ${JSON.stringify(input)}`;
    await createReactAdapter({ ...model, tools: [look], toolHandler })('x', TITLE)('y');
    expect(lastText(server.requests[1])).toBe('look {"at":1}');
    expect(() => createReactAdapter({ ...model, tools: [look] })).toThrow('Nothing performs the tool "look"');
  });

  it('refuses a tool that is called resolve, and a schema that is not one of an object', async () => {
    const { model } = await serving();
    const own: ToolSpec = { name: 'resolve', description: '', parameters: { type: 'object' } };
    expect(() => createReactAdapter({ ...model, tools: [own], toolHandler: () => '' })).toThrow(
      'No tool can be called',
    );
    expect(() => createReactAdapter(model)('x', { type: 'string' })).toThrow('Wrap it');
  });

  it('takes a schema from whatever can say itself as one', async () => {
    const { server, model } = await serving(resolve({ title: 'x' }));
    await createReactAdapter(model)('x', { toJSONSchema: () => TITLE })('y');
    expect(server.requests[0]?.body).toContain('"maxLength":5');
  });
});

describe('createLlmAdapter', () => {
  it('asks once, without tools, and once more when the answer does not fit', async () => {
    const { server, model } = await serving(turn({ text: '{"title": 1}' }), turn({ text: '{"title": "Fits"}' }));
    expect(await createLlmAdapter(model)('Judge it.', TITLE)('a paper')).toEqual({ title: 'Fits' });
    expect(server.requests).toHaveLength(2);
    expect(bodyOf(server.requests[0]).tools).toBeUndefined();
  });
});

describe('agentToAdapter', () => {
  it('takes text that is in the schema as it is, and has another put into it by one call', async () => {
    const { server, model } = await serving(turn({ text: '{"title": "Put"}' }));
    const asIs = agentToAdapter(async () => '{"title": "As"}', model);
    expect(await asIs('x', TITLE)('y')).toEqual({ title: 'As' });
    expect(server.requests).toHaveLength(0);
    const asked: string[] = [];
    const wordy = agentToAdapter(async (prompt) => {
      asked.push(prompt);
      return { output: 'The title is Put.' };
    }, model);
    const said = [{ role: 'user', text: 'a paper' } as const, { role: 'user', text: 'and one more' } as const];
    expect(await wordy('Judge it.', TITLE)(said)).toEqual({ title: 'Put' });
    expect(asked).toEqual(['Judge it.\n\nuser: a paper\n\nuser: and one more']);
    expect(lastText(server.requests[0])).toBe('The title is Put.');
  });
});

describe('createAgentLoop', () => {
  it('ends with words, keeps whole rounds, and tells the model what a tool threw and which tools there are', async () => {
    const breaks = defineTool({
      name: 'breaks',
      description: 'Breaks.',
      inputSchema: { type: 'object' },
      execute: () => Promise.reject(new Error('no such thing')),
    });
    const { server, model } = await serving(
      turn({
        calls: [
          { name: 'breaks', args: {} },
          { name: 'nothing', args: {} },
        ],
      }),
      turn({ text: 'Done.' }),
      turn({ text: 'Again.' }),
    );
    const loop = createAgentLoop({ ...model, tools: createToolRegistry([echo, breaks]) });
    expect(await loop.run('Go.')).toEqual({ text: 'Done.', stopped: 'answered', rounds: 2 });
    const results = bodyOf(server.requests[1]).messages.filter(({ role }) => role === 'tool');
    expect(results[0]?.content).toContain('no such thing');
    expect(results[1]?.content).toContain('Its tools are: echo, breaks');
    expect((await loop.run('More.')).text).toBe('Again.');
    expect(loop.history.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(bodyOf(server.requests[2]).messages).toHaveLength(6);
  });

  it('sends what buildMessages makes of the history', async () => {
    const { server, model } = await serving(turn({ text: 'a' }), turn({ text: 'b' }));
    const loop = createAgentLoop({
      ...model,
      tools: [],
      buildMessages: (history, userMessage) => [{ role: 'user', text: `${history.length} before: ${userMessage}` }],
    });
    await loop.run('one');
    await loop.run('two');
    expect(server.requests.map(lastText)).toEqual(['0 before: one', '2 before: two']);
  });
});

it('a registry refuses a name that is taken', () => {
  expect(() => createToolRegistry([echo, echo])).toThrow('There is a tool "echo" already.');
  expect(createToolRegistry([echo]).specs()).toEqual([echo.spec]);
});

it('FromSchema reads types, enums, lists, unions and what is required', () => {
  type Value = FromSchema<{
    readonly type: 'object';
    readonly properties: {
      readonly kind: { readonly enum: readonly ['a', 'b'] };
      readonly list: { readonly type: 'array'; readonly items: { readonly type: 'number' } };
      readonly maybe: { readonly type: readonly ['string', 'null'] };
      readonly either: { readonly anyOf: readonly [{ readonly const: 1 }, { readonly type: 'boolean' }] };
    };
    readonly required: readonly ['kind', 'maybe', 'either'];
  }>;
  expectTypeOf<Value>().toEqualTypeOf<{
    kind: 'a' | 'b';
    maybe: string | null;
    either: 1 | boolean;
    list?: number[];
  }>();
});
