import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/load/text.js';
import { composeYaml } from '../../src/load/yaml-compose.js';
import { parseYaml } from '../../src/load/yaml-text.js';
import { toJson, type YamlNode, type YamlScalar } from '../../src/load/yaml-tree.js';

const read = (text: string) => parseYaml(sourceOf('/f.yaml', text));
const said = (text: string) => read(text).problems.map(({ rule, at }) => `${rule} ${at.line}:${at.column}`);
const fixed = (text: string) => {
  const edit = read(text).problems[0]?.edit;
  return edit && text.slice(0, edit.start) + edit.text + text.slice(edit.end);
};
function scalars(node: YamlNode | undefined): YamlScalar[] {
  if (node?.type === 'scalar') return [node];
  if (node?.type === 'list') return node.items.flatMap(scalars);
  if (node?.type === 'map') return node.pairs.flatMap((pair) => scalars(pair.value));
  return [];
}
/** Where `@` stands: of every scalar's value in order, and of the source. */
function marks(text: string) {
  const source = sourceOf('/f.yaml', text);
  const found = scalars(parseYaml(source).root).flatMap((scalar) =>
    typeof scalar.value === 'string' ? [...scalar.value.matchAll(/@/g)].map((match) => scalar.locate(match.index)) : [],
  );
  const there = [...source.text.matchAll(/@/g)].map((match) => source.position(match.index));
  return { found, there };
}

describe('traps', () => {
  it.each([
    ['when: !steps.a.ok\nb: 1', 'yaml-tag 1:7', "when: '!steps.a.ok'\nb: 1"],
    ['when: !steps.a.ok && x # c\nb: 1', 'yaml-tag 1:7', "when: '!steps.a.ok && x' # c\nb: 1"],
    ['when: a ? 1 : 2\nb: 1', 'yaml-colon 1:7', "when: 'a ? 1 : 2'\nb: 1"],
    ['- x: ${{ a ? 1 : 2 }}\n  y: 2', 'yaml-colon 1:6', "- x: '${{ a ? 1 : 2 }}'\n  y: 2"],
    ['when: "x" in y\nb: 1', 'yaml-quote 1:7', `when: '"x" in y'\nb: 1`],
    ["when: 'x' in y\nb: 1", 'yaml-quote 1:7', "when: '''x'' in y'\nb: 1"],
    ['a: { k: ${{ x }} }\nb: 1', 'yaml-braces 1:9', "a: { k: '${{ x }}' }\nb: 1"],
    ['a: [ ${{ x }}, 2 ]\nb: 1', 'yaml-braces 1:6', "a: [ '${{ x }}', 2 ]\nb: 1"],
    ['r: { until: a.exists(i, i.ok), max: 4 }', 'yaml-comma 1:13', "r: { until: 'a.exists(i, i.ok)', max: 4 }"],
    ['w: [1,2].exists(x, x)\nb: 1', 'yaml-indicator 1:4', "w: '[1,2].exists(x, x)'\nb: 1"],
    ['w: @x\nb: 1', 'yaml-indicator 1:4', "w: '@x'\nb: 1"],
    ['allowed-tools: *\nb: 1', 'yaml-indicator 1:16', "allowed-tools: '*'\nb: 1"],
  ])('%j is %s and quoting it is the edit', (text, problem, mended) => {
    expect(said(text)).toEqual([problem]);
    expect(read(text).problems[0]?.hint).toContain('Put the expression in single quotes');
    expect(fixed(text)).toBe(mended);
    expect(said(mended)).toEqual([]);
  });

  it('reports every trap of a file and still gives the rest of its tree', () => {
    const text = 'a: !x\nb: "x" in y\nc: { k: ${{ x }}, l: "v" in y, m: !z }\nd: fine\n';
    expect(said(text)).toEqual([
      'yaml-tag 1:4',
      'yaml-quote 2:4',
      'yaml-braces 3:9',
      'yaml-quote 3:22',
      'yaml-tag 3:35',
    ]);
    expect(read(text).root).toMatchObject({
      pairs: [{ value: { type: 'broken' } }, {}, {}, { key: 'd', value: { value: 'fine' } }],
    });
  });
});

describe('mistakes', () => {
  it.each([
    ['a:\n\tb: 1', 'yaml-syntax 2:1'],
    ['a: *x', 'yaml-alias 1:4'],
    ['a: &x [*x]', 'yaml-alias 1:8'],
    ['a: 1\n---\nb: 2', 'yaml-syntax 2:1'],
    ['a: 9007199254740993', 'yaml-number 1:4'],
    ['a: .inf', 'yaml-number 1:4'],
    ['a: 1\nb: 2\na: 3', 'yaml-duplicate-key 3:1'],
    ['a: 1\nb: "open\nc: 2', 'yaml-quote 2:4'],
    ['a: { b: one, two }', 'yaml-comma 1:9'],
    ['a: !!binary aGk=', 'yaml-tag 1:4'],
    ['? [a]\n: b', 'yaml-syntax 1:3'],
  ])('%j is said at its place', (text, problem) => {
    expect(said(text)[0]).toBe(problem);
  });

  it.each([
    ['[', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['- ', '- '.repeat(20_000)],
    ['{a:', '{a: '.repeat(20_000)],
  ])('refuses 20 000 nested %s before the composer sees them', (_, text) => {
    expect(said(text).map((line) => line.split(' ')[0])).toEqual(['yaml-depth']);
  });

  it('looks no further than the first thousand mistakes of a text that is broken everywhere', () => {
    const composed = composeYaml('}'.repeat(20_000));
    if (composed.type === 'refused') throw new Error(composed.message);
    expect(composed.mistakes.length).toBeGreaterThan(0);
    expect(composed.mistakes.length).toBeLessThan(1_100);
  });

  it('refuses aliases that multiply', () => {
    const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `l${i}: &l${i} [${Array(9)
          .fill(`*l${i - 1}`)
          .join(', ')}]`,
      );
    expect(said(lines.join('\n'))).toContain('yaml-alias 6:10');
  });
});

