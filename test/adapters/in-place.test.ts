/** Adapters of a program that do the work of a run's agents. */
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type AdapterFn,
  createLlmAdapter,
  createReactAdapter,
  defineTool,
  openAiProvider,
  TOOLS,
} from '../../src/index.js';
import { bodyOf, lastText, resolve, toolNames, turn } from '../support/chat.js';
import { type MockReply, mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';

const FILE = `version: 1
name: t
steps:
  - id: draft
    agent: { instructions: You write titles., prompt: 'A title for \${{ query }}', tools: [read_file] }
    output: { type: object, properties: { title: { type: string } }, required: [title], additionalProperties: false }
    assert: [{ that: 'output.title.size() < 6', message: 'At most five characters' }]
  - id: rounds
    steps:
      - id: audit
        agent: { instructions: You judge., prompt: '\${{ steps.draft.output.title }}', model: nobody/none }
        output: { type: string }
result: '\${{ steps.draft.output.title }}: \${{ steps.rounds.output.audit }}'
`;
const plain = { 'pipeline.yaml': FILE };

async function serving(...replies: readonly MockReply[]) {
  const server = await mockServer(replies);
  onTestFinished(() => server.close());
  return { server, model: { provider: openAiProvider({ name: 'mine', baseUrl: server.url }), model: 'm' } };
}

const always = (value: unknown): AdapterFn => (() => async () => value) as never;

describe('adapters of runPipeline', () => {
  it('do the work of the steps they name, with their instructions, schema and prompt, and no other model is needed', async () => {
    const { server, model } = await serving(resolve({ title: 'Short' }), turn({ text: '{"result": "fine"}' }));
    const ran = await project(plain).run({
      model: undefined as never,
      adapters: { draft: createReactAdapter(model), 'rounds/audit': createLlmAdapter(model) },
    });
    expect(ran).toMatchObject({ status: 'done', result: 'Short: fine' });
    expect(toolNames(server.requests[0])).toEqual(['resolve']);
    expect(bodyOf(server.requests[0]).messages.map(({ content }) => content)).toEqual([
      expect.stringContaining('You write titles.'),
      'A title for a query',
    ]);
    expect(bodyOf(server.requests[1]).messages.at(-1)).toMatchObject({ content: 'Short' });
  });

  it('hold an answer against the asserts of the step, as its own agent would', async () => {
    const { server, model } = await serving(resolve({ title: 'too long' }), resolve({ title: 'Short' }));
    const ran = await project(plain).run({ adapters: { draft: createReactAdapter(model), audit: always('ok') } });
    expect(ran.result).toBe('Short: ok');
    expect(lastText(server.requests[1])).toContain('At most five characters');
  });

  it('are part of the run: rounds and tokens in its journal, a transcript in its folder, its limits', async () => {
    const { model } = await serving(resolve({ title: 'Short' }), resolve({ title: 'Short' }));
    const place = project(plain);
    const adapters = { draft: createReactAdapter(model), audit: always('ok') };
    const ran = await place.run({ adapters });
    expect(ran.usage).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 5 });
    expect(ran.paths('round')).toEqual(['draft']);
    expect(ran.file('.steps/draft/transcript.ndjson')).toContain('You write titles.');
    const limited = await place.run({ query: 'another', adapters, limits: { tokens: 3 } });
    expect(limited.fault).toMatchObject({ code: 'run.limit' });
    const dear = place.run({ query: 'another', adapters, limits: { usd: 1 } });
    await expect(dear).rejects.toMatchObject({
      data: { code: 'config.invalid', message: expect.stringContaining('adapter of step "draft"') },
    });
  });

  it('give their tools the step they work for, and may call other agents on the way', async () => {
    const { server, model } = await serving(
      turn({ text: '{"idea": "a long idea"}' }),
      turn({ calls: [{ name: 'where', args: {} }] }),
      resolve({ title: 'Short' }),
    );
    const where = defineTool({
      name: 'where',
      description: 'd',
      inputSchema: { type: 'object' },
      execute: (_, { path }) => path,
    });
    const IDEA = { type: 'object', properties: { idea: { type: 'string' } }, required: ['idea'] } as const;
    const think = createLlmAdapter(model)('Find an idea.', IDEA);
    const write = createReactAdapter({ ...model, tools: [where] });
    const both: AdapterFn = (prompt, schema) => async (thread, call) => {
      const { idea } = await think(thread, call);
      return write(prompt, schema)(idea, call);
    };
    const ran = await project(plain).run({
      adapters: { draft: both, audit: always('ok') },
    });
    expect(ran.result).toBe('Short: ok');
    expect(lastText(server.requests[2])).toBe('draft');
  });

  it('do each item of a loop, and steps of another skill that is a step', async () => {
    const place = project({
      'skills/inner/pipeline.yaml': `version: 1
name: inner
steps:
  - id: say
    foreach: '\${{ ["a", "b"] }}'
    agent: { instructions: i, prompt: '\${{ item }} of \${{ query }}' }
    output: { type: string }
result: '\${{ steps.say.output }}'
`,
      'pipeline.yaml': `version: 1
name: outer
steps:
  - id: part
    pipeline: { skill: inner, query: x }
result: '\${{ steps.part.output }}'
`,
    });
    const shout: AdapterFn = () => async (thread) => String(thread).toUpperCase() as never;
    expect((await place.run({ adapters: { 'part/say': shout } })).result).toEqual(['A OF X', 'B OF X']);
  });

  it("may use the tools of a step: what they write is the step's, and what they read decides whether its result is kept", async () => {
    const replies = () => [
      turn({ calls: [{ name: 'read_file', args: { path: 'notes.md' } }] }),
      turn({ calls: [{ name: 'write_file', args: { path: 'out.md', content: 'made' } }] }),
      resolve({ title: 'Short' }),
    ];
    const { server, model } = await serving(...replies(), ...replies());
    const place = project({
      'notes.md': 'one',
      'pipeline.yaml': `version: 1
name: t
permissions: { read: [notes.md] }
steps:
  - id: a
    agent: { instructions: i, prompt: x }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
    artifacts: [out.md]
`,
    });
    const adapters = { a: createReactAdapter({ ...model, tools: TOOLS }) };
    const ran = await place.run({ adapters });
    expect(ran).toMatchObject({ status: 'done' });
    expect(ran.file('out.md')).toBe('made');
    await place.run({ adapters, resume: true });
    expect(server.requests).toHaveLength(3);
    place.write('notes.md', 'two');
    await place.run({ adapters, resume: true });
    expect(server.requests).toHaveLength(6);
  });

  it('are held against the schema whatever they give, and what they throw is told as theirs', async () => {
    const place = project(plain);
    const wrong = await place.run({ adapters: { draft: always({ title: 7 }), audit: always('ok') } });
    expect(wrong.fault).toMatchObject({ code: 'step.output' });
    const thrown: AdapterFn = () => async () => {
      throw new Error('no agent today');
    };
    const broken = await place.run({ query: 'another', adapters: { draft: thrown, audit: always('ok') } });
    expect(broken.fault).toMatchObject({ code: 'step.output', message: expect.stringContaining('no agent today') });
  });

  it('that answer at once, without the function in between, are told what an adapter is', async () => {
    const hasty = (async (thread: unknown) => ({ title: String(thread) })) as unknown as AdapterFn;
    const ran = await project(plain).run({ adapters: { draft: hasty, audit: always('ok') } });
    expect(ran).toMatchObject({
      status: 'failed',
      fault: {
        code: 'step.output',
        message: expect.stringContaining('the adapter of the program gives no function'),
        hint: expect.stringContaining('async (thread, call) => value'),
      },
    });
  });

  it('are refused for a step that is not there or is no agent', async () => {
    const place = project(plain);
    await expect(place.run({ adapters: { drafts: always('x') } })).rejects.toThrow(
      'no step of "t" has the id "drafts"',
    );
    await expect(place.run({ adapters: { rounds: always('x') } })).rejects.toThrow('step "rounds" is of kind `steps`');
  });
});
