import { describe, expect, it } from 'vitest';
import { BASE, CONTEXTS, type Step } from './places.js';
import { desk, everywhere, fileText, type Mistake, missed, type Written } from './table.js';
import { flow, marked, withoutMark, written, type Yaml } from './writing.js';

const OK: Yaml = flow({ type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] });
const agent = (more: Step, output: Yaml = OK): Step => ({ agent: { prompt: 'x', ...more }, output });
const run = (more: Step): Step => ({ shell: { run: 'cat' }, ...more });

/** Steps beside each other, of which the last one is wrong. */
type Steps = readonly Step[];

interface Structure {
  readonly rule: string;
  readonly says: string;
  readonly steps: Steps;
}

const said = (rule: string, says: string, ...steps: Steps): Structure => ({ rule, says, steps });

const MISTAKES: Readonly<Record<string, Structure>> = {
  'an id that is taken': said('duplicate-id', 'is taken', { id: marked('a'), ...run({}) }),
  'an id that is none': said('bad-id', '"Two words"', { id: marked('Two words'), ...run({}) }),
  'an unknown need': said('unknown-need', '"nobody"', { id: 'x', needs: [marked('nobody')], ...run({}) }),
  'a need of itself': said('self-need', '"x"', { id: 'x', needs: [marked('x')], ...run({}) }),
  'a need of a step elsewhere': said('foreign-need', '"inner"', { id: 'x', needs: [marked('inner')], ...run({}) }),
  'a cycle of needs': said(
    'cycle',
    'x -> y -> x',
    { id: 'x', needs: [marked('y')], ...run({}) },
    { id: 'y', needs: ['x'], ...run({}) },
  ),
  'a reference to a later step': said(
    'cycle',
    'x -> y -> x',
    { id: 'x', set: { v: written('single', '${{ ¦steps.y.output }}') } },
    { id: 'y', ...run({}) },
  ),
  'an unknown key': said('unknown-key', '"timeuot"', { id: 'x', ...run({ '¦timeuot': '3s' }) }),
  'a key of another tool': said('unknown-key', '"if"', { id: 'x', ...run({ '¦if': 'query == ""' }) }),
  'a key of a kind': said('unknown-key', '"promt"', { id: 'x', agent: { prompt: 'x', '¦promt': 'y' }, output: OK }),
  'no kind': said('no-kind', 'does nothing', marked({ id: 'x', title: 'A step' }) as unknown as Step),
  'two kinds': said('two-kinds', 'more than one kind', { id: 'x', set: { v: 1 }, '¦shell': { run: 'cat' } }),
  'a duration without a unit': said('duration', '"timeout"', { id: 'x', ...run({ timeout: marked(30) }) }),
  'a word that is not allowed': said('not-allowed', '"on_error"', {
    id: 'x',
    ...run({ on_error: marked('contineu') }),
  }),
  'a number out of bounds': said('out-of-bounds', 'at least 1', {
    id: 'x',
    ...run({ retry: { attempts: marked(0) } }),
  }),
  'a text for a number': said('wrong-type', '"max_rounds"', { id: 'x', ...agent({ max_rounds: marked('many') }) }),
  'an unknown tool': said('agent-config', 'no tool "read_fiel"', {
    id: 'x',
    ...agent({ tools: [marked('read_fiel')] }),
  }),
  'an unknown skill': said('agent-config', 'no skill "nobody"', { id: 'x', ...agent({ skill: marked('nobody') }) }),
  'an unknown model role': said('unknown-model', '"jugde"', { id: 'x', ...agent({ model: marked('jugde') }) }),
  'a model of any text': said('unknown-model', 'cannot be told', {
    id: 'x',
    ...agent({ model: written('single', '${{ ¦query }}') }),
  }),
  'a model of an enum that is no role': said('unknown-model', '"go"', {
    id: 'x',
    ...agent({ model: written('single', '${{ ¦steps.a.output.verdict == "stop" ? "default" : "go" }}') }),
  }),
  'a text where a kind takes a number': said('type', '"max_rounds" must be a number', {
    id: 'x',
    ...agent({ max_rounds: written('single', '${{ ¦steps.a.output.verdict }}') }),
  }),
  'a misspelled field in a number that a kind takes': said('type', 'no field "cuont"', {
    id: 'x',
    ...agent({ max_rounds: written('single', '${{ steps.a.output.¦cuont }}') }),
  }),
  'a misspelled field in the message of an assert': said('type', 'no field "nmae"', {
    id: 'x',
    shell: { run: 'cat' },
    assert: [{ that: 'output != ""', message: written('single', 'so ${{ steps.a.output.author.¦nmae }}') }],
  }),
  'no output of an agent': said('missing-output', 'needs "output"', { id: 'x', '¦agent': { prompt: 'x' } }),
  'a schema file that is not there': said('schema-file', 'nothing.json', {
    id: 'x',
    ...run({ output: marked('nothing.json') }),
  }),
  'a $ref that leads nowhere': said('schema', 'leads nowhere', {
    id: 'x',
    ...run({ output: { '¦$ref': '#/$defs/none' } }),
  }),
  'a $ref to a file that is not there': said('schema-file', 'nothing.json', {
    id: 'x',
    ...run({ output: { '¦$ref': 'nothing.json' } }),
  }),
  'a pattern that is no pattern': said('schema', 'pattern', {
    id: 'x',
    ...run({ output: { type: 'string', '¦pattern': '(' } }),
  }),
  'an unsafe pattern': said('schema', 'refused', {
    id: 'x',
    ...run({ output: { type: 'string', '¦pattern': '^(a+)+$' } }),
  }),
  'a type that is none': said('schema', 'type', { id: 'x', ...run({ output: { '¦type': 'strng' } }) }),
  'an unknown keyword of a schema': said('schema', '"requird"', {
    id: 'x',
    ...run({ output: { type: 'object', '¦requird': ['a'], properties: { a: { type: 'string' } } } }),
  }),
  'a required field that is not allowed': said('schema', '"okk"', {
    id: 'x',
    ...run({
      output: {
        type: 'object',
        properties: { ok: { type: 'boolean' } },
        additionalProperties: false,
        required: [marked('okk')],
      },
    }),
  }),
  'a required field that is nearly a property': said('schema', '"okk"', {
    id: 'x',
    ...run({ output: { type: 'object', properties: { ok: { type: 'boolean' } }, required: [marked('okk')] } }),
  }),
  'bounds that cross': said('schema', 'minLength', {
    id: 'x',
    ...run({ output: { type: 'string', '¦minLength': 5, maxLength: 3 } }),
  }),
  'an expression in a script': said('shell-template', '${{ }}', {
    id: 'x',
    shell: { run: written('single', 'echo ¦${{ query }}') },
  }),
  'an expression in instructions': said('verbatim', '"instructions"', {
    id: 'x',
    ...agent({ instructions: written('single', 'Be ¦${{ query }}.') }),
  }),
  'both run and command': said('shell-config', 'command', {
    id: 'x',
    shell: { run: 'cat', command: marked(flow(['cat'])) },
  }),
  'a path that leads outside': said('save-path', '"../x.json"', { id: 'x', ...run({ save: marked('../x.json') }) }),
  'a misspelled field in the path of a file': said('type', 'no field "okk"', {
    id: 'x',
    ...run({ output: OK, save: { 'é/${{ output.¦okk }}.json': 1 } }),
  }),
  'a misspelled field in the one path of a file': said('type', 'no field "okk"', {
    id: 'x',
    ...run({ output: OK, save: written('double', 'é/${{ output.¦okk }}.json') }),
  }),
  'a misspelled field in the second path of a file': said('type', 'no field "okk"', {
    id: 'x',
    ...run({ output: OK, save: { '\\"é/${{ output.ok }}-${{ output.¦okk }}.json': 1 } }),
  }),
  'a misspelled field in cwd': said('type', 'no field "dri"', {
    id: 'x',
    shell: { run: 'cat', cwd: written('single', '${{ project.¦dri }}') },
  }),
  'two writers of a path': said(
    'two-writers',
    'x.json',
    { id: 'x', ...run({ save: 'x.json' }) },
    { id: 'y', ...run({ save: marked('x.json') }) },
  ),
  'an artifact that leads outside': said('artifact-path', '"../x"', {
    id: 'x',
    ...run({ artifacts: [marked('../x')] }),
  }),
  'an assert without a message': said('missing-key', '"message"', {
    id: 'x',
    ...run({ assert: [marked({ that: 'output != ""' })] }),
  }),
  'a loop without a bound': said('max-items', 'any number of items', {
    id: 'x',
    foreach: marked('steps.a.output.list.map(i, [i.text])[0] + lines(query)'),
    ...run({}),
  }),
  'max_items without foreach': said('needs-foreach', '"max_items"', { id: 'x', ...run({ '¦max_items': 3 }) }),
  'repeat without until': said('missing-key', '"until"', { id: 'x', ...run({ '¦repeat': { max: 3 } }) }),
  'result of no group': said('unknown-key', '"result"', { id: 'x', ...run({ '¦result': { v: 1 } }) }),
  'text around an expression in a condition': said('expression', 'exactly one expression', {
    id: 'x',
    ...run({ when: written('single', '¦${{ query }} == "x"') }),
  }),
  'an expression that is not closed': said('expression', 'is not closed', {
    id: 'x',
    set: { v: written('single', 'so ¦${{ query') },
  }),
  'an empty expression': said('expression', 'is empty', { id: 'x', set: { v: written('single', '${{¦}}') } }),
  'an unknown skill in an expression': said('unknown-skill', 'nobody', {
    id: 'x',
    set: { v: written('single', '${{ skills.¦nobody.dir }}') },
  }),
};

