import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, JsonSchema } from '../../src/core/json.js';
import type { Provider } from '../../src/core/model.js';
import { agent } from '../../src/steps/agent.js';
import { resolve } from '../support/chat.js';
import { mockServer } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const OUTPUT = '{ type: object, properties: { t: { type: string } }, required: [t] }';

/** Answers at once; keeps what it was asked. */
function answering() {
  const prompts: string[] = [];
  const provider: Provider = {
    name: 'own',
    async complete({ messages: [first] }) {
      prompts.push(first?.role === 'user' ? first.text : '');
      return { text: '', calls: [{ id: '1', name: 'resolve', arguments: '{"t":"x"}' }], finish: 'calls' };
    },
  };
  const run = (it: TestProject, more = {}) => it.run({ model: 'own', providers: { own: provider }, ...more });
  return { prompts, run };
}

describe('files', () => {
  const reading = (
    expression: string,
    first = 'shell: { run: \'echo hello > note.txt; head -c 300000 /dev/zero | tr "\\\\0" a > long.txt; printf "\\\\0" > nul.bin\' }',
  ) =>
    project({
      'secret.txt': 'TOP SECRET',
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, ${first} }\n  - id: b\n    agent: { prompt: p, files: ['${expression}'] }\n    output: ${OUTPUT}\n`,
    });

  it('adds the text of a file of the run, and of the skill', async () => {
    const { prompts, run } = answering();
    expect(await run(reading('note.txt'))).toMatchObject({ status: 'done' });
    expect(prompts[0]).toBe('p\n\n## File: note.txt\n\nhello\n');
    expect(await run(reading('secret.txt'))).toMatchObject({ status: 'done' });
    expect(prompts[1]).toContain('TOP SECRET');
  });

  it.each(['../../../secret.txt', '/etc/hostname', 'link.txt', 'nul.bin', 'missing.txt', '.env'])(
    'refuses %s, and asks no model',
    async (file) => {
      const { prompts, run } = answering();
      const it = reading('${{ query }}');
      it.write('skills/note', '');
      it.write('.env', 'K=1');
      symlinkSync('/etc/hostname', join(it.dir, 'link.txt'));
      const ran = await run(it, { query: file });
      expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.path' } });
      expect(ran.message).toContain(`files: ${JSON.stringify(file)} cannot be added to the prompt: `);
      expect(prompts).toEqual([]);
    },
  );

  it('gives 256 KB of a longer one, and says so', async () => {
    const { prompts, run } = answering();
    await run(reading('long.txt'));
    expect(prompts[0]).toMatch(/a\n\[only the first 256 KB of 300000 bytes are given\]$/);
    expect(prompts[0]?.match(/a/g)?.length).toBeGreaterThan(256 * 1024);
    expect(prompts[0]?.length).toBeLessThan(257 * 1024);
  });

  it('asks again when a file of the skill has changed', async () => {
    const { prompts, run } = answering();
    const it = reading('secret.txt');
    await run(it);
    await run(it, { resume: true });
    expect(prompts).toHaveLength(1);
    it.write('secret.txt', 'changed');
    await run(it, { resume: true });
    expect(prompts).toHaveLength(2);
  });
});

describe('images', () => {
  const FIRST = {
    png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    jpg: [0xff, 0xd8, 0xff, 0xe0],
    gif: [...Buffer.from('GIF89a')],
    webp: [...Buffer.from('RIFF\u0004\0\0\0WEBP')],
  };
  const looking = (files: string, adapter = 'react', images = true) =>
    project({
      'pipeline.config.yaml': `models: { default: { provider: openai, model: m, images: ${images} } }\n`,
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: b\n    agent: { prompt: p, adapter: ${adapter}, files: ${files} }\n    output: ${OUTPUT}\n`,
    });
  const put = (it: TestProject, name: string, bytes: readonly number[], length = 16) => {
    const whole = Buffer.alloc(length);
    whole.set(bytes);
    writeFileSync(join(it.dir, name), whole);
    return whole.toString('base64');
  };
  async function served() {
    const server = await mockServer([resolve({ t: 'x' })]);
    onTestFinished(() => server.close());
    const run = (it: TestProject, more = {}) =>
      it.run({
        model: undefined as never,
        env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
        ...more,
      });
    return { server, run };
  }

  it.each([
    ['a.png', 'image/png', FIRST.png],
    ['a.JPG', 'image/jpeg', FIRST.jpg],
    ['a.jpeg', 'image/jpeg', FIRST.jpg],
    ['a.gif', 'image/gif', FIRST.gif],
    ['a.webp', 'image/webp', FIRST.webp],
  ])('shows %s to the model, and names it in the prompt', async (name, mediaType, bytes) => {
    const { server, run } = await served();
    const it = looking(`[${name}]`);
    const base64 = put(it, name, bytes);
    const ran = await run(it);
    expect(ran).toMatchObject({ status: 'done' });
    expect(ran.file('.steps/b/prompt.md')).toMatch(`p\n\n## Image: ${name}\n`);
    expect(server.requests[0]?.body).toContain(`data:${mediaType};base64,${base64}`);
  });

  it('asks again when an image has changed', async () => {
    const { server, run } = await served();
    const it = looking('[a.png]');
    put(it, 'a.png', FIRST.png);
    await run(it);
    await run(it, { resume: true });
    expect(server.requests).toHaveLength(1);
    put(it, 'a.png', FIRST.png, 17);
    await run(it, { resume: true });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['a.png', FIRST.gif, 16, /its bytes are image\/gif, not image\/png/, 'Let its name end in .gif.'],
    ['a.png', [], 16, /its bytes are no image\/png/, 'Name a PNG, JPEG, GIF or WebP file that is whole.'],
    ['a.png', [], 0, /its bytes are no image\/png/, /whole/],
    ['a.txt', FIRST.jpg, 16, /not UTF-8 text, but image\/jpeg/, 'Let its name end in .jpg.'],
    ['a.png', FIRST.png, 5 * 1024 * 1024 + 1, /it has 5242881 bytes; at most 5242880/, /smaller/],
  ])('refuses %s of these bytes: %j, %i in all', async (name, bytes, length, message, hint) => {
    const { server, run } = await served();
    const it = looking(`[${name}]`);
    put(it, name, bytes, length);
    const hinted = typeof hint === 'string' ? hint : expect.stringMatching(hint);
    expect(await run(it)).toMatchObject({
      status: 'failed',
      fault: { code: 'step.path', message: expect.stringMatching(message), hint: hinted },
    });
    expect(server.requests).toEqual([]);
  });

  it('refuses more than 20', async () => {
    const { run } = await served();
    const it = looking(`[${Array(21).fill('a.png').join(', ')}]`);
    put(it, 'a.png', FIRST.png);
    expect((await run(it)).message).toMatch(/there are 21 images; at most 20 can be shown/);
  });

  it('shows none to a model that is not known to see, though only the run could tell that there is one', async () => {
    const { server, run } = await served();
    const it = looking("['${{ query }}']", 'react', false);
    put(it, 'a.png', FIRST.png);
    expect(await run(it, { query: 'a.png' })).toMatchObject({
      status: 'failed',
      fault: { code: 'provider.refused', hint: expect.stringContaining('images: true') },
    });
    expect(server.requests).toEqual([]);
  });

  it('does not ask the sketch to see', async () => {
    const it = looking('[a.png]', 'react', false);
    put(it, 'a.png', FIRST.png);
    expect(await it.run()).toMatchObject({ status: 'done' });
  });
});

