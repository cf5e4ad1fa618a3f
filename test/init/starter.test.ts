import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/core/json.js';
import { compileSchema } from '../../src/core/schema.js';
import { starterFiles, TEMPLATE_NAMES, type TemplateName } from '../../src/init/starter.js';
import { editorSchema } from '../../src/load/editor-schema.js';
import { checkPipeline, STEP_KINDS } from '../../src/run.js';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { project } from '../support/project.js';

function withStarter(template: TemplateName, name: string) {
  const place = project({});
  for (const [path, text] of Object.entries(starterFiles(template, name, 'x.json')))
    place.write(join('skills', name, path), text);
  return { ...place, around: { cwd: place.dir, env: { PATH: process.env.PATH, HOME: place.dir } } };
}

describe.each(TEMPLATE_NAMES)('the template %s', (template) => {
  it.each(['my-first', 'true', 'n', 'a1'])(
    'passes the strict check under the name %s, which stays that name',
    async (name) => {
      const { plan, problems } = await checkPipeline(name, withStarter(template, name).around, { strict: true });
      expect(problems).toEqual([]);
      expect(plan?.name).toBe(name);
    },
  );

  it('passes its own tests, and fails them when its agents say something else', async () => {
    const place = withStarter(template, 'my-first');
    const { tests, problems } = await findTests(['my-first'], place.around);
    expect(problems).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
    const main = tests.find(({ file }) => file.endsWith('my-first.test.yaml'));
    for (const test of tests) {
      const { failures } = await performTest(test, place.around);
      expect(failures.flatMap(failureLines)).toEqual([]);
    }
    const other = main && { ...main, model: { type: 'sketch' as const } };
    expect(other && (await performTest(other, place.around)).failures).not.toEqual([]);
  });

  it('runs with the placeholder model', async () => {
    const ran = await withStarter(template, 'my-first').run({ target: 'my-first', query: 'why do cities get hotter' });
    expect(ran).toMatchObject({ status: 'done', exit: 0 });
  });
});

it('steps satisfies the schema that its modeline names', async () => {
  const pipeline = starterFiles('steps', 'my-first', 'x.json')['pipeline.yaml'] ?? '';
  const complaints = await compileSchema(editorSchema(STEP_KINDS));
  expect(complaints(parse(pipeline) as Json)).toEqual([]);
});

it('single is offered what its front matter allows, and nothing else', async () => {
  const { plan } = await checkPipeline('my-first', withStarter('single', 'my-first').around);
  const body = plan?.steps[0]?.body;
  expect(body?.type === 'leaf' && body.inspection.tools).toEqual(['read_file', 'write_file']);
});

describe('next-loop', () => {
  it('takes a query for data, whatever a shell would make of it', async () => {
    const place = withStarter('next-loop', 'my-first');
    const query = '--dir x \'; touch pwned; \' "$(touch pwned)" `touch pwned`';
    const ran = await place.run({ target: 'my-first', query });
    expect(ran).toMatchObject({ status: 'done' });
    expect(ran.file('phase2/page.md').split('\n')[0]).toBe(`# ${query}`);
    expect(existsSync(join(place.dir, 'pwned'))).toBe(false);
  });

  it('ends as failed where no question is left, and goes through its states by files alone', async () => {
    const place = withStarter('next-loop', 'my-first');
    const script = join(place.dir, 'skills/my-first/scripts/run.mjs');
    const asked = (query: string) =>
      spawnSync('node', [script, 'next', '--dir', join(place.dir, 'run'), '--query', query], { encoding: 'utf8' });
    const stateNow = () => /^STATE {2}: (\S+)$/m.exec(asked('q').stdout)?.[1];
    expect(asked(' ').stdout).toContain('STATE  : do_not_generate');
    const states = [stateNow(), stateNow()];
    for (const [path, text] of [
      ['run/phase0/questions.json', '[]'],
      ['run/phase0/questions.json', '["a?"]'],
      ['run/phase1/answers.md', 'b'],
      ['run/phase2/page.md', 'c'],
    ] as const) {
      place.write(path, text);
      states.push(stateNow());
    }
    expect(states).toEqual(['P0_QUESTIONS', 'P0_QUESTIONS', 'P0_FAILED', 'P1_ANSWERS', 'P2_PAGE', 'DONE']);
  });

  it('shows an author each thing that a block can hold', () => {
    const script = starterFiles('next-loop', 'my-first', 'x.json')['scripts/run.mjs'] ?? '';
    const keys = ['STATE', 'STEP', 'TYPE', 'DO', 'PROMPT', 'INPUT', 'OUTPUT', 'RUN', 'NOTES', 'THEN'];
    expect(keys.filter((key) => !script.includes(`${key}: `))).toEqual([]);
    for (const type of ['llm_subagent', 'bash', 'terminal']) expect(script).toContain(`'${type}'`);
  });
});
