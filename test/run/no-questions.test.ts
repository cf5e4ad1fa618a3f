/** In a pipeline no agent can ask a person. */
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, lastText, resolve, toolNames, turn } from '../support/chat.js';
import { mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';

const TITLE = '{ type: object, properties: { title: { type: string } }, required: [title] }';
const ALL = 'read_file, list_files, search_files, write_file, patch_file';

it('no agent of a pipeline can ask: it is told so, no tool asks, and a question gets a reminder instead of an answer', async () => {
  const server = await mockServer([
    turn({ text: 'Which title would you like?' }),
    turn({ calls: [{ name: 'ask_user', args: { question: 'Which title?' } }] }),
    turn({ calls: [{ name: 'run_shell_command', args: { command: 'true' } }] }),
    resolve({ title: 'Mine' }),
    turn({ text: '{"title": "Mine"}' }),
  ]);
  onTestFinished(() => server.close());
  let asked = 0;
  const place = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: react
    agent: { instructions: You write titles., prompt: x, tools: [${ALL}], model: openai/m }
    output: ${TITLE}
  - id: llm
    needs: [react]
    agent: { instructions: You write titles., prompt: x, adapter: llm, model: openai/m }
    output: ${TITLE}
`,
  });
  const ran = await place.run({
    model: undefined as never,
    env: { PATH: process.env.PATH, HOME: place.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
    ask: async ({ choices }) => {
      asked++;
      return { choice: choices[0] ?? '', comment: '' };
    },
  });
  expect(ran).toMatchObject({ status: 'done' });
  expect(asked).toBe(0);
  expect(toolNames(server.requests[0])).toEqual([...ALL.split(', '), 'resolve']);
  expect(lastText(server.requests[1])).toContain('Nobody reads plain text here');
  for (const [at, name] of [
    [2, 'ask_user'],
    [3, 'run_shell_command'],
  ] as const)
    expect(lastText(server.requests[at])).toContain(`"${name}" is not a tool of this step`);
  for (const at of [0, 4])
    expect(bodyOf(server.requests[at]).messages[0]?.content).toMatch(/nobody can answer a question/i);
});
