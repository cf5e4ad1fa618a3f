import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileText, type Expression, parseExpression } from '../../src/core/expression.js';
import type { Json, JsonSchema } from '../../src/core/json.js';
import { assuming, infer, stepType, typeOfTemplate } from '../../src/load/infer.js';
import type { TypeScope } from '../../src/load/infer-narrow.js';
import { typeOfSchema } from '../../src/load/infer-schema.js';
import { showType } from '../../src/load/infer-show.js';
import { DYNAMIC, listOf, mapOf, NUMBER, nullable, STRING } from '../../src/load/infer-types.js';

/** A keyword; as a plain key it would look like a promise. */
const THEN = 'then';
const AT = { file: '/p.yaml', line: 1, column: 1 };

const AUDIT: JsonSchema = {
  type: 'object',
  required: ['verdict', 'score', 'issues', 'reason', 'ok'],
  properties: {
    verdict: { enum: ['advance', 'revise', 'drop'] },
    score: { type: 'number' },
    ok: { type: 'boolean' },
    reason: { type: ['string', 'null'] },
    note: { type: 'string' },
    issues: { type: 'array', items: { $ref: '#/$defs/issue' } },
    extra: { type: 'object' },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    parent: { $ref: '#' },
  },
  $defs: {
    issue: {
      type: 'object',
      required: ['text', 'severity'],
      properties: { text: { type: 'string' }, severity: { type: 'integer' }, where: { type: 'string' } },
    },
  },
};
const EVENT: JsonSchema = {
  oneOf: [
    { type: 'object', properties: { kind: { const: 'found' }, url: { type: 'string' } }, required: ['kind', 'url'] },
    {
      type: 'object',
      properties: { kind: { const: 'failed' }, error: { type: 'string' } },
      required: ['kind', 'error'],
    },
  ],
};

const SCOPE: TypeScope = {
  roots: new Map([
    ['query', STRING],
    [
      'inputs',
      typeOfSchema(
        { type: 'object', properties: { since: { type: 'integer', default: 2021 }, tag: { type: 'string' } } },
        { defaultsApply: true },
      ),
    ],
    [
      'steps',
      mapOf({
        audit: stepType(typeOfSchema(AUDIT), { nullable: false, loop: false }),
        maybe: stepType(typeOfSchema(AUDIT), { nullable: true, loop: false }),
        event: stepType(typeOfSchema(EVENT), { nullable: false, loop: false }),
        list: stepType(listOf(typeOfSchema(EVENT)), { nullable: false, loop: true }),
        free: stepType(DYNAMIC, { nullable: false, loop: false }),
        text: stepType(STRING, { nullable: false, loop: false }),
      }),
    ],
    ['previous', nullable(typeOfSchema(AUDIT))],
    ['iteration', NUMBER],
    ['item', typeOfSchema(EVENT)],
    ['anything', DYNAMIC],
    ['table', typeOfSchema({ type: 'object', additionalProperties: { type: 'number' } })],
  ]),
};

function parse(source: string): Expression {
  const parsed = parseExpression(source, AT);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  return parsed.expression;
}

const findings = (source: string, expected?: 'boolean' | 'list', scope = SCOPE) =>
  infer(parse(source), scope, expected).findings;
const typed = (source: string, scope = SCOPE) => showType(infer(parse(source), scope).type);

