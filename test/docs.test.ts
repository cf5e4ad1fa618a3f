import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../src/core/faults.js';
import { FUNCTIONS, METHODS } from '../src/core/functions.js';
import { LOOP_MACROS } from '../src/core/tree.js';
import { STEP_KEYS, TOP_KEYS } from '../src/load/keys.js';
import { checkPipeline, STEP_KINDS, TOOLS } from '../src/run.js';
import { readTest } from '../src/testing/read-test.js';
import { PAGES, readPage } from './support/pages.js';
import { project } from './support/project.js';

/** What a list under any name may be in the stub of a schema file. */
const ITEMS = { type: 'array', maxItems: 9 };
const STUB_SCHEMA = {
  type: 'object',
  properties: { items: ITEMS, sections: ITEMS },
  required: ['items', 'sections'],
  additionalProperties: true,
};

interface Example {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

const EXAMPLES = PAGES.flatMap((page): Example[] => {
  const text = readPage(page);
  return [...text.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map((found) => ({
    page,
    line: text.slice(0, found.index).split('\n').length + 1,
    text: found[1] ?? '',
  }));
});
const isPipeline = ({ text }: Example) => /^(# yaml-language-server:.*\n)?version: 1\n/.test(text);
const PIPELINES = EXAMPLES.filter(isPipeline);
const isTest = ({ text }: Example) => /^expect:/m.test(text);
const TESTS = EXAMPLES.filter((one) => !isPipeline(one) && isTest(one));
const CONFIGS = EXAMPLES.filter((one) => !isPipeline(one) && !isTest(one));

/** Files that the example names, with nothing in them that could be wrong. */
function stubs(text: string): Record<string, string> {
  const named = [...text.matchAll(/\b(prompts|schemas)\/[\w./-]+\.(md|json)\b/g)].map(([file]) => file);
  return Object.fromEntries(
    named.map((file) => [file, file.endsWith('.md') ? 'Do it.\n' : `${JSON.stringify(STUB_SCHEMA)}\n`]),
  );
}

async function problemsOf(files: Record<string, string>) {
  const { dir } = project(files);
  const { problems } = await checkPipeline('./pipeline.yaml', { cwd: dir, env: { HOME: dir } });
  return problems.filter(({ severity }) => severity === 'error');
}

describe('examples', () => {
  it('are found, pipelines as well as configurations', () => {
    expect(PIPELINES.map(({ page }) => page)).toEqual(expect.arrayContaining(['README.md', 'docs/language.md']));
    expect(TESTS.map(({ page }) => page)).toContain('docs/testing.md');
    expect(CONFIGS.map(({ page }) => page)).toEqual(expect.arrayContaining(['README.md', 'docs/language.md']));
  });

  it.each(PIPELINES)('the pipeline at $page:$line has no mistakes', async ({ text }) => {
    expect(await problemsOf({ ...stubs(text), 'pipeline.yaml': text })).toEqual([]);
  });

  it.each(TESTS)('the test at $page:$line has no mistakes', ({ text }) => {
    const tape = /^cassette: (\S+)$/m.exec(text)?.[1];
    const { dir } = project({
      'tests/a.test.yaml': text,
      ...(tape === undefined ? {} : { [`tests/${tape}/cassette.json`]: { format: 1, models: {} } }),
    });
    expect(readTest(join(dir, 'tests/a.test.yaml')).problems).toEqual([]);
  });

  it.each(CONFIGS)('the configuration at $page:$line has no mistakes', async ({ text }) => {
    expect(text).toMatch(/^models:$/m);
    const pipeline = 'version: 1\nname: t\nsteps:\n  - id: a\n    shell: { run: "true" }\n';
    expect(await problemsOf({ 'pipeline.config.yaml': text, 'pipeline.yaml': pipeline })).toEqual([]);
  });
});

describe('the reference of the language', () => {
  const reference = readPage('docs/language.md');
  const code = [...reference.matchAll(/`([^`\n]+)`/g)].map((found) => found[1] ?? '');
  const rows = new Set(reference.split('\n').flatMap((line) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? []));
  const unnamed = (names: Iterable<string>) => [...names].filter((name) => !code.includes(name));

  it('names every key of a file, of a step and of a kind', () => {
    const ofKinds = STEP_KINDS.flatMap(({ schema }) => Object.keys((schema.properties as object | undefined) ?? {}));
    expect(unnamed([...TOP_KEYS, ...STEP_KEYS, ...ofKinds])).toEqual([]);
    expect(STEP_KINDS.filter(({ name }) => !reference.includes(`\n### ${name}\n`))).toEqual([]);
  });

  it('names every tool', () => {
    expect(unnamed(TOOLS.map(({ spec }) => spec.name))).toEqual([]);
  });

  it('names every function and method', () => {
    const functions = [...Object.keys(FUNCTIONS), 'has', 'default'];
    expect(functions.filter((name) => !code.some((one) => one.startsWith(`${name}(`)))).toEqual([]);
    const methods = [...Object.keys(METHODS), ...LOOP_MACROS];
    expect(methods.filter((name) => !code.some((one) => one.includes(`.${name}(`)))).toEqual([]);
  });

  it('has a row for every fault, with what to do and whether a retry can help', () => {
    expect(Object.keys(FAULTS).filter((fault) => !rows.has(fault))).toEqual([]);
    const wrong = Object.entries(FAULTS).filter(
      ([name, { retry }]) => !reference.includes(`| \`${name}\` | ${retry ? 'yes ' : ''}| `),
    );
    expect(wrong).toEqual([]);
  });
});