describe('what the check knows', () => {
  const inspected = (config: Json, output: JsonSchema = { type: 'object' }) => {
    const problems: string[] = [];
    const skill = { name: 's', dir: '/s', body: '', metadata: {}, runsAs: 'pipeline' } as const;
    const inspection = agent.inspect(config, {
      skillDir: '/s',
      projectDir: '/',
      output,
      artifacts: [],
      skill,
      findSkill: () => undefined,
      tools: [],
      roles: ['default'],
      problem: (_, message) => problems.push(message),
    });
    return { inspection, problems };
  };

  it.each([
    [['a.txt', 'b.PNG'], true],
    [['charts/${{ item }}.webp'], true],
    [['a.txt', '${{ item }}'], undefined],
    ['${{ inputs.files }}', undefined],
  ])('of files %j that images are among them: %s', (files, images) => {
    expect(inspected({ prompt: 'p', files }).inspection.images).toBe(images);
  });

  it.each([
    [{}, { models: ['default'], maxCalls: 40, startsProcess: false }],
    [
      { max_rounds: 3, model: 'judge' },
      { models: ['judge'], maxCalls: 3 },
    ],
    [{ fallback: ['a/b'] }, { fallback: ['a/b'] }],
    [{ adapter: 'llm' }, { models: ['default'], maxCalls: 2, startsProcess: false, tools: [] }],
    [
      { adapter: 'command', command: ['x'] },
      { models: ['default'], maxCalls: 2, startsProcess: true, tools: [] },
    ],
  ])('of %j', (config, expected) => {
    const { inspection, problems } = inspected({ prompt: 'p', ...config });
    expect(problems).toEqual([]);
    expect(inspection).toMatchObject(expected);
  });

  it('of a command without an output schema: that it asks no model', () => {
    const { inspection } = inspected(
      { prompt: 'p', adapter: 'command', command: ['x'], fallback: ['a/b'] },
      { type: 'string' },
    );
    expect(inspection).toMatchObject({ models: [], maxCalls: 0 });
    expect(inspection.fallback).toBeUndefined();
  });
});