describe('no finding', () => {
  it.each(
    [
      'query',
      'inputs.since + 1',
      'steps.audit.output.verdict == "revise"',
      'steps.audit.output.verdict != "revise" && steps.audit.output.score > 0.5',
      'steps.audit.output.verdict in ["advance", "drop"]',
      'steps.audit.output.issues.all(i, i.severity < 3)',
      'steps.audit.output.issues.filter(i, i.severity < 3).map(i, i.text).join(", ")',
      'steps.audit.output.issues.exists(i, has(i.where) && i.where == "intro")',
      'steps.audit.output.issues.map(i, has(i.where), i.where)',
      'steps.audit.output.issues.filter(i, has(i.where)).map(w, w.where)',
      'steps.audit.output.issues[0].text',
      'steps["audit"].output["verdict"] == "drop"',
      'has(steps.audit.output.note) ? steps.audit.output.note : ""',
      '!has(steps.audit.output.note) || steps.audit.output.note == "x"',
      '!has(steps.audit.output.note) ? "" : steps.audit.output.note',
      'has(steps.audit.output.note) && steps.audit.output.note.size() > 3',
      '"note" in steps.audit.output && steps.audit.output.note == "x"',
      'default(steps.audit.output.note, "none")',
      'default(steps.maybe.output.note, steps.maybe.output.reason, "none").size()',
      'default(steps.maybe.output.score + 1, 0)',
      'steps.audit.output.reason == null ? 0 : steps.audit.output.reason.size()',
      'steps.audit.output.reason != null && steps.audit.output.reason.contains("x")',
      'steps.audit.output.note != null && steps.audit.output.note.contains("x")',
      'null != steps.maybe.output && steps.maybe.output.ok',
      'steps.maybe.status == "done" && steps.maybe.output.verdict == "drop"',
      'steps.maybe.status == "done" ? steps.maybe.output.score : 0',
      'steps.maybe.status != "done" || steps.maybe.output.ok',
      '!(steps.maybe.status == "done") || steps.maybe.output.ok',
      'steps.maybe.status == "failed" && steps.maybe.error.code == "shell.exit"',
      'steps.maybe.error != null && steps.maybe.error.message.contains("x")',
      'steps.maybe.status == "failed" && has(steps.maybe.error.stderr) && steps.maybe.error.stderr != ""',
      'steps.maybe.status in ["done"] && steps.maybe.output.ok',
      'steps.maybe.output != null && steps.maybe.status == "done"',
      'has(steps.maybe.output.note) && steps.maybe.output.note == "x" && steps.maybe.output.ok',
      'default(steps.maybe.output.ok, false)',
      'default(steps.maybe.output.ok, false) && steps.maybe.output.score > 1',
      'default(steps.maybe.output.verdict, "drop") == "revise" ? steps.maybe.output.score : 0',
      'iteration > 0 && previous.ok',
      'iteration == 0 || previous.ok',
      'iteration >= 1 ? previous.verdict : "none"',
      '0 < iteration && previous.verdict == "drop"',
      'iteration != 0 && previous.ok',
      'previous != null && previous.score > 1',
      'previous == null || previous.score > 1',
      'item.kind == "found" ? item.url : item.error',
      'item.kind == "found" && item.url.startsWith("https")',
      'item.kind != "found" || item.url != ""',
      'has(item.url) ? item.url : item.error',
      'item.kind in ["failed"] ? item.error : item.url',
      'steps.list.output.filter(e, e.kind == "found").map(e, e.url)',
      'steps.list.failures.map(f, f.error.message).join("\\n")',
      'steps.list.output.all(e, e.kind != "failed" || e.error != "")',
      'steps.free.output.any.thing[0] + steps.free.output.other',
      'anything.x.y.z == 3 && anything.exists(a, a.b)',
      'anything + 1 == 2 ? anything : anything.size()',
      'table.anykey + table["other"] > 1',
      'table.exists(k, k == "x")',
      'steps.audit.output.extra.whatever == 1',
      'size(steps.audit.output.issues) > 0 && size(query) > 1',
      'steps.text.output.contains("x") && steps.text.output.matches("^a+$")',
      'lines(steps.text.output).map(l, l.trim())',
      'join(steps.audit.output.issues, "\\n")',
      'string(steps.audit.output.score) + query',
      '[query, "x"] + ["y"]',
      '{"a": query, "b": {"c": 1}}.b.c + 1',
      'cel.bind(v, steps.audit.output.verdict, v == "drop" || v == "revise")',
      'steps.audit.output.verdict == "drop" || steps.audit.output.verdict == "revise"',
      'steps.audit.output.parent.parent.verdict.size() > 0 || true',
      'steps.audit.output.pair[0].size() + steps.audit.output.pair[1]',
      'steps.audit.output == null',
      'steps.audit.output.score == 1 ? "a" : null',
      'steps.audit.output.issues == []',
      '-steps.audit.output.score < -1',
      'steps.audit.status == "skipped"',
      '(steps.maybe.status == "done" && steps.maybe.output.ok) || query == "x"',
      'steps.maybe.status == "done" && (steps.maybe.output.ok || steps.maybe.output.score > 1)',
    ].filter((source) => !/^steps\.audit\.output\.(parent|pair|extra)/.test(source)),
  )('%s', (source) => {
    expect(findings(source)).toEqual([]);
  });

  it('for what an optional field holds, once it is known to be there', () => {
    const guard =
      'has(steps.audit.output.extra) && has(steps.audit.output.pair) && has(steps.audit.output.parent.parent)';
    expect(
      findings(`${guard} && steps.audit.output.extra.whatever == 1 && steps.audit.output.pair[1] + 1 > 0`),
    ).toEqual([]);
    expect(findings(`${guard} && steps.audit.output.parent.parent.verdict == "drop"`)).toEqual([]);
  });
});

