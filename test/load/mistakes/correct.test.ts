import { describe, expect, it } from 'vitest';
import { BASE, type Step } from './places.js';
import { desk, fileText } from './table.js';
import { flow, type Yaml } from './writing.js';

const object = (properties: Step, required: readonly string[] = Object.keys(properties), more: Step = {}): Yaml =>
  flow({ type: 'object', properties, required, ...more });
const gives = (id: string, output: Yaml, more: Step = {}): Step => ({ id, shell: { run: 'cat' }, output, ...more });
const reads = (...expressions: string[]): Step => ({
  id: 'reader',
  set: { v: expressions.map((one) => `\${{ ${one} }}`) },
});
const when = (condition: string, ...expressions: string[]): Step => ({ ...reads(...expressions), when: condition });
/** A keyword; as a plain key it would look like a promise. */
const THEN = 'then';
const TEXT: Yaml = { type: 'string' };
const NODE: Yaml = flow({
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: {
        name: TEXT,
        children: { type: 'array', maxItems: 5, items: { $ref: '#/$defs/node' } },
        parent: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['name', 'children', 'parent'],
    },
  },
});
const SHAPES: Yaml = object({
  shape: {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
      {
        type: 'object',
        properties: { kind: { const: 'square' }, side: { type: 'number' } },
        required: ['kind', 'side'],
      },
      { type: 'null' },
    ],
  },
});