describe('fallback', () => {
  const falling = (fallback: string) =>
    project({
      'pipeline.yaml': `version: 1\nname: t\nmodels: [judge]\nsteps:\n  - id: b\n    agent: { prompt: p, model: openai/m, fallback: ${fallback} }\n    output: ${OUTPUT}\n`,
    });

  it.each([
    ['[jugde]', /no model role "jugde"/],
    ['[judge, other]', /no model role "other"/],
    ["['${{ query }}']", /must be known before the run/],
    ['[]', /at least 1 item/],
  ])('the check refuses %s', async (fallback, message) => {
    const { problems } = await falling(fallback).refused();
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringMatching(message) }]);
  });

  it('is asked with the parameters of the step when the service of the model fails', async () => {
    const server = await mockServer(({ body }) =>
      JSON.parse(body).model === 'm'
        ? { status: 429, body: '{"error":{"message":"no quota","code":"insufficient_quota"}}' }
        : resolve({ t: 'x' }),
    );
    onTestFinished(() => server.close());
    const it = falling('[judge], temperature: 0.5');
    it.write(
      'pipeline.config.yaml',
      `models: { judge: { provider: vllm, model: second, base_url: "${server.url}" } }\n`,
    );
    const ran = await it.run({
      model: undefined as never,
      env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' },
    });
    expect(ran).toMatchObject({ status: 'done' });
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toMatchObject({ model: 'second', temperature: 0.5 });
    expect(ran.events.find(({ type }) => type === 'fallback')).toMatchObject({ from: 'openai/m', to: 'vllm/second' });
  });

  it('is no part of the key', async () => {
    const { prompts, run } = answering();
    const it = falling('[judge]');
    await run(it);
    it.write('pipeline.yaml', it.read('pipeline.yaml').replace('fallback: [judge]', 'fallback: [judge, openai/x]'));
    await run(it, { resume: true });
    expect(prompts).toHaveLength(1);
  });
});

describe('tools', () => {
  const listing = (tools: string) =>
    project({
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: b\n    agent: { prompt: p, tools: [${tools}] }\n    output: ${OUTPUT}\n`,
    });

  it.each([
    ['read_file(x)', /read_file takes no rule/],
    ['"read file"', /is no tool/],
    ['reed_file', /There is no tool "reed_file"/],
    ['resolve', /always there/],
  ])('the check refuses %s as the run would', async (tools, message) => {
    const { problems } = await listing(tools).refused();
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringMatching(message) }]);
  });

  it('warns of one that is listed twice', async () => {
    const ran = await listing('read_file, read_file').run({
      onStart: ({ warnings }) =>
        expect(warnings).toMatchObject([
          { severity: 'warning', message: expect.stringContaining('"read_file" is listed twice') },
        ]),
    });
    expect(ran.status).toBe('done');
  });
});

describe('the sketch', () => {
  it('refuses a step that must leave files before it asks anything', async () => {
    const ran = await project({
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - id: b\n    agent: { prompt: p, tools: [write_file] }\n    output: ${OUTPUT}\n    artifacts: [note.md]\n`,
    }).run();
    expect(ran).toMatchObject({ status: 'failed', exit: 3, fault: { code: 'provider.refused' }, usage: { calls: 0 } });
    expect(ran.message).toMatch(/must leave files \(note\.md\), and sketch.*writes none/);
  });
});