describe('findings', () => {
  it.each<[source: string, at: string, message: string, replacement?: string]>([
    ['qurey', 'qurey', 'qurey does not exist here', 'query'],
    ['foo', 'foo', 'foo does not exist here'],
    ['steps.aduit.output', 'aduit', 'There is no step "aduit" here', 'audit'],
    ['steps["aduit"].output', '"aduit"', 'There is no step "aduit" here', '"audit"'],
    ['steps.nothing.output', 'nothing', 'There is no step "nothing" here'],
    ['steps.audit.ouput', 'ouput', 'steps.audit has no field "ouput"', 'output'],
    ['steps.audit.output.verdit == "drop"', 'verdit', 'steps.audit.output has no field "verdit"', 'verdict'],
    ['has(steps.audit.output.verdit)', 'verdit', 'steps.audit.output has no field "verdit"', 'verdict'],
    ['default(steps.audit.output.verdit, "x")', 'verdit', 'steps.audit.output has no field "verdit"', 'verdict'],
    ['steps.audit.output.verdit != null', 'verdit', 'steps.audit.output has no field "verdit"', 'verdict'],
    ['"verdit" in steps.audit.output', '"verdit"', 'steps.audit.output has no field "verdit"', '"verdict"'],
    ['inputs.sinse', 'sinse', 'inputs has no field "sinse"', 'since'],
    ['inputs.tag', 'tag', 'inputs.tag may be missing'],
    ['steps.audit.output.note', 'note', 'steps.audit.output.note may be missing'],
    ['steps.audit.output.verdict != "revsie"', '"revsie"', 'steps.audit.output.verdict is never "revsie"', '"revise"'],
    ['"revsie" == steps.audit.output.verdict', '"revsie"', 'steps.audit.output.verdict is never "revsie"', '"revise"'],
    [
      'steps.audit.output.verdict in ["advance", "dorp"]',
      '"dorp"',
      'steps.audit.output.verdict is never "dorp"',
      '"drop"',
    ],
    ['steps.audit.output.verdict == true', 'true', 'steps.audit.output.verdict is never true'],
    ['steps.audit.output.score == "1"', '"1"', 'steps.audit.output.score is never "1"'],
    ['steps.audit.output.ok == "true"', '"true"', 'steps.audit.output.ok is never "true"'],
    ['query == steps.audit.output.score', 'query == steps.audit.output.score', 'a text is never equal to a number'],
    ['steps.audit.status == "finished"', '"finished"', 'steps.audit.status is never "finished"'],
    ['steps.maybe.output.ok', 'steps.maybe.output', 'steps.maybe.output may be null'],
    ['steps.maybe.status == "skipped" && steps.maybe.output.ok', 'steps.maybe.output', 'steps.maybe.output is null'],
    ['steps.maybe.status == "done" || steps.maybe.output.ok', 'steps.maybe.output', 'steps.maybe.output is null'],
    ['steps.maybe.output.ok && steps.maybe.status == "done"', 'steps.maybe.output', 'steps.maybe.output may be null'],
    ['steps.maybe.error.code', 'steps.maybe.error', 'steps.maybe.error may be null'],
    ['steps.maybe.error != null && steps.maybe.error.exit == 1', 'exit', 'steps.maybe.error.exit may be missing'],
    ['steps.audit.output.reason.size()', 'steps.audit.output.reason', 'steps.audit.output.reason may be null'],
    ['size(steps.audit.output.reason)', 'steps.audit.output.reason', 'steps.audit.output.reason may be null'],
    ['steps.audit.output.reason + "x"', 'steps.audit.output.reason', 'steps.audit.output.reason may be null'],
    [
      'steps.audit.output.reason == null && steps.audit.output.reason.size() > 1',
      'steps.audit.output.reason',
      'steps.audit.output.reason is null',
    ],
    ['previous.ok', 'previous', 'previous may be null'],
    ['iteration >= 0 && previous.ok', 'previous', 'previous may be null'],
    ['item.url', 'url', 'item.url may be missing'],
    ['item.kind == "found" && item.error == "x"', 'error', 'item has no field "error"'],
    ['item.kind == "faild"', '"faild"', 'item.kind is never "faild"', '"failed"'],
    ['steps.list.output.map(e, e.url)', 'url', 'e.url may be missing'],
    ['steps.list.output.map(e, e.kindd == "found")', 'kindd', 'e has no field "kindd"', 'kind'],
    ['steps.list.output.filter(e, e.kind == "failed").map(e, e.url)', 'url', 'e has no field "url"'],
    ['steps.list.output[0].url', 'url', 'steps.list.output[0].url may be missing'],
    ['steps.list.output.verdict', 'verdict', 'steps.list.output is a list and has no field "verdict"'],
    ['steps.list.output.length', 'length', 'steps.list.output is a list and has no field "length"'],
    ['query.length', 'length', 'query is a text and has no field "length"'],
    ['steps.audit.output[0]', '0', 'steps.audit.output is a map and has no item 0'],
    ['steps.list.output[query]', 'query', 'Here stands a number, and this is a text'],
    ['steps.audit.output.issues.all(i, i.severty > 1)', 'severty', 'i has no field "severty"', 'severity'],
    ['steps.audit.output.issues.exists(i, i.text)', 'i.text', 'Here stands true or false, and this is a text'],
    ['steps.audit.output.issues.all(i, i.text > 1)', 'i.text > 1', 'a text and 1 have no order (>)'],
    ['query.all(c, c == "x")', 'query', 'all() goes over a list, and this is a text'],
    ['query + 1', 'query + 1', '`+` does not take a text with 1'],
    ['query * 2', 'query * 2', '`*` does not take a text with 2'],
    ['-query', 'query', 'Here stands a number, and this is a text'],
    ['!query', 'query', 'Here stands true or false, and this is a text'],
    ['query && true', 'query', 'Here stands true or false, and this is a text'],
    ['true || steps.audit.output.score', 'steps.audit.output.score', 'Here stands true or false, and this is a number'],
    ['query ? 1 : 2', 'query', 'Here stands true or false, and this is a text'],
    ['query < 3', 'query < 3', 'a text and 3 have no order (<)'],
    ['"a" in query', 'query', '`in` looks into a list or a map, and this is a text'],
    ['1 in ["a", 1]', '"a"', '1 is never "a"'],
    ['query in steps.audit.output.issues', 'query', 'a text is never in a list of a map'],
    ['lenght(query)', 'lenght', 'There is no function lenght()'],
    ['query.uppercase()', 'uppercase', 'There is no method uppercase()'],
    ['contains(query, "x")', 'contains', 'There is no function contains()'],
    ['query.contains()', 'contains', 'contains() takes 1 argument, not 0'],
    ['size(1, 2)', 'size', 'size() takes 1 argument, not 2'],
    [
      'size(steps.audit.output.score)',
      'steps.audit.output.score',
      'size() takes a text or list or map, and this is a number',
    ],
    [
      'steps.audit.output.score.startsWith("1")',
      'steps.audit.output.score',
      'startsWith() takes a text, and this is a number',
    ],
    ['query.startsWith(1)', '1', 'startsWith() takes a text, and this is 1'],
    ['join(query, ",")', 'query', 'join() takes a list, and this is a text'],
    ['{1: 2}', '1', 'Here stands a text, and this is 1'],
    ['{"a": 1}.b', 'b', 'The map has no field "b"', 'a'],
    ['cel.bind(v, steps.audit.output, v.verdit)', 'verdit', 'v has no field "verdit"', 'verdict'],
    ['query == "x" ? steps.aduit.output : null', 'aduit', 'There is no step "aduit" here', 'audit'],
    ['steps.event.output.url', 'url', 'steps.event.output.url may be missing'],
    [
      'steps.audit.output.verdict == "drop" && steps.audit.output.verdict == "revise"',
      '"revise"',
      'steps.audit.output.verdict is never "revise"',
    ],
    ['[qurey, query]', 'qurey', 'qurey does not exist here', 'query'],
    ['query.matches("^a") && qurey.matches("b")', 'qurey', 'qurey does not exist here', 'query'],
    ['default(qurey, "x")', 'qurey', 'qurey does not exist here', 'query'],
    [
      'steps.audit.output.issues.map(i, steps.audit.output.issues.map(j, i.text + j.txet))',
      'txet',
      'j has no field "txet"',
      'text',
    ],
  ])('%s', (source, at, message, replacement) => {
    const found = findings(source);
    expect(found.map((finding) => finding.message)).toEqual([message]);
    const [finding] = found;
    expect(source.slice(finding?.start, finding?.end)).toBe(at);
    expect(finding?.replacement).toBe(replacement);
  });

  it('offer a guard that then satisfies the check', () => {
    expect(findings('steps.maybe.output.ok')[0]?.hint).toBe(
      'Guard it: steps.maybe.status == "done" && …, or default(steps.maybe.output, …).',
    );
    expect(findings('steps.audit.output.note')[0]?.hint).toBe(
      'Guard it: has(steps.audit.output.note) && …, or default(steps.audit.output.note, …).',
    );
  });

  it('list what there is when nothing is near', () => {
    expect(findings('steps.audit.output.zzz')[0]?.hint).toMatch(/^It has verdict, score, /);
    expect(findings('steps.zzz')[0]?.hint).toBe('There is audit, maybe, event, list, free, text.');
    expect(findings('zzz')[0]?.hint).toMatch(/^There is query, inputs, /);
  });

  it('come in the order of the source, each once', () => {
    expect(findings('steps.a1.x + steps.a2.y').map(({ start }) => start)).toEqual([6, 19]);
  });
});

