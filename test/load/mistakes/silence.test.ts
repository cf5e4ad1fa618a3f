import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPipeline } from '../../../src/run.js';
import { project } from '../../support/project.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FIXTURES = path.join(ROOT, 'test/fixtures/pipelines');
const around = { cwd: ROOT, env: { HOME: ROOT } };

const skills = readdirSync(path.join(ROOT, 'skills'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `skills/${name}`);
const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .map((file) => path.join(FIXTURES, file))
  .filter((file) => /\.ya?ml$/.test(file) && /^steps:/m.test(readFileSync(file, 'utf8')))
  .map((file) => path.relative(ROOT, file))
  .filter((file) => !/\/mistakes\//.test(file));

/** Each pipeline that a page shows, with the files that it names. */
const shown = ['README.md', 'skills/AGENTS.md', ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) => {
    const blocks = [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)];
    return blocks.map(([, text = ''], place) => ({ page, place, text })).filter(({ text }) => /^steps:/m.test(text));
  });

it('there are skills, pipelines of tests and pages to look at', () => {
  expect(skills.length).toBeGreaterThan(3);
  expect(fixtures.length).toBeGreaterThan(10);
  expect(shown.length).toBeGreaterThan(1);
});

const said = async (target: string, where = around) =>
  (await checkPipeline(target, where)).problems.map(
    ({ severity, message, at }) => `${severity} ${at.line}:${at.column} ${message}`,
  );

describe('nothing is said, no warning either, of', () => {
  it.each(skills)('%s', async (skill) => {
    expect(await said(`./${skill}`)).toEqual([]);
  });

  it('pipeline.example.yaml', async () => {
    expect(existsSync(path.join(ROOT, 'pipeline.example.yaml'))).toBe(true);
    expect(await said('./pipeline.example.yaml')).toEqual([]);
  });

  it.each(fixtures)('%s', async (file) => {
    // Some are projects with skills of their own.
    expect(await said(path.join(ROOT, file), { ...around, cwd: path.dirname(path.join(ROOT, file)) })).toEqual([]);
  });

  it.each(shown)('the pipeline $place of $page', async ({ text }) => {
    const list = { type: 'array', maxItems: 9 };
    const schema = {
      type: 'object',
      properties: { items: list, sections: list },
      required: ['items', 'sections'],
      additionalProperties: true,
    };
    const named = [...text.matchAll(/\b(?:prompts|schemas)\/[\w./-]+\.(?:md|json)\b/g)].map(([file]) => file);
    const files = named.map((file) => [file, file.endsWith('.md') ? 'Do it.\n' : schema] as const);
    const { dir } = project({ ...Object.fromEntries(files), 'pipeline.yaml': text });
    expect(await said('./pipeline.yaml', { cwd: dir, env: { HOME: dir } })).toEqual([]);
  });
});
