import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/core/plan.js';
import { fieldsOf } from '../../src/ui/form-fields.js';
import { readForm } from '../../src/ui/form-values.js';
import { planIn } from '../support/plans.js';
import { project } from '../support/project.js';

/** A plan with these inputs, as YAML. */
async function planOf(inputs: string): Promise<{ plan: Plan; dir: string }> {
  const steps = 'steps: [{ id: a, set: { all: "${{ inputs }}" } }]';
  const place = project({
    'pipeline.yaml': `version: 1\nname: form\ninputs:\n${inputs.replace(/^/gm, '  ')}\n${steps}\n`,
  });
  return { plan: await planIn(place), dir: place.dir };
}

async function read(inputs: string, typed: Readonly<Record<string, string>>) {
  const { plan, dir } = await planOf(inputs);
  const { problems, ...values } = await readForm(plan, new Map(Object.entries(typed)), dir);
  return { ...values, problems: Object.fromEntries(problems) };
}

describe('the fields of a form', () => {
  it('are made from the schemas of the inputs, in their order', async () => {
    const { plan } = await planOf(`
city: { type: string, minLength: 2, maxLength: 30, title: City, description: Where it is. }
notes: { type: string, maxLength: 5000, default: "" }
count: { type: integer, minimum: 1, maximum: 20, default: 3 }
share: { type: number, exclusiveMinimum: 0 }
loud: { type: boolean, default: true }
unit: { enum: [celsius, kelvin], default: kelvin }
level: { type: integer, enum: [1, 2] }
tags: { type: array, items: { type: string }, maxItems: 3, default: [a, b] }
extra: { type: object, properties: { a: { type: string } } }
either: { type: [integer, "null"], default: null }
free: { default: 1, description: Anything. }
sheet: { type: string, format: path }`);
    expect(
      fieldsOf(plan.inputs).map(({ name, isRequired, type, first, bounds }) => [name, isRequired, type, first, bounds]),
    ).toEqual([
      ['city', true, { type: 'line', of: 'text' }, '', '2 to 30 characters'],
      ['notes', false, { type: 'lines' }, '', 'at most 5000 characters'],
      ['count', false, { type: 'line', of: 'integer' }, '3', '1 to 20'],
      ['share', true, { type: 'line', of: 'number' }, '', 'more than 0'],
      ['loud', false, { type: 'switch' }, 'true', ''],
      ['unit', false, { type: 'choice', choices: ['celsius', 'kelvin'] }, 'kelvin', ''],
      ['level', true, { type: 'choice', choices: ['1', '2'] }, '', ''],
      ['tags', false, { type: 'json', of: 'array' }, '[\n  "a",\n  "b"\n]', 'at most 3 items'],
      ['extra', true, { type: 'json', of: 'object' }, '', ''],
      ['either', false, { type: 'json', of: 'integer or null' }, 'null', ''],
      ['free', false, { type: 'line', of: 'text' }, '1', ''],
      ['sheet', true, { type: 'line', of: 'path' }, '', ''],
    ]);
    expect(fieldsOf(plan.inputs)[0]).toMatchObject({ label: 'City', about: 'Where it is.' });
  });
});

describe('what is typed into a form', () => {
  it('becomes what the command line is given', async () => {
    const inputs =
      'city: { type: string }\ncount: { type: integer, default: 3 }\ntags: { type: array, default: [] }\nloud: { type: boolean, default: true }';
    const typed = {
      query: 'a\r\nb',
      'input.city': ' x=1 ',
      'input.count': '7',
      'input.tags': '[\r\n1]',
      'limit.usd': ' 2.50 ',
      model: ' sketch ',
    };
    expect(await read(inputs, typed)).toEqual({
      query: 'a\nb',
      inputs: { city: ' x=1 ', count: '7', tags: '[\n1]', loud: 'false' },
      model: 'sketch',
      limits: ['usd=2.50'],
      problems: {},
    });
  });

  it('leaves a default where nothing stands, but an empty text where a text was taken away', async () => {
    const inputs = 'count: { type: integer, default: 3 }\nnotes: { type: string, default: none }';
    const typed = { 'input.count': '', 'input.notes': '' };
    expect(await read(inputs, typed)).toMatchObject({ inputs: { notes: '' }, problems: {} });
    expect((await read(inputs, {})).inputs).toEqual({});
  });

  it('is judged as a whole: one mistake hides no other', async () => {
    const inputs =
      'city: { type: string }\ncount: { type: integer, maximum: 20 }\ntags: { type: array, items: { type: string }, default: [] }\nsheet: { type: string, format: path }\nunit: { enum: [a, b], default: a }';
    const typed = {
      'input.count': '99',
      'input.tags': '["a", 2, 3]',
      'input.sheet': 'gone.txt',
      'input.unit': 'c',
      'limit.tokens': '1.5',
      'limit.usd': 'all',
      'limit.time': '0s',
    };
    const { problems } = await read(inputs, typed);
    expect(Object.keys(problems)).toEqual([
      'input.city',
      'input.count',
      'input.tags',
      'input.sheet',
      'input.unit',
      'limit.tokens',
      'limit.usd',
      'limit.time',
    ]);
    expect(problems['input.city']).toEqual(['It is needed.']);
    expect(problems['input.tags']).toHaveLength(2);
    expect(problems['input.tags']?.[0]).toContain('1: expected string');
  });

  it('says of a text that is no JSON where it ends to be some', async () => {
    const { problems } = await read('tags: { type: array }\ncount: { type: integer }', {
      'input.tags': '[1',
      'input.count': 'x',
    });
    expect(problems['input.count']).toEqual(['This is no integer: x']);
    expect(problems['input.tags']?.[0]).toMatch(/^This is no JSON: /);
  });

  it('is refused where no process could be given it', async () => {
    const { problems } = await read('city: { type: string }', {
      query: 'x'.repeat(200_000),
      'input.city': 'ü'.repeat(60_000),
    });
    expect(Object.keys(problems)).toEqual(['query', 'input.city']);
  });
});