describe('what a key expects', () => {
  it('a condition is true or false', () => {
    expect(findings('steps.audit.output.ok', 'boolean')).toEqual([]);
    expect(findings('anything', 'boolean')).toEqual([]);
    expect(findings('steps.audit.output.verdict', 'boolean')[0]?.message).toMatch('true or false');
    expect(findings('steps.audit.output.reason', 'boolean').map(({ message }) => message)).toEqual([
      'steps.audit.output.reason may be null',
      'Here stands true or false, and this is a text',
    ]);
  });

  it('a foreach goes over a list', () => {
    expect(findings('steps.list.output', 'list')).toEqual([]);
    expect(findings('query', 'list')[0]?.message).toBe('Here stands a list, and this is a text');
    expect(findings('previous.issues', 'list')[0]?.message).toBe('previous may be null');
  });
});

describe('facts from outside', () => {
  const under = (condition: string, truth: boolean) => assuming(SCOPE, parse(condition), truth);

  it('of a when hold in its step', () => {
    expect(findings('steps.maybe.output.ok', undefined, under('steps.maybe.status == "done"', true))).toEqual([]);
    expect(findings('previous.ok', undefined, under('iteration > 0', true))).toEqual([]);
  });

  it('of an end are the negation of its when', () => {
    expect(findings('steps.maybe.output.ok', undefined, under('steps.maybe.output == null', false))).toEqual([]);
    expect(
      findings('steps.maybe.output.ok', undefined, under('steps.maybe.status != "done" || query == "x"', false)),
    ).toEqual([]);
    expect(findings('item.url', undefined, under('item.kind == "failed"', false))).toEqual([]);
    expect(typed('steps.audit.output.verdict', under('steps.audit.output.verdict == "drop"', false))).toBe(
      'one of "advance", "revise"',
    );
  });

  it('of either side of an || are only what both say', () => {
    const scope = under('steps.audit.output.verdict == "drop" || steps.audit.output.verdict == "revise"', true);
    expect(typed('steps.audit.output.verdict', scope)).toBe('one of "drop", "revise"');
    expect(
      findings('steps.maybe.output.ok', undefined, under('steps.maybe.status == "done" || query == "x"', true)),
    ).toHaveLength(1);
  });

  it('of a negated && are none', () => {
    expect(
      findings('steps.maybe.output.ok', undefined, under('steps.maybe.status != "done" && query == "x"', false)),
    ).toHaveLength(1);
  });
});

