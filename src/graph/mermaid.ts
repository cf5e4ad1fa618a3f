/** A graph as Mermaid text, for Markdown that draws it. */

import { cutTo } from '../core/columns.js';
import { oneLine } from '../core/plain-text.js';
import type { Graph, GraphNode, NodeStatus } from './graph.js';
import { countsLabel, kindLabel, MARKS, titleOf } from './labels.js';

const WHEN_COLUMNS = 40;
const TITLE_COLUMNS = 60;

export function mermaidText(graph: Graph): string {
  const names = new Map(graph.nodes.map(({ path }, at) => [path, `s${at + 1}`]));
  const nameOf = (path: string) => names.get(path) ?? path;
  const holders = new Set(graph.nodes.map(({ parent }) => parent));
  const lines = ['flowchart TD'];
  const addList = (parent: string | undefined, indent: string): void => {
    for (const node of graph.nodes.filter((one) => one.parent === parent)) {
      if (!holders.has(node.path)) {
        lines.push(`${indent}${nameOf(node.path)}${shape(node)}`);
        continue;
      }
      lines.push(`${indent}subgraph ${nameOf(node.path)} ["${label(node)}"]`, `${indent}  direction TB`);
      addList(node.path, `${indent}  `);
      lines.push(`${indent}end`);
    }
  };
  addList(undefined, '  ');
  for (const { from, to, when } of graph.edges) {
    const text = cutTo(oneLine(when ?? ''), WHEN_COLUMNS);
    const condition = text === '' ? '' : `|"${escaped(text)}"|`;
    lines.push(`  ${nameOf(from)} -->${condition} ${nameOf(to)}`);
  }
  return [...lines, ...statusLines(graph, nameOf)].join('\n');
}

function label(node: GraphNode): string {
  const title = titleOf(node);
  const counts = countsLabel(node);
  const mark = node.status ? `${MARKS[node.status]} ` : '';
  const texts = [
    `${mark}${node.id}`,
    kindLabel(node),
    ...(title === undefined ? [] : [cutTo(title, TITLE_COLUMNS)]),
    ...(node.when === undefined || node.after.length > 0 ? [] : [cutTo(`when ${oneLine(node.when)}`, WHEN_COLUMNS)]),
    ...(counts === undefined ? [] : [counts]),
  ];
  return texts.map(escaped).join('<br/>');
}

function shape(node: GraphNode): string {
  const text = `"${label(node)}"`;
  switch (node.kind) {
    case 'end':
      return `([${text}])`;
    case 'gate':
      return `{{${text}}}`;
    case 'agent':
      return `(${text})`;
    case 'pipeline':
      return `[[${text}]]`;
    default:
      return `[${text}]`;
  }
}

/** Mermaid's own entities: what could end a label, open a tag, a directive or Markdown is a number. */
function escaped(text: string): string {
  return text.replace(/["'`<>&#%\\{}[\]|*~;@]/g, (character) => `#${character.codePointAt(0)};`);
}

const STYLES: Readonly<Record<NodeStatus, string>> = {
  running: 'fill:#dbeafe,stroke:#1d4ed8,color:#1e3a8a',
  done: 'fill:#dcfce7,stroke:#15803d,color:#14532d',
  reused: 'fill:#ecfeff,stroke:#0e7490,color:#164e63',
  skipped: 'fill:#f3f4f6,stroke:#9ca3af,color:#6b7280',
  failed: 'fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d',
  ended: 'fill:#fef9c3,stroke:#a16207,color:#713f12',
  waiting: 'fill:#fae8ff,stroke:#a21caf,color:#701a75',
  stopped: 'fill:#ffedd5,stroke:#c2410c,color:#7c2d12',
  interrupted: 'fill:#ffedd5,stroke:#c2410c,color:#7c2d12',
};

function statusLines(graph: Graph, nameOf: (path: string) => string): string[] {
  return Object.entries(STYLES).flatMap(([status, style]) => {
    const names = graph.nodes.filter((node) => node.status === status).map(({ path }) => nameOf(path));
    return names.length === 0 ? [] : [`  classDef ${status} ${style}`, `  class ${names.join(',')} ${status}`];
  });
}
