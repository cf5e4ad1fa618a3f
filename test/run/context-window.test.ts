import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serving } from '../cases/serving.js';
import { bodyOf, resolve } from '../support/chat.js';
import { chunk, DONE, errorReply, type MockReply, type MockRequest } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const STEP = `version: 1
name: t
steps:
  - id: read
    agent: { prompt: Read., tools: [read_file] }
    output: { type: object, properties: { word: { type: string } }, required: [word] }
`;
/** Tells no usage, as what the mock server would tell is not what it was sent. */
const read = (path: string): MockReply => {
  const call = { name: 'read_file', arguments: JSON.stringify({ path }) };
  return { frames: [chunk({ tool_calls: [{ index: 0, id: path, function: call }] }), chunk({}, 'tool_calls'), DONE] };
};
const pages = Object.fromEntries(
  [1, 2, 3, 4].map((page) => [`skills/x/${page}.txt`, `page ${page}: ${'words\n'.repeat(2_000)}`]),
);
const script = [
  read('1.txt'),
  read('2.txt'),
  read('3.txt'),
  read('4.txt'),
  read('.results/m0002-read_file.txt'),
  resolve({ word: 'w' }),
];

function reading(context: string): TestProject {
  return project({
    ...pages,
    'skills/x/pipeline.yaml': STEP,
    'pipeline.config.yaml': `models:\n  default: { provider: openai, base_url: URL, model: m${context} }\n`,
  });
}
const results = (request: MockRequest | undefined) =>
  bodyOf(request).messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

it('near the end of the context early results give way to a line with the path of the whole text, which can be read again', async () => {
  const server = await serving(script);
  const it = reading(', context: 10000');
  it.write('pipeline.config.yaml', it.read('pipeline.config.yaml').replace('URL', server.url));
  const ran = await server.run(it, { target: 'x' });
  expect(ran).toMatchObject({ status: 'done' });
  const shown = results(server.requests[4]);
  expect(shown[0]).toMatch(
    /^\[left out to save room: read_file gave \d+ characters here; the whole text is the file \.results\/m0002-read_file\.txt\]$/,
  );
  expect(shown.at(-1)).toContain('page 4: words');
  expect(results(server.requests[5]).at(-1)).toContain('page 1: words');
  expect(ran.events.some((event) => event.type === 'step_notice' && /gave way to a line each/.test(event.text))).toBe(
    true,
  );
  expect(ran.files()).toEqual([]);
  expect(readFileSync(join(ran.dir, '.steps/read/results/m0002-read_file.txt'), 'utf8')).toContain('page 1');
});

it('a resumed agent goes on with what had given way', async () => {
  const gone = errorReply(401, { message: 'no key' });
  const server = await serving([...script.slice(0, 4), gone, ...script.slice(4)]);
  const it = reading(', context: 10000');
  it.write('pipeline.config.yaml', it.read('pipeline.config.yaml').replace('URL', server.url));
  await server.run(it, { target: 'x' });
  expect(await server.run(it, { target: 'x', resume: true })).toMatchObject({ status: 'done' });
  expect(results(server.requests[5])[0]).toMatch(/^\[left out/);
  expect(bodyOf(server.requests[5]).messages).toEqual(bodyOf(server.requests[4]).messages);
});

it('a refusal of a conversation that is too long makes room once, also where nobody had told how much the model takes', async () => {
  const long = errorReply(400, {
    message: "This model's maximum context length is 8192 tokens.",
    code: 'context_length_exceeded',
  });
  const server = await serving([...script.slice(0, 3), long, ...script.slice(3)]);
  const it = reading('');
  it.write('pipeline.config.yaml', it.read('pipeline.config.yaml').replace('URL', server.url));
  expect(await server.run(it, { target: 'x' })).toMatchObject({ status: 'done' });
  expect(results(server.requests[3])[0]).toContain('page 1');
  expect(results(server.requests[4])[0]).toMatch(/^\[left out/);
});

it('a request that is too long from the start fails, and says so', async () => {
  const long = errorReply(400, { message: 'prompt is too long: 300000 tokens' });
  const server = await serving([long]);
  const it = reading('');
  it.write('pipeline.config.yaml', it.read('pipeline.config.yaml').replace('URL', server.url));
  const ran = await server.run(it, { target: 'x' });
  expect(ran.events.findLast(({ type }) => type === 'step_failed')).toMatchObject({
    fault: { code: 'provider.refused' },
  });
  expect(server.requests).toHaveLength(1);
  expect(existsSync(join(ran.dir, '.steps/read/work/.results'))).toBe(false);
});
