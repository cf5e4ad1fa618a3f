import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileCondition,
  compileText,
  type Expression,
  parseExpression,
  positionIn,
  render,
  type Scope,
  templateExpressions,
} from '../../src/core/expression.js';
import { Fault } from '../../src/core/faults.js';
import type { Json } from '../../src/core/json.js';
import type { Position } from '../../src/core/problems.js';

const AT: Position = { file: '/skill/pipeline.yaml', line: 3, column: 9 };
const SCOPE: Scope = {
  query: 'fireworks',
  n: 7,
  zero: 0,
  yes: true,
  nothing: null,
  later: undefined,
  mixed: ['a', 1, null, { k: [1] }],
  words: ['b', 'a', 'c'],
  steps: {
    a: {
      status: 'done',
      output: {
        title: 'T',
        items: [
          { id: 'x', n: 1 },
          { id: 'y', n: 2 },
        ],
        none: null,
        'a-b': 1,
        in: 2,
      },
    },
    b: { status: 'skipped', output: null },
  },
};

function parse(source: string): Expression {
  const parsed = parseExpression(source, AT);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.expression;
}

function outcome(source: string, scope: Scope = SCOPE): unknown {
  try {
    return parse(source).evaluate(scope);
  } catch (error) {
    if (error instanceof Fault) return `${error.data.code}: ${error.message.split(', in the expression')[0]}`;
    return `problem: ${(error as Error).message}`;
  }
}

describe('values', () => {
  it.each<[string, Json]>([
    ['7/2', 3.5],
    ['n/2', 3.5],
    ['n + 1 == 8', true],
    ['1 == 1.0', true],
    ['-n', -7],
    ['n % 4', 3],
    ['0x1F', 31],
    ['2 * 3 - 1', 5],
    ['1 < 1.5 && 2 >= 2', true],
    ['"a" < "b"', true],
    ['"a" + "b"', 'ab'],
    ['words + ["d"]', ['b', 'a', 'c', 'd']],
    ['[1] + ["a"]', [1, 'a']],
    ['[1, "a", null, {"k": 2}]', [1, 'a', null, { k: 2 }]],
    ['{"a": 1, "b": [2]}', { a: 1, b: [2] }],
    ['yes ? "a" : null', 'a'],
    ['nothing == null', true],
    ['null == "x"', false],
    ['n == "7"', false],
    ['mixed == ["a", 1, null, {"k": [1]}]', true],
    ['{"a": 1, "b": 2} == {"b": 2.0, "a": 1.0}', true],
    ['1 in mixed', true],
    ['null in mixed', true],
    ['"k" in {"k": 1}', true],
    ['"toString" in {"k": 1}', false],
    ['7 in words', false],
    ['size(words)', 3],
    ['words.size() == 3', true],
    ['size("平安夜😀")', 4],
    ['size({"a": 1})', 1],
    ['[size(words), {"n": size(words)}]', [3, { n: 3 }]],
    ['steps.a.output.title', 'T'],
    ['steps["a"].output.items[1].id', 'y'],
    ['steps.a.output["a-b"] + steps.a.output["in"]', 3],
    ['steps.a.output.items.map(i, i.n * 2)', [2, 4]],
    ['steps.a.output.items.map(i, i.n > 1, i.id)', ['y']],
    ['steps.a.output.items.filter(i, i.id == "x").size()', 1],
    ['steps.a.output.items.all(i, i.n > 0)', true],
    ['steps.a.output.items.exists(i, i.n == 2)', true],
    ['steps.a.output.items.exists_one(i, i.n > 0)', false],
    ['{"a": 1}.map(k, k)', ['a']],
    ['cel.bind(x, n + 1, x * x)', 64],
    ['has(steps.a.output.title)', true],
    ['has(steps.a.output.other)', false],
    ['has(steps.b.output.title)', false],
    ['has(steps.c.output.title)', false],
    ['has(steps.a.output["a-b"])', true],
    ['has(steps.a.output.none)', true],
    ['has(query.x)', false],
    ['steps.a.output.x == null', true],
    ['null != steps.b.output.x.y', false],
    ['steps.a.output.title != null', true],
    ['default(steps.a.output.x, "d")', 'd'],
    ['default(steps.a.output.none, steps.b.output.x, "d")', 'd'],
    ['default(steps.a.output.title, "d")', 'T'],
    ['default(later, 1)', 1],
    ['default(nothing, null)', null],
    ['join(words, "-")', 'b-a-c'],
    ['words.join(", ")', 'b, a, c'],
    ['words.join()', 'bac'],
    ['mixed.join("|")', 'a|1||{"k":[1]}'],
    ['lines(words)', 'b\na\nc'],
    ['lines("a\\r\\nb\\n")', ['a', 'b']],
    ['string(n) + string(yes) + string(mixed)', '7true["a",1,null,{"k":[1]}]'],
    ['int("12") + int(3.9) + double("0.5")', 15.5],
    ['bool("true")', true],
    ['query.startsWith("fire") && query.endsWith("s") && query.contains("ew")', true],
    ['query.matches("^f[a-z]+$")', true],
    ['"aXb".lowerAscii() + "aXb".upperAscii() + " x ".trim()', 'axbAXBx'],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['"a.b".replace(".", "-") + "abc".substring(1, 2)', 'a-bb'],
    ['"abcb".indexOf("b") + "abcb".lastIndexOf("b")', 4],
    ['nothing.x == 1 || yes', true],
    ['!(zero == 1)', true],
    ['"""a "quoted" text"""', 'a "quoted" text'],
    ["r\"\\d\" + '\\''", "\\d'"],
  ])('%s', (source, value) => {
    expect(outcome(source)).toEqual(value);
  });
});