function inEach({ steps }: Structure, isFlow: boolean): Written[] {
  return Object.entries(CONTEXTS).flatMap(([context, put], row) => {
    const all = steps.map((step) => (isFlow && !('$marked' in step) ? (flow(step) as unknown as Step) : step));
    const last = all.at(-1) as Step;
    // A loop on the step itself has no place for more than one step.
    if (context === 'foreach' || context === 'repeat') return [];
    const list = put(PLACEHOLDER, BASE);
    const text = list && fileText(replaced(list, [...all.slice(0, -1), last]));
    if (text === undefined) return [];
    return [
      {
        place: `${isFlow ? 'flow' : 'block'}, in ${context}`,
        ...withoutMark(row % 3 === 0 ? text.replaceAll('\n', '\r\n') : text),
      },
    ];
  });
}

const PLACEHOLDER: Step = { id: 'placeholder' };

function replaced(steps: readonly Step[], by: readonly Step[]): Step[] {
  return steps.flatMap((step): Step[] => {
    if (step === PLACEHOLDER) return [...by];
    return Array.isArray(step.steps) ? [{ ...step, steps: replaced(step.steps as readonly Step[], by) }] : [step];
  });
}

describe('a mistake in the structure is found at its place, and nothing else is said', () => {
  it.each(Object.entries(MISTAKES))('%s', async (_, mistake) => {
    const all = [...inEach(mistake, false), ...inEach(mistake, true)];
    expect(all.length).toBeGreaterThan(10);
    expect(await missed(mistake, all)).toEqual([]);
  });
});