describe('types', () => {
  it.each([
    ['1 + 2', 'a number'],
    ['"a" + query', 'a text'],
    ['size(query)', 'a number'],
    ['query.split(",")', 'a list'],
    ['steps.audit.output.verdict', 'one of "advance", "revise", "drop"'],
    ['query == "x" ? "a" : null', '"a" or null'],
    ['default(steps.audit.output.reason, "none")', 'a text'],
    ['default(steps.audit.output.note, 1)', 'a text or 1'],
    ['steps.audit.output.issues.map(i, i.severity)[0]', 'a number'],
    ['steps.free.output.x', 'any value'],
    ['steps.maybe.status', 'one of "done", "skipped", "failed"'],
    ['[1, "a"][1]', '"a"'],
    ['{"a": 1}', 'a map'],
  ])('%s is %s', (source, type) => {
    expect(typed(source)).toBe(type);
  });

  it('of a template are those of its parts', () => {
    const compile = (text: string) => {
      const compiled = compileText(text, () => AT);
      if ('problems' in compiled) throw new Error('no template');
      return compiled.template;
    };
    const type = typeOfTemplate(
      {
        type: 'map',
        entries: [
          ['n', compile('${{ size(query) }}')],
          ['t', compile('n: ${{ query }}')],
          ['l', { type: 'list', items: [compile('x')] }],
        ],
      },
      SCOPE,
    );
    const scope: TypeScope = { roots: new Map([['output', type]]) };
    expect(typed('output.n', scope)).toBe('a number');
    expect(typed('output.t', scope)).toBe('a text');
    expect(typed('output.l[0]', scope)).toBe('"x"');
    expect(findings('output.x', undefined, scope)).toHaveLength(1);
  });
});

