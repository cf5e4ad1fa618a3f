import { describe, expect, it } from 'vitest';
import { override } from '../../src/load/overrides.js';
import { problemsText } from '../../src/load/report.js';
import { sourceOf } from '../../src/load/text.js';
import { folder, load, loadText } from './arena.js';

const set = (text: string, overrides: Record<string, string>) => {
  const { source, problems } = override(sourceOf('/p.yaml', text), overrides);
  return { text: source.text, said: problems.map(({ message }) => message) };
};

const STEPS = 'steps:\n  - id: a\n    timeout: 1m\n    set: { n: 1 }\n';

describe('a value is put in place of', () => {
  it.each([
    ['one of the same line', STEPS, 'steps.a.timeout', '2m', STEPS.replace('1m', '"2m"')],
    ['one that is not there', STEPS, 'steps.a.cache', 'false', STEPS.replace('id: a', 'cache: false\n    id: a')],
    ['one that is empty', 'steps:\n- id: a\n  needs:\n', 'steps.a.needs', '[]', 'steps:\n- id: a\n  needs: []\n'],
    ['a list in the column of its key', 'a:\n- b\n- c # d\nd: 1\n', 'a', '[x]', 'a: ["x"] # d\nd: 1\n'],
    ['a list that is indented', 'a:\n  - b\n  - c\n# d\nd: 1\n', 'a', 'x', 'a: "x"\n# d\nd: 1\n'],
    ['a text of several lines', 'a: |\n  b\n\nc: 1\n', 'a', 'x', 'a: "x"\n\nc: 1\n'],
    ['a mapping of several lines', 'a:\n  # b\n  b: 1\nc: 1\n', 'a', '{ d: 2 }', 'a: {"d":2}\nc: 1\n'],
    ['one in braces', 'a: { b: 1, c: 2 }\n', 'a.c', '[3]', 'a: { b: 1, c: [3] }\n'],
    ['nothing, in braces', 'a: { b: 1 }\n', 'a.c', '2', 'a: { c: 2, b: 1 }\n'],
    ['nothing, in empty braces', 'a: {}\n', 'a.c', '2', 'a: { c: 2 }\n'],
    ['one behind a quoted key', '"a" : 1\nb: 2\n', 'a', '3', '"a": 3\nb: 2\n'],
    ['an alias, alone', 'a: &x { b: 1 }\nc: *x\nd: 1\n', 'c', '2', 'a: &x { b: 1 }\nc: 2\nd: 1\n'],
    ['nothing, before a line that ends', 'a:\n  v:\nb: 1\n', 'a.v', '1', 'a:\n  v: 1\nb: 1\n'],
    ['nothing, before a comment', 'v: # c\nw: 2\n', 'v', '1', 'v: 1 # c\nw: 2\n'],
    ['nothing, at the end', 'w: 1\nv:', 'v', '1', 'w: 1\nv: 1'],
    ['nothing, by a key with a blank', 'a: 1\n', 'b: c d', '1', '"b: c d": 1\na: 1\n'],
    ['nothing, by a key of two lines', 'a: 1\n', 'b\nc', '1', '"b\\nc": 1\na: 1\n'],
    ['one with an anchor that nothing repeats', 'a: &x 1\nb: 2\n', 'a', '3', 'a: 3\nb: 2\n'],
  ])('%s', (_, text, path, value, wanted) => {
    expect(set(text, { [path]: value })).toEqual({ text: wanted, said: [] });
  });
});

describe('nothing is set', () => {
  const SHARED = 'steps:\n- id: a\n  shell: &x { run: echo a }\n- id: b\n  shell: *x\n';
  it.each([
    ['inside of an alias', SHARED, 'steps.b.shell.run', 'y', /alias/],
    ['inside of what an alias repeats', SHARED, 'steps.a.shell.run', 'y', /cannot be set here alone/],
    ['in place of what an alias repeats', SHARED, 'steps.a.shell', 'y', /cannot be set here alone/],
    ['by a path without a step', STEPS, 'steps', '1', /names no step/],
    ['by a path with an empty part', STEPS, 'steps.', '1', /empty part/],
    ['by a step without a key', STEPS, 'steps.a', '1', /names no value/],
    ['that is no value', STEPS, 'steps.a.timeout', '*x', /is no value/],
    ...['[1,2', '!!js/function x', '1e999', '1\n---\n2', '"a', ''].map(
      (value): [string, string, string, string, RegExp] => [
        'that is no value',
        STEPS,
        'steps.a.timeout',
        value,
        /is no value/,
      ],
    ),
    ['in a value that holds none', STEPS, 'steps.a.timeout.x', '1', /nothing to set "x" in/],
  ])('%s', (_, text, path, value, message) => {
    const done = set(text, { [path]: value });
    expect(done.text).toBe(text);
    expect(done.said).toEqual([expect.stringMatching(message)]);
  });

  it('in a SKILL.md alone, which has no values', async () => {
    const dir = folder({ 'skills/one/SKILL.md': '---\nname: one\ndescription: d\n---\nDo it.\n' });
    const { plan, problems } = await load('one', dir, { overrides: { 'agent.model': 'judge' } });
    expect(plan).toBeUndefined();
    expect(problemsText(problems, { cwd: dir })).toMatch(/^✗ --set agent\.model: .*has no pipeline\.yaml/);
  });
});

describe('a finding', () => {
  const YAML =
    'steps:\n  - { id: a, timeout: 1m, set: { n: 1 } }\n  - id: b\n    needs:\n    - a\n    sett: { m: 1 }\n';
  const said = async (overrides: Record<string, string>, yaml = YAML) =>
    (await loadText(yaml, {}, { overrides })).problems.map(({ at, message }) => `${at.line}:${at.column} ${message}`);

  it('keeps its place in the file, whatever is set before it', async () => {
    const before = await said({});
    expect(before).not.toEqual([]);
    expect(await said({ 'steps.b.cache': 'false' })).toEqual(before);
    expect(await said({ 'steps.b.needs': '[]', 'steps.a.timeout': '1h30m', 'steps.a.cache': 'true' })).toEqual(before);
    const inBraces = 'steps:\n  - { id: a, timeout: 1m, sett: { n: 1 } }\n';
    expect(await said({ 'steps.a.timeout': '1h30m', 'steps.a.cache': 'true' }, inBraces)).toEqual(
      await said({}, inBraces),
    );
  });

  it('of a value that was set names the option, at the place of what it replaces', async () => {
    const right = YAML.replace('sett', 'set');
    expect(await said({ 'steps.a.timeout': '5 parsecs' }, right)).toEqual([
      '2:23 "timeout" must be a duration, not "5 parsecs" (--set steps.a.timeout).',
    ]);
    expect(await said({ 'steps.b.tiemout': '5s' }, right)).toEqual([
      expect.stringMatching(/^3:5 .*"tiemout".* \(--set steps\.b\.tiemout\)\.$/),
    ]);
    expect(await said({ 'steps.b.when': 'steps.c.output' }, right)).toEqual([
      expect.stringMatching(/^3:5 .*"c".* \(--set steps\.b\.when\)\.$/),
    ]);
  });

  it('of a path that leads nowhere has no place but the option', async () => {
    const { problems } = await loadText(YAML, {}, { overrides: { 'steps.other.y': '1' } });
    expect(problemsText(problems, { cwd: '/' })).toBe(
      '✗ --set steps.other.y: No step has the id "other".\n  try  pipeline show lists the steps.',
    );
  });
});