describe('in a loop', () => {
  const type = (expression: string, says: string): Mistake => ({ rule: 'type', expression, says });
  const OUTPUT: Yaml = flow({ type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] });
  const inside = (e: string, s: Parameters<typeof written>[0], f: boolean): Step => ({
    steps: [
      {
        id: 'deep',
        shell: f
          ? flow({ run: 'cat', env: { V: written(s, `\${{ ${e} }}`) } })
          : { run: 'cat', env: { V: written(s, `\${{ ${e} }}`) } },
        output: OUTPUT,
      },
    ],
    result: flow({ ok: '${{ steps.deep.output.ok }}' }),
  });
  const own = (e: string, s: Parameters<typeof written>[0], f: boolean): Step => ({
    shell: f
      ? flow({ command: ['echo', written(s, `so \${{ ${e} }}`)] })
      : { command: ['echo', written(s, `so \${{ ${e} }}`)] },
    output: OUTPUT,
  });
  const condition = (e: string, s: Parameters<typeof written>[0]): Step => ({
    ...run({ output: OUTPUT }),
    assert: [{ that: written(s, e), message: 'no' }],
  });
  const SLOTS = { inside, own, condition };

  it.each([
    ['a field of the item', type('item.¦txt == "x"', 'no field "txt"')],
    ['the item of a loop by its id', type('steps.wrong.item.¦txt == "x"', 'no field "txt"')],
    ['a number and a text', type('¦index == "x"'.replace('¦', '').replace('"x"', '¦"x"'), 'is never "x"')],
    ['a round that is none', type('¦iteration > 0', 'iteration does not exist here')],
  ])('foreach: %s', async (_, mistake) => {
    for (const shift of [0, 1]) {
      const all = everywhere(mistake, SLOTS, shift, BASE, { foreach: 'steps.a.output.list' }).filter(
        ({ place }) => !/repeat/.test(place),
      );
      expect(all.length).toBeGreaterThan(5);
      expect(await missed(mistake, all)).toEqual([]);
    }
  });

  it.each([
    ['previous without a guard', type('¦previous.ok', 'may be null')],
    ['a field of previous', type('iteration > 0 && previous.¦okk', 'no field "okk"')],
    ['previous in the first round', type('iteration == 0 && ¦previous.ok', 'may be null')],
    ['a guard by another number', type('iteration > -1 && ¦previous.ok', 'may be null')],
    ['a guard the other way round', type('iteration > 0 || ¦previous.ok', 'may be null')],
    ['previous of a loop by its id', type('¦steps.wrong.previous.ok', 'may be null')],
    [
      'a misspelled field of a loop',
      { rule: 'self-reference', expression: 'steps.wrong.¦iteratoin > 0', says: 'steps.wrong' },
    ],
    ['its own output', { rule: 'self-reference', expression: 'steps.¦wrong.output.ok', says: 'has no output yet' }],
  ])('repeat: %s', async (_, mistake) => {
    const all = everywhere(mistake, SLOTS, 0, BASE, { repeat: flow({ until: 'iteration > 0', max: 2 }) });
    expect(all.length).toBeGreaterThan(5);
    expect(await missed(mistake, all)).toEqual([]);
  });
});

