import { cpSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StepKind } from '../../src/core/kind.js';
import type { Plan } from '../../src/core/plan.js';
import type { Problem } from '../../src/core/problems.js';
import { fixAll } from '../../src/load/fix.js';
import { agent } from '../../src/steps/agent.js';
import { FIXTURES, folder, KINDS, load } from './arena.js';
import { canonicalPlan } from './canonical-plan.js';
import { applied, dice, mutationsOf } from './mutations.js';

const PIPELINE = 'skills/one/pipeline.yaml';

/** Fixes the skill "one" of a project of these files; what its pipeline is then. */
async function fixed(yaml: string, more: Readonly<Record<string, string>> = {}) {
  const dir = folder({ [PIPELINE]: yaml, ...more });
  const run = await fixAll(async () => (await load('one', dir)).problems, [dir]);
  return { ...run, dir, text: readFileSync(path.join(dir, PIPELINE), 'utf8') };
}

describe('edits', () => {
  it('are made all at once in one file, and each is told with its place', async () => {
    const yaml = 'steps:\n  - id: a\n    if: "true"\n    sehll: { run: echo hi }\n    timeout: 2 min\n';
    const { text, problems, fixed: made } = await fixed(yaml);
    expect(text).toBe('steps:\n  - id: a\n    when: "true"\n    shell: { run: echo hi }\n    timeout: 2m\n');
    expect(problems).toEqual([]);
    expect(made.map(({ line, column, from, to }) => `${line}:${column} ${from} → ${to}`)).toEqual([
      '3:5 if → when',
      '4:5 sehll → shell',
      '5:14 2 min → 2m',
    ]);
  });

  it('that make others possible are followed by those', async () => {
    const yaml =
      'steps:\n  - id: a\n    set: { n: 1 }\n  - id: b\n    wehn: steps.a.outptu.n == 1\n    set: { n: 2 }\n';
    const { text, problems } = await fixed(yaml);
    expect(problems).toEqual([]);
    expect(text).toContain('when: steps.a.output.n == 1');
  });

  it('leave line ends, byte order mark and comments as they are', async () => {
    const yaml = '\uFEFF# of mine\r\nsteps: # all\r\n  - id: a\r\n    sehll: { run: echo hi } # say it\r\n';
    const { text, problems } = await fixed(yaml);
    expect(problems).toEqual([]);
    expect(text).toBe(yaml.replace('sehll', 'shell'));
  });

  it('leave the permissions of a file as they are', async () => {
    const dir = folder({ [PIPELINE]: 'steps:\n  - id: a\n    sehll: { run: echo hi }\n' });
    const file = path.join(dir, PIPELINE);
    const { mode } = statSync(file);
    await fixAll(async () => (await load('one', dir)).problems, [dir]);
    expect(statSync(file).mode).toBe(mode);
  });

  it('are not made where two names are equally near', async () => {
    const yaml =
      'steps:\n  - id: part_a\n    set: { n: 1 }\n  - id: part_b\n    set: { n: 1 }\n  - id: c\n    needs: [part_x]\n    set: { n: 1 }\n';
    const { text, problems } = await fixed(yaml);
    expect(text).toBe(yaml);
    expect(problems.map(({ rule }) => rule)).toEqual(['unknown-need']);
  });

  it('keep the quotes of a text, whatever they are', async () => {
    const steps = (that: string) =>
      `steps:\n  - id: a\n    shell: { run: echo hi }\n    output: { enum: [one, three] }\n    assert: [{ that: ${that}, message: no }]\n`;
    for (const that of [`"output == 'thre'"`, `'output == "thre"'`, String.raw`"output == \"thre\""`]) {
      expect((await fixed(steps(that))).text).toBe(steps(that.replace('thre', 'three')));
    }
  });

  it('write a value so that it is read as what was meant, also among commas and brackets', async () => {
    const kind: StepKind = {
      name: 'pick',
      schema: {
        type: 'object',
        properties: {
          of: { enum: ['a, b', '10.0', 'it: is # so'] },
          count: { enum: [10, 'many'] },
          isLast: { type: 'boolean' },
        },
        additionalProperties: false,
      },
      verbatim: [],
      textFiles: [],
      output: 'none',
      fence: false,
      inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false }),
      run: async () => ({ type: 'output', value: null }),
    };
    const steps = (...values: string[]) =>
      values.map((value, at) => `  - id: s${at}\n    pick:\n      of: ${value}\n      isLast: true\n`).join('');
    const inFlow = (...values: string[]) =>
      values.map((value, at) => `  - { id: t${at}, pick: { of: ${value} } }\n`).join('');
    const wrong = ['"a,, b"', "'10..0'", '"it: is # sso"'];
    const yaml = (...values: string[]) => `steps:\n${steps(...values)}${inFlow(...values)}`;
    const dir = folder({
      [PIPELINE]: yaml(...wrong, '|\n        a,, b').replaceAll('{ of: |\n        a,, b }', '{ count: manny }'),
    });
    const run = await fixAll(async () => (await load('one', dir, { kinds: [kind] })).problems, [dir]);
    expect(run.problems).toEqual([]);
    expect(readFileSync(path.join(dir, PIPELINE), 'utf8')).toBe(
      yaml("'a, b'", "'10.0'", "'it: is # so'", "'a, b'").replace(
        "t3, pick: { of: 'a, b' }",
        't3, pick: { count: many }',
      ),
    );
  });

  const INPUTS =
    'inputs:\n  lang: { enum: [de, en, fr], default: de }\n  mode: { enum: [light, dark], default: light }\n';

  it.each(['inputs.lang == "es"', 'inputs.mode == "night"', 'inputs.mode in ["bark"]', '"light" == "ligth"'])(
    'leave a condition what it says: %s',
    async (when) => {
      const yaml = `${INPUTS}steps:\n  - id: a\n    when: '${when}'\n    set: { n: 1 }\n`;
      const { text, problems } = await fixed(yaml);
      expect(text).toBe(yaml);
      expect(problems.map(({ rule }) => rule)).toEqual(['type']);
    },
  );

  it('leave inputs of another pipeline what they say', async () => {
    const yaml = 'steps:\n  - id: a\n    pipeline: { skill: two, inputs: { size: minimal } }\n';
    const two = 'inputs: { size: { enum: [maximal] } }\nsteps:\n  - { id: a, set: { n: 1 } }\n';
    const { text, problems } = await fixed(yaml, { 'skills/two/pipeline.yaml': two });
    expect(text).toBe(yaml);
    expect(problems.map(({ rule }) => rule)).toContain('not-allowed');
  });

  it('are not made inside of a quote that is never closed', async () => {
    for (const rest of ['', '  - id: b\n    set: { y: 1 }\n', '  - id: b\n    set: { y: "d" }\n']) {
      const yaml = `steps:\n  - id: a\n    set: { x: "abc }\n${rest}`;
      const { text, problems } = await fixed(yaml);
      expect(text).toBe(yaml);
      expect(problems[0]).toMatchObject({ message: 'This quote is never closed.', at: { line: 3, column: 15 } });
    }
  });

  it('put an expression in quotes as a whole, whatever its texts hold', async () => {
    for (const [value, ...more] of [
      [`\${{ query + "}}" }}`],
      [`\${{ query + "\\"}}" }}`],
      [`\${{ {'a': {'b': 1}} }}`],
    ]) {
      expect(more).toEqual([]);
      const yaml = `steps:\n  - id: a\n    set: { v: ${value}, w: 1 }\n`;
      const { text, problems } = await fixed(yaml);
      expect(text).toBe(yaml.replace(value ?? '', `'${value?.replaceAll("'", "''")}'`));
      expect(problems).toEqual([]);
    }
  });

  it('give no step an id that another one has, or would get', async () => {
    for (const [one, other] of [
      ['a-b', 'a_b'],
      ['a-b', 'aB'],
      ['a-b', 'a-b'],
    ]) {
      const yaml = `steps:\n  - { id: ${one}, set: { n: 1 } }\n  - { id: ${other}, set: { n: 1 } }\n  - { id: c, needs: [${one}], set: { n: 1 } }\n`;
      const { text, problems } = await fixed(yaml);
      expect(text).toBe(yaml);
      expect(problems[0]).toMatchObject({ rule: 'bad-id', hint: '"a_b" is taken: choose another one.' });
    }
  });

  it('name a file of any name', async () => {
    const yaml = (name: string) => `steps:\n  - { id: a, agent: { prompt: ${name} }, output: { type: object } }\n`;
    const { text, problems } = await fixed(yaml('"a,bb.md"'), { 'skills/one/a,b.md': 'Do it.\n' });
    expect(text).toBe(yaml("'a,b.md'"));
    expect(problems).toEqual([]);
  });

  it('end when they undo each other', async () => {
    const dir = folder({ 'a.yaml': 'on' });
    const file = path.join(dir, 'a.yaml');
    const swap = (): Problem[] => [
      {
        severity: 'error',
        rule: 'swap',
        message: 'Swapped.',
        at: { file, line: 1, column: 1 },
        edit: { start: 0, end: 2, text: readFileSync(file, 'utf8') === 'on' ? 'no' : 'on' },
      },
    ];
    const run = await fixAll(async () => swap(), [dir]);
    expect(run.fixed).toHaveLength(1);
    expect(run.problems).toHaveLength(1);
  });

  it('that touch each other are made in two passes', async () => {
    const dir = folder({ 'a.yaml': 'abcd' });
    const file = path.join(dir, 'a.yaml');
    const problem = (start: number, end: number, text: string): Problem => ({
      severity: 'error',
      rule: 'x',
      message: 'x',
      at: { file, line: 1, column: 1 },
      edit: { start, end, text },
    });
    const check = async () => {
      const text = readFileSync(file, 'utf8');
      if (text === 'abcd') return [problem(0, 3, 'A'), problem(1, 4, 'B')];
      return text === 'Ad' ? [problem(1, 2, 'D')] : [];
    };
    await fixAll(check, [dir]);
    expect(readFileSync(file, 'utf8')).toBe('AD');
  });
});