/** Steps after those of the base; `reader` says what is right with them. */
const RIGHT: Readonly<Record<string, readonly Step[]>> = {
  'status == "done"': [
    reads(
      'steps.maybe.status == "done" && steps.maybe.output.ok',
      'steps.risky.status == "done" ? steps.risky.output.count : 0',
    ),
  ],
  'status != "done" left of ||': [reads('steps.maybe.status != "done" || steps.maybe.output.ok')],
  'status in a list': [reads('steps.maybe.status in ["done"] && steps.maybe.output.ok')],
  'two statuses that leave one': [
    reads('steps.maybe.status != "skipped" && steps.maybe.status != "failed" && steps.maybe.output.ok'),
  ],
  'status == "failed" for the error': [reads('steps.risky.status == "failed" ? steps.risky.error.message : ""')],
  'error == null for the output': [
    reads('steps.risky.error == null && steps.risky.status != "skipped" && steps.risky.output.ok'),
  ],
  'output != null, both ways round': [
    reads('steps.maybe.output != null && steps.maybe.output.ok', 'null == steps.maybe.output || steps.maybe.output.ok'),
  ],
  'x == null ? … : …': [reads('steps.a.output.note == null ? "" : steps.a.output.note.trim()')],
  'x == null in a chain': [
    reads('steps.maybe.output == null ? 0 : steps.maybe.output.note == null ? 1 : steps.maybe.output.note.size()'),
  ],
  'has() left of &&': [reads('has(steps.a.output.extra) && steps.a.output.extra.size() > 0')],
  '!has() left of ||': [reads('!has(steps.a.output.extra) || steps.a.output.extra == "x"')],
  'has() before ?': [reads('has(steps.a.output.extra) ? steps.a.output.extra : steps.a.output.verdict')],
  'has() of a path through what may be missing': [
    reads('has(steps.maybe.output.extra) && steps.maybe.output.extra != ""'),
  ],
  '"key" in map left of &&': [reads('"extra" in steps.a.output && steps.a.output.extra != ""')],
  '!("key" in map) left of ||': [reads('!("extra" in steps.a.output) || steps.a.output.extra != ""')],
  'default() of what may be missing, null, or skipped': [
    reads(
      'default(steps.a.output.extra, "x").size()',
      'default(steps.maybe.output.note, steps.a.output.note, "x").size()',
      'default(steps.maybe.output.list, []).map(i, i.text)',
    ),
  ],
  'default() that decides a condition': [
    reads('default(steps.maybe.output.ok, false) && steps.maybe.output.count > 1'),
  ],
  'a negated condition of several parts': [
    reads('!(steps.maybe.output == null || steps.maybe.output.note == null) && steps.maybe.output.note != ""'),
  ],
  'the same guard twice, with or': [
    reads('(has(steps.a.output.extra) && query == "x" || has(steps.a.output.extra)) && steps.a.output.extra != ""'),
  ],
  'when of the step': [when('steps.maybe.status == "done"', 'steps.maybe.output.count')],
  'when with braces': [when('${{ steps.maybe.output != null }}', 'steps.maybe.output.count')],
  'when of a group around, and of one around that': [
    {
      id: 'g',
      when: 'steps.maybe.output != null',
      steps: [{ id: 'h', when: 'steps.maybe.output.note != null', steps: [reads('steps.maybe.output.note.size()')] }],
    },
  ],
  'when of a step with foreach': [
    {
      id: 'l',
      when: 'steps.maybe.status == "done"',
      foreach: 'steps.maybe.output.list',
      set: { v: '${{ item.text + steps.maybe.output.verdict }}' },
    },
  ],
  'an end above': [
    { id: 'stop', when: 'steps.maybe.status != "done"', end: { outcome: 'no', status: 'refused' } },
    reads('steps.maybe.output.count'),
  ],
  'ends above, one after the other': [
    { id: 'stop_one', when: 'steps.maybe.output == null', end: { outcome: 'no', status: 'refused' } },
    {
      id: 'stop_two',
      when: 'steps.maybe.output.note == null || !has(steps.maybe.output.extra)',
      end: { outcome: 'no', status: 'refused' },
    },
    reads('steps.maybe.output.note.size()', 'steps.maybe.output.extra.size()'),
  ],
  'an end above, of which another one speaks': [
    { id: 'stop_one', when: 'steps.maybe.output == null', end: { outcome: 'no', status: 'refused' } },
    {
      id: 'stop_two',
      when: 'steps.maybe.output == null || steps.risky.output == null',
      end: { outcome: 'no', status: 'refused' },
    },
    { id: 'stop_three', when: 'query == "" && inputs.tone == ""', end: { outcome: 'no', status: 'refused' } },
    reads('steps.risky.output.count'),
  ],
  'an end above that speaks of the first round': [
    {
      id: 'spin',
      repeat: { until: 'output.size() > 3', max: 3 },
      steps: [
        { id: 'stop', when: 'iteration == 0 && query == ""', end: { outcome: 'no', status: 'refused' } },
        { id: 'stop_first', when: 'iteration == 0', end: { outcome: 'no', status: 'refused' } },
        { id: 'next', set: { v: '${{ previous.size() }}', w: '${{ steps.spin.previous }}' } },
      ],
      result: '${{ query }}',
    },
  ],
  'an end above a group': [
    { id: 'stop', when: 'steps.a.output.note == null', end: { outcome: 'no', status: 'refused' } },
    { id: 'g', steps: [reads('steps.a.output.note.size()')], result: '${{ steps.a.output.note.trim() }}' },
  ],
  '== literal narrows a union': [
    reads('steps.a.output.event.kind == "found" ? steps.a.output.event.url : steps.a.output.event.why'),
  ],
  'in [literals] narrows a union': [
    reads(
      'steps.a.output.event.kind in ["lost", "found"] && (steps.a.output.event.kind in ["lost"] ? steps.a.output.event.why != "" : steps.a.output.event.url != "")',
    ),
  ],
  'literals in every comparison that can hold': [
    reads(
      'steps.a.output.verdict == "go" || "stop" == steps.a.output.verdict',
      'steps.a.output.verdict in ["stop", "go"]',
    ),
  ],
  'what a guard has decided, asked again': [
    when(
      'steps.a.output.verdict == "go"',
      'steps.a.output.verdict == "stop"',
      'steps.a.output.verdict in ["stop", "go"]',
    ),
    { id: 'stop_here', when: 'steps.a.output.verdict == "stop"', end: { outcome: 'no', status: 'refused' } },
    { id: 'after', foreach: [1], set: { v: '${{ steps.a.output.verdict == "stop" ? item : 0 }}' } },
    {
      id: 'group',
      when: 'steps.a.output.ok',
      steps: [{ id: 'deep', set: { v: '${{ steps.a.output.ok == false }}' } }],
    },
  ],
  'values that may be equal': [
    reads(
      'query == steps.a.output.verdict',
      'steps.a.output.count == steps.a.output.list.size()',
      'steps.a.output.author == {"name": "x"}',
    ),
  ],
  'oneOf with null, narrowed from both sides': [
    gives('draw', SHAPES),
    reads(
      'steps.draw.output.shape == null ? 0 : steps.draw.output.shape.kind == "circle" ? steps.draw.output.shape.r : steps.draw.output.shape.side',
      'steps.draw.output.shape != null && steps.draw.output.shape.kind != "circle" ? steps.draw.output.shape.side * 2 : 0',
    ),
  ],
  'anyOf with null': [
    gives('node', NODE),
    reads('steps.node.output.parent == null ? "top" : steps.node.output.parent.name'),
  ],
  'a recursive schema': [
    gives('node', NODE),
    reads(
      'steps.node.output.children[0].children.map(c, c.children.map(d, d.name))',
      'steps.node.output.children.all(c, c.parent == null || c.parent.name != "")',
    ),
  ],
  'a type list with null': [
    gives('n', object({ v: { type: ['null', 'integer', 'string'] } })),
    reads(
      'steps.n.output.v == null ? "" : string(steps.n.output.v)',
      'steps.n.output.v == 3 || steps.n.output.v == "three"',
    ),
  ],
  'nullable: true': [
    gives('n', object({ v: { type: 'string', nullable: true } })),
    reads('steps.n.output.v != null && steps.n.output.v.size() > 2'),
  ],
  'an enum with null': [
    gives('n', object({ v: { enum: ['a', 'b', null] } })),
    reads('steps.n.output.v == null || steps.n.output.v == "b"'),
  ],
  const: [
    gives('n', object({ v: { const: 'only' }, w: { const: 3 } })),
    reads('steps.n.output.v == "only" && steps.n.output.w > 2'),
  ],
  allOf: [
    gives(
      'n',
      flow({
        allOf: [object({ a: TEXT }), object({ b: { type: 'number' } })],
        type: 'object',
        properties: { c: TEXT },
      }) as Yaml,
    ),
    reads('steps.n.output.a.size()', 'steps.n.output.b + 1', 'has(steps.n.output.c) ? steps.n.output.c : ""'),
  ],
  'allOf that requires what properties name': [
    gives(
      'n',
      flow({ type: 'object', properties: { a: TEXT, b: TEXT }, allOf: [{ required: ['a'] }, { required: ['b'] }] }),
    ),
    reads('steps.n.output.a + steps.n.output.b'),
  ],
  'if, then and else': [
    gives(
      'n',
      flow({
        type: 'object',
        properties: { kind: { enum: ['a', 'b'] }, x: TEXT },
        required: ['kind'],
        if: { properties: { kind: { const: 'a' } } },
        [THEN]: { required: ['x'] },
      }),
    ),
    reads('has(steps.n.output.x) ? steps.n.output.x : steps.n.output.kind'),
  ],
  additionalProperties: [
    gives('n', object({ known: TEXT }, ['known'], { additionalProperties: { type: 'number' } })),
    reads('steps.n.output.other + 1', 'steps.n.output["a-b"] * 2', 'steps.n.output.known.size()'),
  ],
  patternProperties: [
    gives('n', flow({ type: 'object', patternProperties: { '^x_': TEXT }, additionalProperties: false })),
    reads('steps.n.output.x_1', '"x_2" in steps.n.output'),
  ],
  'an open object': [
    gives('n', flow({ type: 'object' })),
    reads(
      'steps.n.output.whatever.deeper[3]',
      'has(steps.n.output.x.y)',
      'steps.n.output.list.filter(i, i.v > 1).size()',
    ),
  ],
  'a schema that allows anything': [
    gives('n', flow({})),
    reads(
      'steps.n.output.x.y',
      'steps.n.output + 1',
      'steps.n.output == null',
      'steps.n.output[0].text',
      'steps.n.output.contains("x")',
    ),
  ],
  'a tuple, old and new': [
    gives('n', object({ t: { type: 'array', prefixItems: [TEXT, { type: 'number' }], minItems: 2 } })),
    gives(
      'm',
      flow({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: [{ type: 'number' }, TEXT],
        additionalItems: false,
      }),
    ),
    reads(
      'steps.n.output.t[0].size() + steps.n.output.t[1]',
      'steps.n.output.t[7]',
      'steps.m.output[0] + 1',
      'steps.m.output[1].size()',
    ),
  ],
  '$ref with $defs, through another $ref': [
    gives(
      'n',
      flow({
        type: 'object',
        properties: { a: { $ref: '#/$defs/outer' } },
        required: ['a'],
        $defs: { outer: { $ref: '#/$defs/inner' }, inner: object({ v: { enum: ['x', 'y'] } }) },
      }) as Yaml,
    ),
    reads('steps.n.output.a.v == "y"'),
  ],
  'dependentSchemas open what properties close': [
    gives('n', flow({ type: 'object', properties: { a: TEXT }, dependentSchemas: { a: { properties: { b: TEXT } } } })),
    reads('steps.n.output.b'),
  ],
  'names of macros that hide others': [
    reads(
      'steps.a.output.list.map(query, query.text)',
      'steps.a.output.list.filter(steps, steps.year > 2000).map(steps, steps.text)',
      'steps.a.output.list.exists(i, steps.a.output.list.exists(j, i.year == j.year && i.text != j.text))',
      'cel.bind(inputs, steps.a.output.author, inputs.name)',
      '[1, 2].map(item, item + 1)',
    ),
  ],
  'filters that narrow what they keep': [
    reads(
      '[steps.a.output.event].filter(e, e.kind == "found").map(e, e.url)',
      '[steps.a.output.event].map(e, e.kind == "lost", e.why)',
      '[steps.a.output.note].filter(n, n != null).map(n, n.size())',
    ),
  ],
  'a group with a result, and its parts': [
    {
      id: 'g',
      when: 'steps.a.output.ok',
      steps: [gives('x', object({ t: TEXT })), { id: 'y', when: 'steps.x.output.t == ""', shell: { run: 'cat' } }],
      result: { t: '${{ steps.x.output.t }}', y: '${{ steps.y.output }}', raw: 3 },
    },
    reads(
      'steps.g.status == "done" && steps.g.output.t != "" && steps.g.output.raw == 3',
      'steps.g.output != null && steps.g.output.y != null ? steps.g.output.y.size() : 0',
    ),
  ],
  'a group without a result': [
    { id: 'g', steps: [gives('x', object({ t: TEXT })), { id: 'l', foreach: [1, 2], set: { n: '${{ item }}' } }] },
    reads('steps.g.output.x.t', 'steps.g.output.l[0].n + 1', 'steps.g.output.l.map(e, e.n)'),
  ],
  'loops in loops, with items by id': [
    {
      id: 'outer',
      foreach: 'steps.a.output.list',
      steps: [
        {
          id: 'middle',
          repeat: { until: 'iteration > 1 && steps.outer.index >= 0', max: 3 },
          steps: [
            {
              id: 'deep',
              foreach: ['p', 'q'],
              set: {
                v: '${{ item + steps.outer.item.text + string(index + steps.outer.index + steps.middle.iteration) }}',
                w: '${{ steps.middle.iteration > 0 ? steps.middle.previous.v : "" }}',
              },
            },
          ],
          result: { v: '${{ steps.deep.output[0].v }}' },
        },
      ],
      result: '${{ steps.middle.output.v }}',
    },
    reads('steps.outer.output.map(t, t)', 'steps.outer.failures.map(f, f.item.text)'),
  ],
  'every guard of previous': [
    {
      id: 'spin',
      repeat: { until: 'output.n > 3 || iteration >= 2', max: 4, on_max: 'accept' },
      set: {
        n: '${{ iteration > 0 ? previous.n + 1 : 0 }}',
        a: '${{ previous == null ? 0 : previous.n }}',
        b: '${{ iteration != 0 && previous.n > 1 }}',
        c: '${{ iteration == 0 || previous.n > 1 }}',
        d: '${{ 1 <= iteration ? previous.n : 0 }}',
        e: '${{ default(previous.n, 0) }}',
        f: '${{ has(previous.n) && previous.n > 1 }}',
        g: '${{ steps.spin.iteration > 0 && steps.spin.previous.n > 1 }}',
        h: '${{ !(iteration < 1) && previous.n > 1 }}',
      },
    },
    reads('steps.spin.output.n + 1'),
  ],
  'a result that reads previous is dynamic in itself': [
    {
      id: 'spin',
      repeat: { until: 'output.log.size() > 2', max: 4 },
      steps: [gives('x', object({ t: TEXT }))],
      result: { log: '${{ (iteration > 0 ? previous.log : []) + [{"t": steps.x.output.t}] }}' },
    },
    reads('steps.spin.output.log.map(l, l.t)', 'steps.spin.output.log[0].anything'),
  ],
  'set and its types': [
    {
      id: 's',
      set: {
        n: '${{ 1 + 2 }}',
        t: 'so ${{ query }}',
        l: ['${{ query }}', 1, null],
        m: { deep: '${{ steps.a.output.author }}' },
        z: null,
      },
    },
    reads(
      'steps.s.output.n + 1',
      'steps.s.output.t.size()',
      'steps.s.output.l[0].size()',
      'steps.s.output.m.deep.name',
      'steps.s.output.z == null',
    ),
  ],
  'values of different types in one place': [
    reads(
      '[1, "a", null, true]',
      '{"a": 1, "b": [query]}["b"][0]',
      'query == "" ? 1 : "x"',
      'steps.a.output.ok ? null : query',
      'dyn(query) + 1 == 2',
    ),
  ],
  'the first of what may be empty': [
    reads(
      'default(steps.maybe.output.list, []).size() > 0 ? default(steps.maybe.output.list, [])[0].text : ""',
      '(steps.a.output.ok ? steps.a.output.list : [])[0].year + 1',
      '(steps.a.output.ok ? [1, 2, 3] : [1])[2] + 1',
      '(steps.a.output.list + [{"text": "x", "year": 1}])[3].text',
    ),
  ],
  'fields with names of all sorts': [
    gives('n', object({ in: TEXT, 'a-b': TEXT, size: { type: 'number' }, 标题: TEXT, null: TEXT })),
    reads(
      'steps.n.output["in"].size()',
      'steps.n.output["a-b"] + steps.n.output["标题"] + steps.n.output["null"]',
      'steps.n.output.size + 1',
    ),
  ],
  'a key that is computed': [
    reads(
      'steps.a.output[query]',
      'steps.a.output.list[steps.a.output.count].text',
      '{"go": 1, "stop": 2}[steps.a.output.verdict] + 1',
    ),
  ],
  'times and numbers that are texts': [
    gives('n', object({ at: { type: 'string', format: 'date-time' } })),
    reads('steps.n.output.at > "2026-01-01" && run.started < steps.n.output.at'),
  ],
  'braces, quotes and templates in texts': [
    reads('"}}" + query', "'it''s' + query".replace("''", "\\'"), '{"a": {"b": 1}}.a.b', '"a \\"quoted\\" text"'),
  ],
  'the error of a step by its fields': [
    reads(
      'steps.risky.error != null && has(steps.risky.error.exit) ? string(steps.risky.error.exit) : ""',
      'default(steps.risky.error.stderr, "")',
    ),
  ],
  'failures of a loop': [
    reads(
      'steps.many.failures.filter(f, f.error.code == "shell.exit").map(f, f.item.text + string(f.index))',
      'steps.many.output.size() + steps.many.failures.size()',
    ),
  ],
};

describe('no finding for', () => {
  it.each(Object.entries(RIGHT))('%s', async (_, steps) => {
    const text = fileText([...BASE, ...steps]);
    expect(
      (await desk()(text ?? '')).map(({ message, at }) => `${at.line}:${at.column} ${message}`),
      text,
    ).toEqual([]);
  });

  it('the same in a group in a loop, after an end', async () => {
    const look = desk();
    for (const [name, steps] of Object.entries(RIGHT)) {
      if (JSON.stringify(steps).includes('"end"')) continue;
      const text = fileText([
        ...BASE,
        { id: 'stop', when: 'query == ""', end: { outcome: 'x', status: 'done' } },
        { id: 'around', foreach: [1, 2], steps: [...steps] },
      ]);
      expect(
        (await look(text ?? '')).map(({ message, at }) => `${at.line}:${at.column} ${message}`),
        name,
      ).toEqual([]);
    }
  });
});