describe('at the top of the file', () => {
  it.each<[string, string, string, Step]>([
    [
      'an unknown field in the result',
      'type',
      'no field "verdct"',
      { result: { v: written('single', '${{ steps.a.output.¦verdct }}') } },
    ],
    [
      'an unknown field in a nested result',
      'type',
      'no field "verdct"',
      { result: flow({ v: [{ w: written('double', 'so ${{ steps.a.output.¦verdct }}') }] }) },
    ],
    [
      'a result that may be skipped',
      'type',
      'may be null',
      { result: written('folded', '${{ ¦steps.maybe.output.ok }}') },
    ],
    [
      'an unknown step in the result',
      'unknown-step',
      '"aa"',
      { result: written('literal', '${{ steps.¦aa.output }}') },
    ],
    ['a step in a group', 'hidden-step', '"inner"', { result: written('plain', '${{ steps.¦inner.output }}') }],
    ['its own output', 'type', 'output does not exist', { result: written('plain', '${{ ¦output }}') }],
    ['an unknown key', 'unknown-key', '"modles"', { '¦modles': ['judge'] }],
    [
      'an input whose default is wrong',
      'input-default',
      'tone',
      { inputs: flow({ tone: { type: 'string', default: marked(3) } }) },
    ],
    ['an unknown version', 'version', '2', { version: marked(2) }],
    ['a limit without a unit', 'duration', '"time"', { limits: flow({ time: marked(30) }) }],
    ['an environment variable that is none', 'env-name', '"A-B"', { permissions: { env: [marked('A-B')] } }],
    ['a key of a provider', 'env-secret', 'OPENAI_API_KEY', { permissions: { env: [marked('OPENAI_API_KEY')] } }],
  ])('%s', async (_, rule, says, more) => {
    const text = fileText(BASE, more);
    const { at, text: file } = withoutMark(text ?? '');
    const look = desk();
    expect(await missed({ rule, says }, [{ place: 'top', at, text: file }], look)).toEqual([]);
  });
});

