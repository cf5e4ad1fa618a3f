/** Reasoning goes back to the servers that demand it, and to no other. */
import { expect, it, onTestFinished } from 'vitest';
import { chunk, DONE, errorReply, type MockReply, type MockRequest, mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';

interface Sent {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly reasoning_content?: string;
    readonly tool_calls?: object[];
  }[];
}

const sentIn = ({ body }: MockRequest) => JSON.parse(body) as Sent;
const reasoned = (id: string, name: string, args: object, reasoning: string): MockReply => ({
  frames: [
    chunk({ reasoning_content: reasoning }),
    chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: JSON.stringify(args) } }] }, 'tool_calls'),
    DONE,
  ],
});
const turnsOf = ({ messages }: Sent) => messages.filter(({ role }) => role === 'assistant').length;
/** Whether each turn that called holds its reasoning. */
const isEchoed = ({ messages }: Sent) =>
  messages.every(({ tool_calls, reasoning_content }) => !tool_calls || reasoning_content !== undefined);

const steps = `version: 1
name: t
steps:
  - id: a
    agent: { prompt: "Look.", tools: [list_files] }
    output: { type: object, properties: { result: { type: string } }, required: [result] }
`;

async function serving(isStrict: boolean) {
  let hasCredit = true;
  const server = await mockServer((request) => {
    const sent = sentIn(request);
    if (isStrict && !isEchoed(sent)) {
      return errorReply(400, { message: 'thinking is enabled but reasoning_content is missing in assistant message' });
    }
    const round = turnsOf(sent);
    if (round === 2 && hasCredit) {
      hasCredit = false;
      return errorReply(402, { message: 'Insufficient Balance' });
    }
    if (round === 2) return reasoned('c3', 'resolve', { result: 'done' }, 'I know.');
    return reasoned(`c${round + 1}`, 'list_files', {}, `I should look, ${round + 1}.`);
  });
  onTestFinished(() => server.close());
  const { dir, run } = project({ 'pipeline.yaml': steps });
  const env = { PATH: process.env.PATH, HOME: dir, OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: server.url };
  return { server, run: (resume: boolean) => run({ env, model: 'openai/m', ...(resume ? { resume } : {}) }) };
}

const echoes = (requests: readonly MockRequest[]) =>
  requests.map((request) => sentIn(request).messages.flatMap(({ reasoning_content: echo }) => (echo ? [echo] : [])));

it('a resumed run, which remembers no refusal, is refused once and then sends the reasoning of its transcript', async () => {
  const { server, run } = await serving(true);
  expect((await run(false)).status).toBe('limit');
  // The second request is refused, and is repeated with the reasoning; the third has it from the start.
  expect(echoes(server.requests)).toEqual([[], [], ['I should look, 1.'], ['I should look, 1.', 'I should look, 2.']]);
  const before = server.requests.length;
  expect((await run(true)).status).toBe('done');
  expect(echoes(server.requests.slice(before))).toEqual([[], ['I should look, 1.', 'I should look, 2.']]);
});

it('a server that does not demand it never gets it, before or after a resume', async () => {
  const { server, run } = await serving(false);
  expect((await run(false)).status).toBe('limit');
  expect((await run(true)).status).toBe('done');
  expect(server.requests.length).toBeGreaterThan(3);
  expect(server.requests.filter(({ body }) => body.includes('reasoning_content') || body.includes('I should'))).toEqual(
    [],
  );
});