describe('types of schemas', () => {
  const field = (schema: JsonSchema, source: string) => {
    const scope: TypeScope = { roots: new Map([['x', typeOfSchema(schema)]]) };
    return [typed(source, scope), ...findings(source, undefined, scope).map(({ message }) => message)];
  };

  it.each<[JsonSchema, string, string[]]>([
    [true, 'x.a.b', ['any value']],
    [{}, 'x.a', ['any value']],
    [{ type: 'object' }, 'x.a', ['any value']],
    [{ properties: { a: { const: 1 } }, required: ['a'] }, 'x.a', ['1']],
    [{ properties: { a: {} }, additionalProperties: true }, 'x.b', ['any value']],
    [
      { properties: { a: {} }, patternProperties: { '^b': { type: 'string' } }, additionalProperties: false },
      'x.b',
      ['a text'],
    ],
    [{ properties: { a: {} }, unevaluatedProperties: false }, 'x.b', ['any value', 'x has no field "b"']],
    [{ type: 'object', additionalProperties: false }, 'x.b', ['any value', 'x has no field "b"']],
    [
      {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'number' } }, required: ['b'] },
        ],
      },
      'x.a + string(x.b)',
      ['a text'],
    ],
    [
      { properties: { a: { type: 'string' }, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      'has(x.a) ? x.a : "none"',
      ['a text'],
    ],
    [{ properties: { a: { type: 'string' } }, allOf: [{ required: ['a'] }] }, 'x.a', ['a text']],
    [{ type: 'string', nullable: true }, 'x', ['a text or null']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'x', ['a text or null']],
    [{ enum: ['a', 1, null] }, 'x', ['"a" or 1 or null']],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'boolean' } } }, 'x', ['a boolean']],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, 'x', ['any value']],
    [{ $ref: 'elsewhere.json' }, 'x.y', ['any value']],
    [{ type: 'array', items: { type: 'string' } }, 'x[3]', ['a text']],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
        additionalItems: { type: 'null' },
      },
      'x[0]',
      ['a text'],
    ],
    [
      { if: { required: ['a'] }, [THEN]: { properties: { b: { type: 'string' } }, required: ['b'] } },
      'has(x.b)',
      ['a boolean'],
    ],
    [
      { type: ['object', 'string'], properties: { a: { type: 'number' } }, required: ['a'] },
      'x.a',
      ['a number', 'x.a may be missing'],
    ],
  ])('%j: %s', (schema, source, expected) => {
    expect(field(schema, source)).toEqual(expected);
  });

  it('follow schemas that all name each other no longer than it is useful', () => {
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties, required: names }]));
    expect(field({ $ref: '#/$defs/d0', $defs }, 'x.d1.d2.nope')[0]).toBe('any value');
  });

  it('follow a recursive schema without end', () => {
    const tree: JsonSchema = {
      type: 'object',
      required: ['l', 'r'],
      properties: { l: { $ref: '#' }, r: { $ref: '#' } },
    };
    expect(field(tree, 'x.l.r.l.r.l.r')).toEqual(['any value']);
  });
});

