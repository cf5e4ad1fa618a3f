import { describe, expect, it } from 'vitest';
import { render } from '../../src/core/expression.js';
import { loadText, places } from './arena.js';

const ITEM = '{ type: object, properties: { text: { type: string }, year: { type: integer } }, required: [text] }';
const A = `  - id: a
    shell: { run: cat a.json }
    output: { type: object, properties: { ok: { type: boolean }, verdict: { enum: [go, stop] }, note: { type: [string, "null"] }, list: { type: array, maxItems: 9, items: ${ITEM} } }, required: [ok, verdict, note, list] }
`;
const said = async (steps: string) =>
  (await loadText(`steps:\n${A}${steps}`)).problems.map(({ rule, message }) => `${rule}: ${message}`);
const echo = (expression: string) => `shell: { command: [echo, '\${{ ${expression.replaceAll("'", "''")} }}'] }`;

describe('what is right', () => {
  it.each([
    ['a field', `  - id: b\n    ${echo('steps.a.output.verdict')}\n`],
    ['the roots', `  - id: b\n    ${echo('query + run.slug + run.id + skill.dir + project.dir')}\n`],
    [
      'an item and its index',
      `  - id: b\n    foreach: steps.a.output.list\n    ${echo('item.text + string(index)')}\n`,
    ],
    [
      'the items of an outer loop',
      `  - id: b\n    foreach: steps.a.output.list\n    steps:\n      - id: c\n        foreach: [x, y]\n        ${echo('steps.b.item.text + item')}\n`,
    ],
    [
      'its own output after it',
      `  - id: b\n    shell: { run: x }\n    output: ${ITEM}\n    assert: [{ that: output.text != "", message: "no \${{ output.text }}" }]\n    save: { "\${{ output.text }}.json": "\${{ output }}" }\n`,
    ],
    [
      'a guard by status',
      `  - id: b\n    when: steps.a.output.ok\n    shell: { run: x }\n  - id: c\n    when: steps.b.status == "done"\n    ${echo('steps.b.output.size()')}\n`,
    ],
    [
      'a guard on the group around',
      `  - id: b\n    when: steps.a.output.ok\n    shell: { run: x }\n  - id: g\n    when: steps.b.output != null\n    steps:\n      - id: c\n        ${echo('steps.b.output.size()')}\n`,
    ],
    [
      'the negated guard of an end',
      `  - id: stop\n    when: steps.a.output.note == null\n    end: { outcome: none, status: done }\n  - id: c\n    ${echo('steps.a.output.note.size()')}\n`,
    ],
    [
      'the last round and its number',
      `  - id: b\n    repeat: { until: 'iteration > 1 && output != ""', max: 3 }\n    ${echo('iteration > 0 ? previous : "none"')}\n`,
    ],
    [
      'the failures of a loop',
      `  - id: b\n    foreach: steps.a.output.list\n    min_success: 1\n    shell: { run: x }\n  - id: c\n    ${echo('steps.b.failures.map(f, f.error.code + f.item.text).join(", ")')}\n`,
    ],
    [
      'a step that is set',
      `  - id: b\n    set: { n: '\${{ steps.a.output.list.size() }}', v: "\${{ steps.a.output.verdict }}" }\n  - id: c\n    when: steps.b.output.n > 3 && steps.b.output.v == "go"\n    shell: { run: x }\n`,
    ],
    [
      'the result of a group',
      `  - id: g\n    steps:\n      - id: b\n        shell: { run: x }\n        output: ${ITEM}\n    result: { inner: "\${{ steps.b.output }}" }\n  - id: c\n    ${echo('steps.g.output.inner.text')}\n`,
    ],
    [
      'a group without result',
      `  - id: g\n    steps:\n      - id: b\n        shell: { run: x }\n        output: ${ITEM}\n  - id: c\n    ${echo('steps.g.output.b.text')}\n`,
    ],
    [
      'a step below, which then runs first',
      `  - id: b\n    ${echo('steps.c.output')}\n  - id: c\n    needs: []\n    shell: { run: x }\n`,
    ],
  ])('%s is no alarm', async (_, steps) => {
    expect(await said(steps)).toEqual([]);
  });
});

