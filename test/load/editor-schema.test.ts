import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileSchema, schemaFaults } from '../../src/core/schema.js';
import { editorSchema } from '../../src/load/editor-schema.js';
import { STEP_KEYS, TOP_KEYS } from '../../src/load/keys.js';
import { STEP_KINDS } from '../../src/run.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const checkedIn = JSON.parse(readFileSync(join(ROOT, 'schemas/pipeline.schema.json'), 'utf8'));
const skills = readdirSync(join(ROOT, 'skills'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('pipeline.yaml'),
);

describe('the schema for editors', () => {
  it('is checked in as the registered kinds make it (npm run schema)', () => {
    expect(checkedIn).toEqual(editorSchema(STEP_KINDS));
  });
  it('is a schema', async () => {
    expect((await schemaFaults(checkedIn)).filter((fault) => fault.severity === 'error')).toEqual([]);
  });
  it('knows every key that the loader knows, each with a text to hover over', () => {
    const { step } = checkedIn.definitions;
    expect(Object.keys(checkedIn.properties).sort()).toEqual([...TOP_KEYS].sort());
    expect(Object.keys(step.properties)).toEqual(
      expect.arrayContaining([...STEP_KEYS, ...STEP_KINDS.map((kind) => kind.name)]),
    );
    const silent = Object.entries<{ description?: string }>({ ...checkedIn.properties, ...step.properties });
    expect(silent.filter(([, schema]) => !schema.description).map(([name]) => name)).toEqual([]);
  });
  it.each([...skills.map((file) => join('skills', file)), 'pipeline.example.yaml'])('accepts %s', async (file) => {
    const validate = await compileSchema(checkedIn);
    expect(validate(parse(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
  it('refuses a misspelt key and a step of two kinds', async () => {
    const validate = await compileSchema(checkedIn);
    expect(validate({ steps: [{ id: 'a', set: {}, tiemout: '1s' }] })).not.toEqual([]);
    expect(validate({ steps: [{ id: 'a', set: {}, shell: { run: 'x' } }] })).not.toEqual([]);
  });
});