describe('faults', () => {
  it.each<[string, string]>([
    ['steps.a.output.titel', 'steps.a.output.titel does not exist'],
    ['steps.b.output.title', 'steps.b.output.title does not exist: steps.b.output is null'],
    ['steps.a.output.items[2]', 'steps.a.output.items[2] does not exist: the list has 2 items'],
    ['steps.a.output.items[0.5]', 'steps.a.output.items[0.5] does not exist: the list has 2 items'],
    ['steps.a.output.items[-1]', 'steps.a.output.items[-1] does not exist: the list has 2 items'],
    ['steps.a.output.constructor', 'steps.a.output.constructor does not exist'],
    ['steps.a.output["__proto__"]', 'steps.a.output.__proto__ does not exist'],
    ['words.length', 'words is a list and has no field "length"'],
    ['steps.a.output.items[n]', 'steps.a.output.items[7] does not exist: the list has 2 items'],
    ['query.x', 'query.x does not exist: query is a text, not a map'],
    ['toString', 'toString does not exist here'],
    ['later', 'later does not exist here'],
    ['n / zero', 'A division by zero'],
    ['1e308 * 10', 'The result is no finite number'],
    ['n + "a"', 'a number and a text cannot be added'],
    ['n < "a"', 'a number and a text have no order (<)'],
    ['query ? 1 : 2', 'The condition before `?` is a text, neither true nor false'],
    ['!query', 'The value after `!` is a text, neither true nor false'],
    ['yes && query', 'The value right of `&&` is a text, neither true nor false'],
    ['-query', '`-` takes numbers, not a text'],
    ['"a" in query', '`in` looks into a list or a map, not into a text'],
    ['size(nothing)', 'size() takes a text or list or map, not null'],
    ['int("1x")', 'int() failed: "1x" is not a number'],
    ['lenght(words)', 'There is no function lenght()'],
    ['query.upper()', 'There is no method upper()'],
    ['query.contains()', 'contains() takes 1 argument, not 0'],
    ['nothing.map(x, x)', 'map() goes over a list, not over null'],
    ['"abc".substring(2, 9)', 'substring() failed: the text has 3 characters'],
    ['{n: 1}', 'The key of a map is a text, not a number'],
    ['default(later, later)', 'later does not exist here'],
  ])('%s', (source, message) => {
    expect(outcome(source)).toBe(`step.expression: ${message}`);
  });

  it('name the expression, its place and what to do', () => {
    expect(() => parse('steps.a.output.titel + "!"').evaluate(SCOPE)).toThrow(
      'steps.a.output.titel does not exist, in the expression steps.a.output.titel + "!" (pipeline.yaml:3:9)',
    );
    try {
      parse('steps.a.output.titel').evaluate(SCOPE);
    } catch (error) {
      expect((error as Fault).data.hint).toBe('Did you mean title?');
    }
  });

  it('bound the length of a list and the work on it', () => {
    const long = { items: Array.from({ length: 100_001 }, () => 1), few: Array.from({ length: 3000 }, () => 1) };
    expect(outcome('items.all(i, i == 1)', long)).toMatch('more than 100000 items');
    expect(outcome('few.all(a, few.all(b, a == b))', long)).toMatch('more than 5000000 operations');
  });

  it('bound what is nested', () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(outcome('a == b', { a: deep, b: [deep] })).toMatch('nested too deeply');
    expect(outcome('l.join(s)', { l: Array.from({ length: 100_000 }, () => 1), s: 'x'.repeat(10_000) })).toMatch(
      'too long',
    );
  });

  it('bound a text that doubles itself', () => {
    const doubling = Array.from({ length: 22 }, (_, i) => `cel.bind(v${i + 1}, v${i} + v${i}, `).join('');
    expect(outcome(`cel.bind(v0, "xxxxxxxx", ${doubling} v22 ${')'.repeat(23)}`)).toMatch(
      'longer than 16000000 characters',
    );
  });
});