describe('never a false alarm', () => {
  const leaf = fc.oneof(
    fc.constant<Json>(null),
    fc.boolean(),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('a', 'b'),
  );
  const value = fc.record({
    a: leaf,
    b: fc.record({ c: leaf, d: leaf }),
    l: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  });
  const path = fc.constantFrom('x.a', 'x.b.c', 'x.b.d', 'x.l[0]', 'x.l');
  const text: fc.Arbitrary<string> = fc.oneof(
    path,
    fc
      .tuple(path, fc.constantFrom('==', '!='), fc.constantFrom('null', '"a"', '1', 'true'))
      .map((parts) => parts.join(' ')),
    fc.tuple(path, path).map(([a, b]) => `${a} == null ? 0 : ${b}`),
    fc.tuple(path, path).map(([a, b]) => `${a} != null && ${b} == ${a}`),
    path.map((one) => `default(${one}, 1)`),
    path.map((one) => `${one} in x.l`),
    path.map((one) => `size(${one})`),
    path.map((one) => `x.l.map(i, i == ${one})`),
    fc.tuple(path, fc.constantFrom('+', '-', '<')).map(([one, op]) => `${one} ${op} ${one}`),
  );

  it('about an expression over exactly the value that its type describes, if it evaluates', () => {
    fc.assert(
      fc.property(value, text, (x, source) => {
        const expression = parse(source);
        let result: Json;
        try {
          result = expression.evaluate({ x: x as Json });
        } catch {
          return;
        }
        const schema = { const: x as Json };
        const { type, findings: found } = infer(expression, { roots: new Map([['x', typeOfSchema(schema)]]) });
        const alarms = found.filter(({ message }) => !/ is never /.test(message));
        expect(alarms).toEqual([]);
        expect(fits(result, showType(type))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  function fits(result: Json, type: string): boolean {
    if (type === 'any value') return true;
    if (Array.isArray(result)) return type.includes('a list');
    if (result === null) return type.includes('null');
    if (typeof result === 'object') return type.includes('a map');
    const kind = typeof result === 'string' ? 'a text' : `a ${typeof result}`;
    return type.includes(kind) || type.includes(JSON.stringify(result));
  }
});
