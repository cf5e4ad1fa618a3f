import { describe, expect, it } from 'vitest';
import { everyStep } from '../../src/core/plan.js';
import { folder, load } from './arena.js';

const LEAF = 'steps:\n  - { id: a, set: { n: 1 } }\n';
const calls = (...names: string[]) =>
  `steps:\n${names.map((name, at) => `  - { id: s${at}, pipeline: { skill: ${name} } }\n`).join('')}`;

/** k0 runs k1 as often as said, and so on. */
function chain(length: number, times: number): Record<string, string> {
  const files = Array.from({ length }, (_, at): [string, string] => [
    `skills/k${at}/pipeline.yaml`,
    at + 1 < length ? calls(...Array<string>(times).fill(`k${at + 1}`)) : LEAF,
  ]);
  return Object.fromEntries(files);
}

describe('a pipeline with all that its steps run', () => {
  it('is read in one go, each file once, and each step is one of its own', async () => {
    const { plan, problems } = await load('k0', folder(chain(12, 2)));
    expect(problems).toEqual([]);
    const steps = everyStep(plan?.steps ?? []);
    expect(steps).toHaveLength(2 ** 12 - 2 + 2 ** 11);
    expect(new Set(steps).size).toBe(steps.length);
  });

  it('has at most 10 000 steps', async () => {
    const { plan, problems } = await load('k0', folder(chain(40, 2)));
    expect(plan).toBeUndefined();
    expect(problems).toMatchObject([{ rule: 'child-size', at: { line: 3 } }]);
  });

  it.each([65, 400])('has at most 64 levels, not %i', async (levels) => {
    expect((await load('k0', folder(chain(64, 1)))).problems).toEqual([]);
    const { plan, problems } = await load('k0', folder(chain(levels, 1)));
    expect(plan).toBeUndefined();
    expect(problems.map(({ rule }) => rule)).toEqual(['child-size']);
  });

  it('has at most 64 levels also where a part of them was read before', async () => {
    const files: Record<string, string> = { ...chain(60, 1), 'skills/top/pipeline.yaml': calls('k30', 'l0') };
    for (let at = 0; at < 10; at++) files[`skills/l${at}/pipeline.yaml`] = at === 9 ? calls('k0') : calls(`l${at + 1}`);
    expect((await load('top', folder(files))).problems.map(({ rule }) => rule)).toContain('child-size');
  });

  it('says what is wrong with one that several steps run once', async () => {
    const files = { ...chain(6, 3), 'skills/k5/pipeline.yaml': 'steps:\n  - { id: a, sett: { n: 1 } }\n' };
    expect((await load('k0', folder(files))).problems).toHaveLength(1);
  });
});

describe('a pipeline that runs itself', () => {
  it('is one file in a circle', async () => {
    const { problems } = await load(
      'a',
      folder({ 'skills/a/pipeline.yaml': calls('b'), 'skills/b/pipeline.yaml': calls('a') }),
    );
    expect(problems).toMatchObject([{ rule: 'child-cycle', message: expect.stringContaining('a → b → a') }]);
  });

  it('is not another file of the same folder', async () => {
    const dir = folder({ 'skills/ca/pipeline.yaml': LEAF, 'skills/ca/variant.yaml': calls('ca') });
    const { plan, problems } = await load('skills/ca/variant.yaml', dir);
    expect(problems).toEqual([]);
    expect(plan?.name).toBe('variant');
  });
});

it.each([
  ['read: [data]', 'read: [.]', []],
  ['read: [data]', 'write: [data]', []],
  ['read: [data]', 'read: [dat]', ['read data']],
  ['read: [.]', 'read: [data]', ['read .']],
  ['write: [data/x]', 'read: [data]', ['write data/x']],
  ['write: [data/x]', 'write: [data]', []],
  ['env: [HOME, PATH]', 'env: [PATH]', ['env HOME']],
  ['network: true', '', []],
])('a child that asks for %s in a pipeline with %s is warned of %j', async (asked, given, more) => {
  const dir = folder({
    'skills/a/pipeline.yaml': `permissions: { ${given} }\n${calls('b')}`,
    'skills/b/pipeline.yaml': `permissions: { ${asked} }\n${LEAF}`,
  });
  const { plan, problems } = await load('a', dir);
  expect(plan).toBeDefined();
  const message = `"b" asks for ${more.join(', ')}, which this pipeline has not.`;
  expect(problems).toMatchObject(more.length === 0 ? [] : [{ rule: 'child-permissions', message }]);
});

it('a child that may end before its result is guarded by its value, not by its status', async () => {
  const dir = (guard: string) =>
    folder({
      'skills/a/pipeline.yaml': `steps:
  - { id: k2, when: query != "", pipeline: { skill: b } }
  - { id: c, when: '${guard}steps.k2.output.n == 1', set: { m: 1 } }
`,
      'skills/b/pipeline.yaml': `steps:
  - { id: a, set: { n: 1 } }
  - { id: e, when: query == "no", end: { outcome: none, status: done } }
result: { n: '\${{ steps.a.output.n }}' }
`,
    });
  const hint = 'Guard it: steps.k2.output != null && …, or default(steps.k2.output, …).';
  expect((await load('a', dir(''))).problems).toMatchObject([{ hint }]);
  expect((await load('a', dir('steps.k2.status == "done" && '))).problems).toMatchObject([{ hint }]);
  expect((await load('a', dir('steps.k2.output != null && '))).problems).toEqual([]);
});

describe('a skill that cannot be used', () => {
  it('is said with the reason, where a step names it', async () => {
    const dir = folder({
      'skills/one/pipeline.yaml': calls('js', 'jss'),
      'skills/js/SKILL.md': '---js\n{ name: "js" }\n---\nDo it.\n',
    });
    const { problems } = await load('one', dir);
    expect(problems).toMatchObject([
      {
        rule: 'unknown-skill',
        message: expect.stringMatching(/^The skill "js" cannot be used: .*"---js"/),
        hint: expect.stringContaining('skills/js/SKILL.md:1'),
      },
      { rule: 'unknown-skill', message: 'There is no skill "jss".', hint: 'Did you mean "js"?' },
    ]);
  });
});
