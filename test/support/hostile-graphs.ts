/** Graphs whose texts try to be more than text. */
import * as fc from 'fast-check';
import type { Graph } from '../../src/graph/graph.js';

const HOSTILE = [
  '</title><script>alert(1)</script>',
  '"] --> end["',
  '%%{init: {"securityLevel": "loose"}}%%',
  '`code` **bold** <b>',
  'a\nb\r\nc\u2028d',
  '\u202Ereversed\u0000\u001b[31mred',
  '汉字 😀 ﷽',
  '&amp; &#60; #quot; #60;',
  '<!-- --> ]]> <![CDATA[',
  'click s1 href "javascript:alert(1)"',
  '\uD800 alone',
];

const texts = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

export const hostileGraphs: fc.Arbitrary<Graph> = fc.tuple(texts, texts, texts, texts).map(
  ([name, title, when, outcome]): Graph => ({
    name,
    nodes: [
      { path: 'graph', id: 'graph', title, kind: 'agent', after: [], tools: [title], model: when, when },
      {
        path: 'end',
        id: 'end',
        title: when,
        kind: 'end',
        after: ['graph'],
        tools: [],
        end: { outcome, status: outcome },
      },
      { path: 'subgraph', id: 'subgraph', title, kind: 'steps', after: ['end'], tools: [], status: 'done' },
      { path: 'subgraph/x', id: 'x', title: outcome, kind: 'gate', after: [], tools: [], parent: 'subgraph' },
    ],
    edges: [
      { from: 'graph', to: 'end', when },
      { from: 'end', to: 'subgraph' },
    ],
  }),
);