describe('problems of the text', () => {
  it('that match a long text are given up when they take too long, and go on with the next', () => {
    const slow = parse('query.matches("[a-z]*[a-z]*!$")');
    expect(() => slow.evaluate({ ...SCOPE, query: 'a'.repeat(20_000) })).toThrow('it took more than 2 s');
    expect(slow.evaluate({ ...SCOPE, query: `${'a'.repeat(1_000)}!` })).toBe(true);
  });

  it.each<[string, number, number, string]>([
    ['', 3, 9, 'The expression is empty'],
    ['a = b', 3, 11, 'Unexpected `=`'],
    ['(a', 3, 11, 'Expected `)`, got the end'],
    ['a &&\n  b )', 4, 5, 'Unexpected'],
    ['a.in', 3, 11, 'Expected a name, got `in`'],
    ['9007199254740993', 3, 9, 'more than a number can hold'],
    ['1u', 3, 9, 'one type of number'],
    ['b"x"', 3, 9, 'no bytes'],
    ['timestamp("2020")', 3, 9, 'There is no timestamp()'],
    ['has(a)', 3, 9, 'has() takes one path'],
    ['default(a)', 3, 9, 'default() takes a value'],
    ['l.all(x)', 3, 9, 'all() takes a variable'],
    ['q.matches(p)', 3, 19, 'The pattern of matches() is written out'],
    ['q.matches("(a+)+$")', 3, 19, 'The pattern of matches() is refused'],
    ['q.matches("(")', 3, 19, 'The pattern of matches() is refused'],
    [`${'('.repeat(80)}1${')'.repeat(80)}`, 3, 73, 'nested too deeply'],
    ['!'.repeat(15_000), 3, 9, 'nested too deeply'],
    [`1${' + 1'.repeat(600)}`, 3, 9, 'nested too deeply'],
  ])('%j', (source, line, column, message) => {
    const parsed = parseExpression(source, AT);
    if (!('problem' in parsed)) throw new Error('no problem');
    expect(parsed.problem.message).toContain(message);
    expect([parsed.problem.at.line, parsed.problem.at.column]).toEqual([line, column]);
  });

  it('say what CEL writes instead', () => {
    const hint = (source: string) => {
      const parsed = parseExpression(source, AT);
      return 'problem' in parsed ? parsed.problem.hint : undefined;
    };
    expect(hint('a = b')).toContain('==');
    expect(hint('a and b')).toContain('&&');
    expect(hint('a.in')).toContain('["in"]');
  });
});

describe('refs', () => {
  const refs = (source: string) => parse(source).refs.map(({ root, path }) => [root, ...path].join('/'));

  it('are the longest static paths, each once', () => {
    expect(refs('steps.a.output.items[0].x + steps["a"].output.items[0].x + n')).toEqual([
      'steps/a/output/items/0/x',
      'n',
    ]);
  });

  it('end where a path is computed, whose parts are refs too', () => {
    expect(refs('steps.a.output.items[index].x')).toEqual(['steps/a/output/items', 'index']);
  });

  it('leave the variables of macros out', () => {
    expect(refs('steps.a.output.exists(i, i.x == item.y) && cel.bind(v, q, v.z)')).toEqual([
      'steps/a/output',
      'item/y',
      'q',
    ]);
  });

  it('know where they stand', () => {
    const { source, refs: found } = parse(' size( steps.a.output ) ');
    expect(found.map(({ start, end }) => source.slice(start, end))).toEqual(['steps.a.output']);
  });
});