describe('a quote in quotes', () => {
  it.each([
    [`a: 'b != 'c''`, `'b != ''c'''`],
    [`a: "b != "c""`, `'b != "c"'`],
    [`a: "b" == "c"`, `'"b" == "c"'`],
  ])('%s is mended to %s', (text, mended) => {
    const [problem] = read(text).problems;
    expect(problem).toMatchObject({ rule: 'yaml-quote', edit: { start: 3, end: text.length, text: mended } });
  });
});

describe('a line that is not indented like its neighbours', () => {
  it.each([
    ['- a: 1\n   b: 2', 'Here begins a mapping that YAML does not expect.'],
    ['- a: 1\n b: 2', 'This line is not indented like the list or the mapping it belongs to.'],
    ['a: 1\n b: 2', 'Here begins a mapping that YAML does not expect.'],
    ['a: [b\nc: 2', 'A "[" above is not closed before this line.'],
    ['- a:b\n  c: 2', 'This is neither a key nor a value.'],
  ])('%j is said in plain words', (text, message) => {
    expect(read(text).problems[0]?.message).toBe(message);
  });
});

describe('values', () => {
  it('keeps __proto__ an ordinary key', () => {
    const { root } = read('__proto__: { polluted: true }\nconstructor: x');
    const json = root ? toJson(root) : null;
    expect(Object.keys(json as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('counts no byte order mark as a column, but as a character of the file', () => {
    const [problem] = read('\uFEFFwhen: !x').problems;
    expect(problem?.at).toEqual({ file: '/f.yaml', line: 1, column: 7 });
    expect(problem?.edit?.start).toBe(7);
  });

  it.each([
    ['plain over lines', 'a: one @\n  two @ x\n\n  \n  three@\nb: @2'.replace('@2', '"@"')],
    ['single quotes', "a: 'it''s @\n   and ''@'' '\nb: x"],
    ['double quotes', 'a: "\\u0041\\n@\\\n    x @ \\\\@\n\n  y @"\nb: x'],
    ['a literal block', 'a: |\n  one @\n    two @\n\n  three @\nb:\n  - |2-\n      x @\n'],
    ['a folded block', 'a: >-\n  one @\n  two @\n\n    more @\n    and @\n  three @\n\n\nb: >+\n  @\n\n'],
    [
      'Windows line ends',
      'a: |\r\n  one @\r\n  two @\r\nb: >\r\n  x @\r\n  y @\r\nc: "q\r\n  @"\r\nd: p @\r\n  q @\r\n',
    ],
  ])('finds each character of %s in the source', (_, text) => {
    const { found, there } = marks(text);
    expect(there.length).toBeGreaterThan(1);
    expect(found).toEqual(there);
  });

  it('finds each character of any scalar in the source', () => {
    const piece = fc.constantFrom(
      '@',
      'x',
      ' ',
      '  ',
      '\n',
      '\n  ',
      '\n    ',
      "''",
      '\\n',
      '\\t',
      '\\x41',
      '\\\n',
      'é',
      '😀',
      '\t',
      '\r\n',
    );
    const style = fc.constantFrom(
      (body: string) => `k: "${body.replaceAll('\n', '\n  ')}"`,
      (body: string) => `k: '${body.replaceAll('\n', '\n  ')}'`,
      (body: string) => `k: |\n  ${body.replaceAll('\n', '\n  ')}`,
      (body: string) => `k: >\n  ${body.replaceAll('\n', '\n  ')}`,
      (body: string) => `k: |+\n  ${body.replaceAll('\n', '\n  ')}`,
      (body: string) => `k: >2-\n    ${body.replaceAll('\n', '\n  ')}\n`,
      (body: string) => `k: x${body.replaceAll('\n', '\n  ')}`,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), style, (pieces, around) => {
        const text = around(pieces.join(''));
        const result = read(text);
        fc.pre(result.problems.length === 0);
        const { found, there } = marks(text);
        expect(found).toEqual(there);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws, whatever the text', () => {
    const bits = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '|',
      '>',
      '&a ',
      '*a',
      '!',
      '#',
      ',',
      '? ',
      '${{',
      '}}',
      '\t',
      '%',
      '---',
      '...',
      '\r',
      '\0',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(bits, { maxLength: 60 }).map((all) => all.join('')),
        ),
        (text) => {
          const { root, problems } = read(text);
          if (root && problems.length === 0) JSON.stringify(toJson(root));
          for (const { at } of problems) expect(at.line).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
