import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { render } from '../../src/core/expression.js';
import { FIXTURES, folder, load, places } from './arena.js';

const PIPELINE = 'steps:\n  - id: a\n    shell: { run: echo hello }\n';
const SKILL = '---\nname: one\ndescription: d\nallowed-tools: Read, Bash(git log:*), Task\n---\nDo it.\n';

describe('a target', () => {
  it.each(['one', 'ONE', 'skills/one', 'skills/one/pipeline.yaml', './skills/one', 'skills/one/'])(
    '%s is the pipeline of the skill',
    async (target) => {
      const { plan, problems } = await load(target, folder({ 'skills/one/pipeline.yaml': PIPELINE }));
      expect(problems).toEqual([]);
      expect(plan).toMatchObject({ name: 'one', steps: [{ id: 'a' }], skill: { name: 'one', runsAs: 'pipeline' } });
    },
  );

  it('may be a pipeline file of any name', async () => {
    const dir = folder({ 'work/my-flow.yaml': PIPELINE });
    expect((await load('work/my-flow.yaml', dir)).plan).toMatchObject({ name: 'my-flow', dir: path.join(dir, 'work') });
  });

  it('that is a path starts at the folder one is in', async () => {
    const dir = folder({ 'skills/one/pipeline.yaml': PIPELINE });
    expect((await load('./one', dir, { cwd: path.join(dir, 'skills') })).plan?.name).toBe('one');
  });

  it.each([
    ['nothing', 'no-such-skill'],
    ['./nothing', 'missing-target'],
    ['nothing.yaml', 'missing-target'],
  ])('%s that is not there is %s', async (target, rule) => {
    expect((await load(target, folder({}))).problems).toMatchObject([{ rule }]);
  });

  it('driven by scripts is refused where there is no driver for them', async () => {
    const { plan, problems } = await load(
      'one',
      folder({ 'skills/one/SKILL.md': SKILL, 'skills/one/scripts/run.py': '' }),
    );
    expect(plan).toBeUndefined();
    expect(problems.find(({ severity }) => severity === 'error')).toMatchObject({
      rule: 'next-loop',
      message: expect.stringContaining('cannot be done here'),
    });
  });
});

describe('a bare SKILL.md', () => {
  it('is one agent with its body, the query, the tools it allows', async () => {
    const { plan, problems } = await load('one', folder({ 'skills/one/SKILL.md': SKILL }));
    expect(problems.map(({ message }) => message)).toEqual([
      'These tools have no counterpart here and are left out: Task.',
    ]);
    const [step] = plan?.steps ?? [];
    expect(step).toMatchObject({
      id: 'agent',
      after: [],
      output: { json: { required: ['summary', 'files'] } },
      save: [{ path: { value: 'allinone.md' } }],
    });
    const body = step?.body;
    if (body?.type !== 'leaf') throw new Error('no leaf');
    expect(render(body.config, { query: 'Now?' })).toEqual({
      instructions: 'Do it.\n',
      prompt: 'Now?',
      tools: ['read_file', 'shell(git log *)'],
    });
  });

  it('without allowed-tools has the file tools', async () => {
    const { plan } = await load('one', folder({ 'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nb' }));
    const body = plan?.steps[0]?.body;
    expect(body?.type === 'leaf' && body.inspection.tools).toEqual([
      'read_file',
      'write_file',
      'patch_file',
      'list_files',
    ]);
  });

  it('saves its summary and the list of its files', async () => {
    const { plan } = await load('one', folder({ 'skills/one/SKILL.md': SKILL }));
    const value = plan?.steps[0]?.save[0]?.value;
    if (!value) throw new Error('no value');
    expect(render(value, { output: { summary: 'Done.', files: [] } })).toBe('Done.\n');
    expect(render(value, { output: { summary: 'Done.', files: ['a.md', 'b.md'] } })).toBe('Done.\n\n- a.md\n- b.md\n');
  });

  it('is never templated', async () => {
    const { plan } = await load('vars', FIXTURES, { skillsDirs: [path.join(FIXTURES, 'skills/made')] });
    const body = plan?.steps[0]?.body;
    if (body?.type !== 'leaf') throw new Error('no leaf');
    expect((render(body.config, { query: 'q' }) as { instructions: string }).instructions).toContain(
      '!`whoami` {{ steps.a.output }} ${{ steps.a.output }}',
    );
  });

  it('is followed by the notes of REACT_AGENT.md', async () => {
    const { plan } = await load(
      'one',
      folder({ 'skills/one/SKILL.md': SKILL, 'skills/one/REACT_AGENT.md': 'Be quick.' }),
    );
    const body = plan?.steps[0]?.body;
    if (body?.type !== 'leaf') throw new Error('no leaf');
    expect((render(body.config, { query: '' }) as { instructions: string }).instructions).toBe('Do it.\n\n\nBe quick.');
  });

  it('with an error in it gives no plan', async () => {
    const { plan, problems } = await load('one', folder({ 'skills/one/SKILL.md': '---\nname: one\n' }));
    expect(plan).toBeUndefined();
    expect(places(problems)).toEqual(['skill-unclosed 1:1']);
  });
});

it('strict makes an error of a warning', async () => {
  const dir = folder({
    'skills/one/SKILL.md': '---\nname: two\ndescription: d\n---\nb',
    'skills/one/pipeline.yaml': PIPELINE,
  });
  expect((await load('one', dir)).plan).toBeDefined();
  const { plan, problems } = await load('one', dir, { strict: true });
  expect(plan).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error', rule: 'skill-name' }]);
});

it('resolves the folders of the skills that expressions name', async () => {
  const dir = folder({
    'skills/one/pipeline.yaml':
      'steps:\n  - id: a\n    shell: { command: [node, "${{ skills.paper_search.dir }}/x.mjs"] }\n',
    'skills/paper-search/SKILL.md': '---\nname: paper-search\ndescription: d\n---\nb',
  });
  expect((await load('one', dir)).plan?.skillDirs).toEqual({ paper_search: path.join(dir, 'skills/paper-search') });
});