describe('templates', () => {
  const locate = (offset: number): Position => ({ ...AT, line: 1, column: offset + 1 });
  const compile = (text: string) => {
    const compiled = compileText(text, locate);
    if ('problems' in compiled) throw new Error(compiled.problems.map((problem) => problem.message).join());
    return compiled.template;
  };

  it.each<[string, string, Json]>([
    ['plain }} text', 'literal', 'plain }} text'],
    ['', 'literal', ''],
    ['${{ n }}', 'expression', 7],
    ['  ${{ n }}\n', 'expression', 7],
    ['n is ${{ n }}', 'text', 'n is 7'],
    ['${{ n }}${{ query }}', 'text', '7fireworks'],
    ['${{ nothing }}-${{ mixed }}-${{ yes }}', 'text', '-["a",1,null,{"k":[1]}]-true'],
    ['$${{ n }}', 'literal', '${{ n }}'],
    ['$${{ n }} ${{ n }}', 'text', '${{ n }} 7'],
    ['${{ "}}" }}', 'expression', '}}'],
    ["${{ '}}\\'}}' }}", 'expression', "}}'}}"],
    ['${{ """a"}}""" }}', 'expression', 'a"}}'],
    ['${{ r"}}" }}', 'expression', '}}'],
    ['${{ {"a": {"b": 1}} }}', 'expression', { a: { b: 1 } }],
    ['${{{"a": {"b": {}}}}}', 'expression', { a: { b: {} } }],
    ['${{ "${{ n }}" }}', 'expression', '${{ n }}'],
  ])('%j', (text, type, value) => {
    const template = compile(text);
    expect(template.type).toBe(type);
    expect(render(template, SCOPE)).toEqual(value);
  });

  it('insert a value once: braces inside it stay text', () => {
    expect(render(compile('> ${{ query }}'), { query: '${{ n }}' })).toBe('> ${{ n }}');
  });

  it('keep __proto__ an ordinary key', () => {
    const value = render({ type: 'map', entries: [['__proto__', compile('${{ n }}')]] }, SCOPE) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('tell every problem at its place', () => {
    const compiled = compileText('a ${{ b = 1 }} c ${{ }} d ${{ e', locate);
    if (!('problems' in compiled)) throw new Error('no problems');
    expect(compiled.problems.map(({ at }) => at.column)).toEqual([9, 22, 27]);
  });

  it('point at a quote that is not closed', () => {
    const compiled = compileText("${{ it's }} x", locate);
    expect('problems' in compiled && compiled.problems[0]?.at.column).toBe(7);
  });

  it('list their expressions', () => {
    const template = compile('${{ a }} and ${{ b }}');
    expect(templateExpressions({ type: 'list', items: [template] }).map(({ source }) => source)).toEqual(['a', 'b']);
  });

  it('map offsets of an expression to the file', () => {
    const [expression] = templateExpressions(compile('x ${{ a + b }}'));
    expect(positionIn(expression as Expression, 4).column).toBe(11);
  });

  it('give a condition with or without braces', () => {
    for (const text of ['n == 7', '${{ n == 7 }}', ' ${{ n == 7 }} ']) {
      const compiled = compileCondition(text, locate);
      expect('expression' in compiled && compiled.expression.evaluate(SCOPE)).toBe(true);
    }
    expect(compileCondition('${{ a }} == 7', locate)).toHaveProperty('problems');
  });

  it('never run wild: any text compiles, or has problems inside of it', () => {
    const pieces = fc.constantFrom(
      '${{',
      '}}',
      '$',
      '{',
      '}',
      '"',
      "'",
      '\\',
      ' ',
      '\n',
      'a',
      '1',
      '"""',
      'r"',
      '.',
      '[',
      ']',
      '?',
      ':',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const text = parts.join('');
        const compiled = compileText(text, locate);
        if (!('problems' in compiled)) return;
        for (const { at } of compiled.problems) expect(at.column).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });

  it('leave a text without markers as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('${{'));
        expect(compile(text)).toEqual({ type: 'literal', value: text });
      }),
    );
  });
});
