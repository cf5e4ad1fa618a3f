/** The places of a file that an expression can stand in, and what steps can stand in. */
import { flow, type Style, written, type Yaml } from './writing.js';

export type Step = { readonly [key: string]: Yaml };

const EVENT: Yaml = {
  anyOf: [
    { type: 'object', properties: { kind: { const: 'found' }, url: { type: 'string' } }, required: ['kind', 'url'] },
    { type: 'object', properties: { kind: { const: 'lost' }, why: { type: 'string' } }, required: ['kind', 'why'] },
  ],
};
const A: Yaml = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    verdict: { enum: ['go', 'stop'] },
    note: { type: ['string', 'null'] },
    extra: { type: 'string' },
    count: { type: 'integer' },
    author: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    list: {
      type: 'array',
      maxItems: 9,
      items: {
        type: 'object',
        properties: { text: { type: 'string' }, year: { type: 'integer' } },
        required: ['text', 'year'],
      },
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
    event: EVENT,
  },
  required: ['ok', 'verdict', 'note', 'count', 'author', 'list', 'pair', 'event'],
};

/** What the mistakes refer to. */
export const BASE: readonly Step[] = [
  { id: 'a', shell: { run: 'cat a.json' }, output: flow(A) },
  { id: 'maybe', when: 'steps.a.output.ok', shell: { run: 'cat a.json' }, output: flow(A) },
  { id: 'risky', on_error: 'continue', shell: { run: 'cat a.json' }, output: flow(A) },
  { id: 'many', foreach: 'steps.a.output.list', min_success: 1, shell: { run: 'echo "$0"' } },
  { id: 'box', steps: [{ id: 'inner', shell: { run: 'echo x' } }] },
];

/** A step with an expression at one place of it. `flowing`: what is around the expression is written with braces. */
export type Slot = (expression: string, style: Style, flowing: boolean) => Step;

const braces = (expression: string, style: Style): Yaml => written(style, `\${{ ${expression} }}`);
const mixed = (expression: string, style: Style): Yaml =>
  written(style, `so \${{ query }} and \${{ ${expression} }} on`);
const around = (value: Yaml, flowing: boolean): Yaml => (flowing ? flow(value) : value);
const OUTPUT: Yaml = { type: 'object', properties: { own: { type: 'string' } }, required: ['own'] };

/** Take a value of any type. */
export const VALUE_SLOTS: Readonly<Record<string, Slot>> = {
  set: (e, s, f) => ({ set: around({ before: '${{ query }}', v: braces(e, s) }, f) }),
  'set, nested': (e, s, f) => ({ set: { list: [1, around({ deep: { er: braces(e, s) } }, f)] } }),
  env: (e, s, f) => ({ shell: { run: 'echo "$V"', env: around({ V: braces(e, s) }, f) } }),
  stdin: (e, s, f) => ({ shell: around({ run: 'cat', stdin: braces(e, s) }, f) }),
  argv: (e, s, f) => ({ shell: { command: around(['echo', mixed(e, s)], f) } }),
  prompt: (e, s, f) => ({ agent: around({ prompt: mixed(e, s) }, f), output: OUTPUT }),
  message: (e, s, f) => ({
    shell: { run: 'cat' },
    assert: [around({ that: 'output != ""', message: mixed(e, s) }, f)],
  }),
  'save value': (e, s, f) => ({ shell: { run: 'cat' }, save: around({ 'out.json': braces(e, s) }, f) }),
  'group result': (e, s, f) => ({
    steps: [{ id: 'deepest', shell: { run: 'cat' } }],
    result: around({ inside: [braces(e, s)] }, f),
  }),
};

/** Take true or false. */
export const CONDITION_SLOTS: Readonly<Record<string, Slot>> = {
  when: (e, s) => ({ when: written(s, e), shell: { run: 'cat' } }),
  'when with braces': (e, s) => ({ when: braces(e, s), shell: { run: 'cat' } }),
  until: (e, s, f) => ({ repeat: around({ until: written(s, e), max: 3 }, f), shell: { run: 'cat' } }),
  that: (e, s, f) => ({ shell: { run: 'cat' }, assert: [around({ that: written(s, e), message: 'no' }, f)] }),
};

export const FOREACH_SLOTS: Readonly<Record<string, Slot>> = {
  foreach: (e, s) => ({ foreach: written(s, e), max_items: 3, shell: { run: 'cat' } }),
  'foreach with braces': (e, s) => ({ foreach: braces(e, s), max_items: 3, shell: { run: 'cat' } }),
};

/** A list of steps around a step, with what it may refer to. Undefined where the step cannot stand. */
export type Context = (step: Step, base: readonly Step[]) => readonly Step[] | undefined;

const LOOP: Step = { foreach: ['x', 'y'] };
const REPEAT: Step = { repeat: { until: 'iteration > 0', max: 2 } };
const inGroup = (group: Step, steps: readonly Step[]): Step => ({ id: 'g', ...group, steps });

export const CONTEXTS: Readonly<Record<string, Context>> = {
  'top level': (step, base) => [...base, step],
  'a group': (step, base) => [...base, inGroup({}, [step])],
  'a group with what it reads': (step, base) => [inGroup({}, [...base, step])],
  foreach: (step, base) => ('foreach' in step ? undefined : [...base, { ...step, ...LOOP }]),
  'a group in foreach': (step, base) => [...base, inGroup(LOOP, [step])],
  'a group in foreach with what it reads': (step, base) => [inGroup(LOOP, [...base, step])],
  repeat: (step, base) => ('repeat' in step ? undefined : [...base, { ...step, ...REPEAT }]),
  'a group in repeat': (step, base) => [...base, inGroup(REPEAT, [step])],
  'a group in a group in repeat': (step, base) => [...base, inGroup(REPEAT, [{ id: 'h', ...LOOP, steps: [step] }])],
};