describe('files', () => {
  const MISTAKEN = 'steps:\n  - id: a\n    sehll: { run: echo hi }\n';

  it('outside of the given folders are never changed, also not through a link', async () => {
    const outside = folder({ 'pipeline.yaml': MISTAKEN });
    const dir = folder({ 'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nbody\n' });
    symlinkSync(path.join(outside, 'pipeline.yaml'), path.join(dir, PIPELINE));
    const check = async () => (await load(path.join(outside, 'pipeline.yaml'), dir)).problems;
    expect((await fixAll(check, [dir])).fixed).toEqual([]);
    await fixAll(async () => (await load('one', dir)).problems, [dir]);
    expect(readFileSync(path.join(outside, 'pipeline.yaml'), 'utf8')).toBe(MISTAKEN);
  });

  it('behind a link inside of a folder are changed, and the link stays one', async () => {
    const dir = folder({ 'shared/real.yaml': MISTAKEN });
    symlinkSync('real.yaml', path.join(dir, 'shared/link.yaml'));
    const run = await fixAll(async () => (await load(path.join(dir, 'shared/link.yaml'), dir)).problems, [dir]);
    expect(run.fixed).toHaveLength(1);
    expect(lstatSync(path.join(dir, 'shared/link.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(dir, 'shared/real.yaml'), 'utf8')).toContain('shell');
  });
});

describe('mutations', () => {
  const KIND_LIST: readonly StepKind[] = [agent, ...KINDS.filter(({ name }) => name !== 'agent')];
  const SMALL = [
    'paper-search',
    'system-health',
    'example',
    'now',
    'edit-and-resume',
    'kill-anywhere',
    'twelve-rounds',
  ];
  const FILES = 300;

  it('of 300 files at least nine in ten come back as the same plan, and none with another mistake', {
    timeout: 120_000,
  }, async () => {
    const dir = folder({});
    cpSync(path.join(FIXTURES, '../../skills'), path.join(dir, 'skills'), { recursive: true });
    cpSync(path.join(FIXTURES, '../../pipeline.example.yaml'), path.join(dir, 'skills/example/pipeline.yaml'));
    for (const name of SMALL.slice(4))
      cpSync(path.join(FIXTURES, 'pipelines', name), path.join(dir, 'skills', name), { recursive: true });

    const read = (name: string) => load(name, dir, { kinds: KIND_LIST, roles: ['default'] });
    const baseOf = async (name: string) => {
      const file = path.join(dir, 'skills', name, 'pipeline.yaml');
      const { plan, problems } = await read(name);
      if (!plan) throw new Error(`${name}: ${problems[0]?.message}`);
      return { name, file, text: readFileSync(file, 'utf8'), canonical: canonicalPlan(plan) };
    };
    const large = await baseOf('idea-spark');
    const small = await Promise.all(SMALL.map(baseOf));

    const random = dice(20_240_229);
    const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    let mutated = 0;
    let back = 0;
    const added: string[] = [];
    while (mutated < FILES) {
      const base = mutated % 5 === 0 ? large : any(small);
      const all = mutationsOf(base.text, random);
      const kind = any([...new Set(all.map((each) => each.kind))]);
      // Each third file has a second mistake elsewhere.
      const first = any(all.filter((each) => each.kind === kind));
      const second = mutated % 3 === 1 ? all.find(({ start }) => start > first.end + 80) : undefined;
      writeFileSync(base.file, applied(base.text, second ? [first, second] : [first]));
      let plan: Plan | undefined;
      let before: readonly Problem[] | undefined;
      const { fixed: edits, problems } = await fixAll(async () => {
        const now = await read(base.name);
        plan = now.plan;
        before ??= now.problems;
        return now.problems;
      }, [dir]);
      const isNew = ({ rule, message }: Problem) =>
        !before?.some((one) => one.rule === rule && one.message === message);
      added.push(
        ...problems.filter(isNew).map(({ message }) => `${base.name}: ${message} after ${JSON.stringify(edits)}`),
      );
      writeFileSync(base.file, base.text);
      const isSame = plan !== undefined && canonicalPlan(plan) === base.canonical;
      // Some slips are another way to write the same.
      if (isSame && edits.length === 0) continue;
      mutated++;
      if (isSame) back++;
    }
    expect(added).toEqual([]);
    expect(back / mutated).toBeGreaterThanOrEqual(0.9);
  });
});