describe('in a block scalar', () => {
  it.each([
    ['|', '      so ${{ query }}\n\n        and ${{ steps.¦aa.output }}\n'],
    ['|-', '      ${{ query }}\n      ${{ steps.¦aa.output }}\n'],
    ['|+', '      ${{ steps.¦aa.output }}\n\n\n'],
    ['|2', '        indented ${{ steps.¦aa.output }}\n'],
    ['|2-', '        indented\n      ${{ steps.¦aa.output }}\n'],
    ['>', '      so\n      ${{ query }}\n\n      and ${{ steps.¦aa.output }}\n'],
    ['>-', '      so\n        more\n          indented\n      ${{ steps.¦aa.output }}\n'],
    ['>+', '      so\n\n\n      ${{ steps.¦aa\n      .output }}\n\n'],
    ['>2', '        indented\n      ${{ query }} é😀 ${{ steps.¦aa.output }}\n'],
    ['| # a note', '      ${{ query }}\n      # no note: ${{ steps.¦aa.output }}\n'],
    ['>-   # a note', '\n\n      ${{ "😀" + query }} 标题 ${{ steps.¦aa.output }}\n'],
    ['|', '      tabs\tand\t${{ steps.¦aa.output }}\t\n'],
  ])('%s', async (header, lines) => {
    for (const newline of ['\n', '\r\n']) {
      const text = `steps:\n  - id: x\n    set:\n    ${'  '}v: ${header}\n${lines.replaceAll(/^ {2}/gm, '    ')}  - id: y\n    set: { v: 1 }\n`;
      const { at, text: file } = withoutMark(text.replaceAll('\n', newline));
      expect(await missed({ rule: 'unknown-step', says: '"aa"' }, [{ place: header, at, text: file }])).toEqual([]);
    }
  });
});

it('a mistake in a guard is no cause of others, and hides none below it', async () => {
  const guarded = (condition: string): Step[] => [
    { id: 'stop', when: condition, end: { outcome: 'none', status: 'done' } },
    { id: 'x', when: condition, set: { v: '${{ steps.maybe.output.count }}', w: '${{ steps.risky.output.count }}' } },
    { id: 'y', set: { v: '${{ inputs.tnoe }}', w: '${{ steps.many.output.foo }}' } },
  ];
  const look = desk();
  const said = async (condition: string) =>
    (await look(fileText([...BASE, ...guarded(condition)]) ?? '')).map(({ message }) => message);
  const below = [
    'steps.risky.output may be null.',
    'inputs has no field "tnoe".',
    'steps.many.output is a list and has no field "foo".',
  ];
  const unknown = 'steps.maybe has no field "outptu".';
  expect(await said('steps.maybe.outptu != null')).toEqual([unknown, unknown, ...below]);
  const never = 'steps.maybe.status is never "doen".';
  expect(await said('steps.maybe.status == "doen"')).toEqual([never, never, ...below]);
});
