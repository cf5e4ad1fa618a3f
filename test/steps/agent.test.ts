import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/core/model.js';
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