describe('a value for what a kind takes as text', () => {
  it('is text, also where it is a list', async () => {
    const { plan, problems } = await loadText(
      `steps:\n${A}  - id: b\n    agent: { prompt: "\${{ steps.a.output.list }}", max_rounds: "\${{ steps.a.output.list.size() }}" }\n    output: { type: string }\n  - id: c\n    shell: { command: [echo, "\${{ steps.a.output.list }}"], stdin: "\${{ steps.a.output.list }}" }\n`,
    );
    expect(problems).toEqual([]);
    const scope = { steps: { a: { output: { list: [{ text: 'x' }] } } } };
    const rendered = plan?.steps.map(({ body }) => (body.type === 'leaf' ? render(body.config, scope) : null));
    expect(rendered?.[1]).toEqual({ prompt: '[{"text":"x"}]', max_rounds: 1 });
    expect(rendered?.[2]).toEqual({ command: ['echo', '[{"text":"x"}]'], stdin: [{ text: 'x' }] });
  });
});

describe('what is wrong', () => {
  it.each([
    [
      'an unknown field',
      `  - id: b\n    ${echo('steps.a.output.verdct')}\n`,
      'type: steps.a.output has no field "verdct".',
    ],
    [
      'a value that is no member of an enum',
      `  - id: b\n    when: steps.a.output.verdict == "Go"\n    shell: { run: x }\n`,
      'type: steps.a.output.verdict is never "Go".',
    ],
    [
      'what may be null',
      `  - id: b\n    ${echo('steps.a.output.note.size()')}\n`,
      'type: steps.a.output.note may be null.',
    ],
    [
      'the output of a step that may be skipped',
      `  - id: b\n    when: steps.a.output.ok\n    shell: { run: x }\n    output: ${ITEM}\n  - id: c\n    ${echo('steps.b.output.text')}\n`,
      'type: steps.b.output may be null.',
    ],
    [
      'the output of a step that may fail',
      `  - id: b\n    on_error: continue\n    shell: { run: x }\n    output: ${ITEM}\n  - id: c\n    ${echo('steps.b.output.text')}\n`,
      'type: steps.b.output may be null.',
    ],
    ['an item outside of a loop', `  - id: b\n    ${echo('item')}\n`, 'type: item does not exist here.'],
    [
      'an item in the when of its own loop',
      `  - id: b\n    when: item.text == ""\n    foreach: steps.a.output.list\n    shell: { run: x }\n`,
      'type: item does not exist here.',
    ],
    [
      'an iteration outside of a repeat',
      `  - id: b\n    when: iteration > 1\n    shell: { run: x }\n`,
      'type: iteration does not exist here.',
    ],
    [
      'output before there is one',
      `  - id: b\n    when: output == ""\n    shell: { run: x }\n`,
      'type: output does not exist here.',
    ],
    [
      'a list where one is needed',
      `  - id: b\n    foreach: steps.a.output.verdict\n    max_items: 3\n    shell: { run: x }\n`,
      'type: Here stands a list, and this is one of "go", "stop".',
    ],
    [
      'a condition that is none',
      `  - id: b\n    when: steps.a.output.verdict\n    shell: { run: x }\n`,
      'type: Here stands true or false, and this is one of "go", "stop".',
    ],
    [
      'a field of an item',
      `  - id: b\n    foreach: steps.a.output.list\n    ${echo('item.txt')}\n`,
      'type: item has no field "txt".',
    ],
    [
      'a field in a file of text',
      `  - id: b\n    agent: { prompt: "\${{ inputs.nothing }}" }\n    output: { type: string }\n`,
      'type: inputs has no field "nothing".',
    ],
    [
      'a step inside of a group',
      `  - id: g\n    steps:\n      - id: b\n        shell: { run: x }\n  - id: c\n    ${echo('steps.b.output')}\n`,
      `hidden-step: Step "b" stands inside of the group "g"; from here only the group's output is seen.`,
    ],
    [
      'the group around',
      `  - id: g\n    steps:\n      - id: b\n        ${echo('steps.g.output')}\n`,
      'self-reference: "steps.g" is the group around this step: it has no output yet.',
    ],
    [
      'the number of the round in the when before the first',
      `  - id: b\n    when: steps.b.iteration == 0\n    repeat: { until: "true", max: 2 }\n    shell: { run: x }\n`,
      'self-reference: "steps.b.iteration" is read before the loop of "b" begins.',
    ],
    [
      'the item of a group that is no loop',
      `  - id: g\n    steps:\n      - id: b\n        ${echo('steps.g.item')}\n`,
      'self-reference: Step "g" has no "foreach", so there is no "steps.g.item".',
    ],
    [
      'a misspelt field of a loop around, once',
      `  - id: g\n    foreach: [x]\n    steps:\n      - id: b\n        ${echo('steps.g.itme')}\n`,
      'self-reference: "steps.g" is the group around this step: it has no output yet.',
    ],
    [
      'a step that is named by an index, once',
      `  - id: b\n    ${echo("steps['aa'].output")}\n`,
      'unknown-step: There is no step "aa".',
    ],
    [
      'a second step of one id, once',
      `  - id: a\n    set: { v: 1 }\n  - id: c\n    ${echo('steps.a.output.verdict')}\n`,
      'duplicate-id: The id "a" is taken by the step in line 2.',
    ],
    [
      'a text where the kind takes a number',
      `  - id: b\n    agent: { prompt: x, max_rounds: "\${{ steps.a.output.verdict }}" }\n    output: { type: string }\n`,
      'type: "max_rounds" must be a number, and this is one of "go", "stop".',
    ],
    [
      'a name beside an expression that cannot be read',
      `  - id: b\n    set: { v: "\${{ 1 + }} \${{ inputs.none }}" }\n`,
      'expression: Unexpected end in "1 +".',
      'type: inputs has no field "none".',
    ],
    [
      'a misspelt field in a save path',
      `  - id: b\n    shell: { run: x }\n    output: ${ITEM}\n    save: { "\${{ output.txt }}.md": x }\n`,
      'type: output has no field "txt".',
    ],
    [
      'a misspelt field in an assert',
      `  - id: b\n    shell: { run: x }\n    output: ${ITEM}\n    assert: [{ that: output.txt != "", message: m }]\n`,
      'type: output has no field "txt".',
    ],
  ])('%s is said', async (_, steps, ...expected) => {
    expect(await said(steps)).toEqual(expected);
  });

  it('in the result of the file is said', async () => {
    const { problems } = await loadText(`steps:\n${A}result: { v: "\${{ steps.a.output.verdct }}" }\n`);
    expect(places(problems)).toEqual(['type 5:34']);
  });

  it('in a text file is said at its place there', async () => {
    const { problems } = await loadText(
      'steps:\n  - id: b\n    agent: { prompt: ask.md }\n    output: { type: string }\n',
      {
        'ask.md': 'One.\r\nTwo ${{ inputs.none }}.\r\n',
      },
    );
    expect(problems.map(({ at }) => `${at.file.split('/').at(-1)}:${at.line}:${at.column}`)).toEqual(['ask.md:2:16']);
  });

  it.each([
    ['plain', '    when: steps.a.output.nope\n', '4:26'],
    ['double quotes with escapes', '    when: "\\u0073teps.a.output.nope"\n', '4:32'],
    ['single quotes', "    when: 'steps.a.output[''nope'']'\n", '4:27'],
    ['a folded block', '    when: >\n      true &&\n      steps.a.output.nope\n', '6:22'],
    ['a literal block', '    when: |\n      true &&\n      steps.a.output.nope\n', '6:22'],
    ['several plain lines', '    when: true &&\n      steps.a.output.nope\n', '5:22'],
  ])('in %s has the place of the source', async (_, when, place) => {
    const { problems } = await loadText(
      `steps:\n  - { id: a, shell: { run: x }, output: { type: object, properties: { ok: { type: boolean } } } }\n  - id: b\n${when}    shell: { run: x }\n`,
    );
    expect(problems.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
  });
});

describe('a condition that can never hold', () => {
  it.each(['inputs.lang == "es"', 'inputs.lang == "de" && inputs.lang == "en"', 'inputs.lnag == "de"'])(
    'hides no other mistake of its step: %s',
    async (when) => {
      const { problems } = await loadText(
        `inputs: { lang: { enum: [de, en], default: de }, mode: { enum: [light, dark], default: light } }
steps:
  - id: a
    when: '${when}'
    set: { q: '\${{ inputs.lagn }}', m: '\${{ inputs.mode == "blue" }}' }
`,
      );
      expect(problems.map(({ message }) => message).slice(1)).toEqual([
        'inputs has no field "lagn".',
        'inputs.mode is never "blue".',
      ]);
    },
  );
});
