import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { graphOf } from '../../src/graph/graph.js';
import { mermaidText } from '../../src/graph/mermaid.js';
import { hostileGraphs } from '../support/hostile-graphs.js';
import { planOf } from '../support/plans.js';

it('writes a flowchart with groups as subgraphs and conditions on the edges', async () => {
  const plan = await planOf(`
version: 1
name: small
description: Small.
steps:
  - id: first
    title: The first
    set: { x: 1 }
  - id: rounds
    when: 'query != "no"'
    repeat: { until: 'output.work == "x"', max: 4 }
    steps:
      - id: work
        foreach: [1, 2]
        shell: { run: echo x }
    result: { work: x }
  - id: stop
    end: { outcome: over, status: done }
`);
  expect(mermaidText(graphOf(plan))).toBe(
    [
      'flowchart TD',
      '  s1["first<br/>set<br/>The first"]',
      '  subgraph s2 ["rounds<br/>steps ↻ max 4"]',
      '    direction TB',
      '    s3["work<br/>shell ×2"]',
      '  end',
      '  s4(["stop<br/>end done"])',
      '  s1 -->|"query != #34;no#34;"| s2',
      '  s2 --> s4',
    ].join('\n'),
  );
});

const TEXT = String.raw`[^"'<>&%\\{}[\]|*~;@#]|#\d+;|<br/>`;
const LINES = [
  /^flowchart TD$/,
  new RegExp(String.raw`^ +s\d+(\(|\[|\(\[|\{\{|\[\[)"(${TEXT})*"(\)|\]|\]\)|\}\}|\]\])$`, 'u'),
  new RegExp(String.raw`^ +subgraph s\d+ \["(${TEXT})*"\]$`, 'u'),
  /^ +direction TB$/,
  /^ +end$/,
  new RegExp(String.raw`^ +s\d+ -->(\|"(${TEXT})+"\|)? s\d+$`, 'u'),
  /^ +classDef \w+ [\w:#,-]+$/,
  /^ +class [\w,]+ \w+$/,
];

it('lets no text of a skill be more than the text of a label', () => {
  fc.assert(
    fc.property(hostileGraphs, (graph) => {
      const odd = mermaidText(graph)
        .split('\n')
        .filter((line) => !LINES.some((shape) => shape.test(line)));
      expect(odd).toEqual([]);
    }),
  );
});
