import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../src/core/faults.js';
import { FUNCTIONS, METHODS } from '../../src/core/functions.js';
import { isObject, type Json } from '../../src/core/json.js';
import type { StepKind } from '../../src/core/kind.js';
import { CHILD } from '../../src/load/child-step.js';
import { DRIVER_KEYS, STEP_KEYS, TOP_KEYS } from '../../src/load/keys.js';
import { EXAMPLE_NAME } from '../../src/reference/example.js';
import { referenceOf, referenceText } from '../../src/reference/reference.js';
import { checkPipeline, STEP_KINDS, TOOLS } from '../../src/run.js';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { project } from '../support/project.js';

const reference = referenceOf(STEP_KINDS, TOOLS);
const text = referenceText(reference);
const section = (id: string) => reference.sections.find((one) => one.id === id)?.text ?? '';

/** Of a schema, at any depth. */
function keysIn(schema: Json): string[] {
  if (!isObject(schema)) return [];
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [...own.flatMap(([key, value]) => [key, ...keysIn(value)]), ...keysIn(schema.items ?? null)];
}

const missing = (words: readonly string[], where: string) => words.filter((word) => !where.includes(`\`${word}`));

describe('the reference names what is registered, so that it cannot drift', () => {
  it.each([...STEP_KINDS, CHILD].map((kind) => [kind.name, kind.schema] as const))(
    'every key of the kind %s, under its heading',
    (name, schema) => {
      const part =
        section('kinds')
          .split('### ')
          .find((one) => one.startsWith(`${name}\n`)) ?? '';
      expect(part).not.toBe('');
      expect(missing(keysIn(schema), part)).toEqual([]);
    },
  );

  it('every key of the file, of a step, of the driver', () => {
    expect(missing(TOP_KEYS, section('top'))).toEqual([]);
    expect(missing(STEP_KEYS, section('step'))).toEqual([]);
    expect(missing(DRIVER_KEYS, section('modes'))).toEqual([]);
  });

  it('every tool with its arguments, every function and method', () => {
    for (const { spec } of TOOLS) {
      const line =
        section('tools')
          .split('\n')
          .find((one) => one.startsWith(`- \`${spec.name}\``)) ?? '';
      expect(keysIn(spec.parameters).filter((key) => !line.includes(key))).toEqual([]);
      expect(line).not.toBe('');
    }
    const all = section('expressions');
    expect(Object.keys(FUNCTIONS).filter((name) => !all.includes(`\`${name}(`))).toEqual([]);
    expect(Object.keys(METHODS).filter((name) => !all.includes(`.${name}(`))).toEqual([]);
  });

  it('every exit code that a fault can give', () => {
    const said = new Set(
      section('exits')
        .match(/\b\d+\b/g)
        ?.map(Number),
    );
    expect(Object.values(FAULTS).filter(({ exit }) => !said.has(exit))).toEqual([]);
  });

  it('a kind that is added, and no kind that is not there', () => {
    const [agent] = STEP_KINDS;
    const added = { ...agent, name: 'letter', schema: { type: 'object', properties: { stamp: { type: 'string' } } } };
    const more = referenceText(referenceOf([added as StepKind], []));
    expect(more).toContain('### letter');
    expect(more).toContain('- `stamp` (text)');
    expect(more).not.toContain('### shell');
  });
});

it('fits in 20 KB, so that an agent can be given all of it', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(20_000);
});

describe('its example', () => {
  function written() {
    const place = project({});
    for (const [path, content] of Object.entries(reference.example))
      place.write(join('skills', EXAMPLE_NAME, path), content);
    return { ...place, around: { cwd: place.dir, env: { PATH: process.env.PATH, HOME: place.dir } } };
  }

  it('passes the strict check, and its own test', async () => {
    const { around } = written();
    expect((await checkPipeline(EXAMPLE_NAME, around, { strict: true })).problems).toEqual([]);
    const { tests, problems } = await findTests([EXAMPLE_NAME], around);
    expect(problems).toEqual([]);
    expect(tests).toHaveLength(1);
    for (const test of tests) expect((await performTest(test, around)).failures.flatMap(failureLines)).toEqual([]);
  });

  it('runs with the placeholder model, and stands in the text as it is', async () => {
    expect(await written().run({ target: EXAMPLE_NAME })).toMatchObject({ status: 'done' });
    for (const content of Object.values(reference.example)) expect(text).toContain(content);
  });
});
