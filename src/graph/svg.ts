/** A graph as one SVG document that refers to nothing outside itself. */

import { oneLine } from '../core/plain-text.js';
import type { Graph, GraphNode } from './graph.js';
import { kindLabel, MARKS } from './labels.js';
import { type Box, type Drawing, type Line, layOut, PADDING, TEXT_HEIGHT } from './layout.js';

const STYLE = `
svg { background: #ffffff; font: 13px ui-sans-serif, system-ui, sans-serif; }
text { fill: #1f2937; }
.id { font-weight: 600; }
.note { fill: #6b7280; font-size: 12px; }
.box { fill: #ffffff; stroke: #9ca3af; stroke-width: 1.2; }
.agent { fill: #eef2ff; stroke: #6366f1; }
.end { fill: #fff7ed; stroke: #ea580c; }
.gate { fill: #fdf4ff; stroke: #a21caf; }
.steps, .pipeline { fill: #f9fafb; stroke: #d1d5db; }
.running { stroke: #1d4ed8; stroke-width: 2.5; } .done { stroke: #15803d; stroke-width: 2.5; }
.reused { stroke: #0e7490; stroke-width: 2.5; } .failed, .interrupted { stroke: #b91c1c; stroke-width: 2.5; }
.waiting { stroke: #a21caf; stroke-width: 2.5; } .ended, .stopped { stroke: #c2410c; stroke-width: 2.5; }
.skipped { stroke-dasharray: 4 3; }
.line { fill: none; stroke: #6b7280; stroke-width: 1.2; }
.when { fill: #4b5563; font-size: 11.5px; }
`.trim();

export async function svgText(graph: Graph): Promise<string> {
  const drawing = await layOut(graph);
  const { width, height } = drawing;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(oneLine(graph.name))}</title>`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#6b7280"/></marker></defs>',
    ...drawn(drawing),
    '</svg>',
  ].join('\n');
}

/** Lines first: where they meet a box, the box is seen. */
function drawn({ boxes, lines }: Drawing): string[] {
  return [...lines.map(path), ...boxes.flatMap(box), ...lines.flatMap(plate)];
}

function path({ points }: Line): string {
  return `<path class="line" marker-end="url(#tip)" d="${smooth(points)}"/>`;
}

/** Through the middles of its corners, so that it bends. */
function smooth(points: Line['points']): string {
  const at = ({ x, y }: { x: number; y: number }) => `${round(x)} ${round(y)}`;
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const bends = rest.slice(0, -1).map((corner, index) => {
    const next = rest[index + 1] ?? corner;
    const isLast = index === rest.length - 2;
    return `Q${at(corner)} ${isLast ? at(next) : at({ x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 })}`;
  });
  return `M${at(first)} ${bends.length === 0 ? `L${at(last)}` : bends.join(' ')}`;
}

function plate({ label }: Line): string[] {
  if (!label) return [];
  const { text, full, x, y } = label;
  return [
    `<text class="when" x="${round(x)}" y="${round(y + 4)}" text-anchor="middle" stroke="#ffffff" stroke-width="4" paint-order="stroke"><title>${escaped(full)}</title>${escaped(text)}</text>`,
  ];
}

function box({ node, x, y, width, height, texts, inner }: Box): string[] {
  const center = width / 2;
  const lines = texts.map((text, at) => {
    const mark = at === 0 && node.status ? `${MARKS[node.status]} ` : '';
    const top = PADDING / 2 + (at + 1) * TEXT_HEIGHT - 5;
    return `<text class="${at === 0 ? 'id' : 'note'}" x="${round(center)}" y="${top}" text-anchor="middle">${escaped(mark + text)}</text>`;
  });
  const below = texts.length * TEXT_HEIGHT + PADDING;
  const side = inner ? (width - inner.width) / 2 : 0;
  const held = inner ? [`<g transform="translate(${round(side)} ${below})">`, ...drawn(inner), '</g>'] : [];
  return [
    `<g transform="translate(${round(x)} ${round(y)})">`,
    `<title>${escaped(hover(node))}</title>`,
    `<rect class="box ${classesOf(node)}" width="${round(width)}" height="${round(height)}" rx="${radius(node, height)}"/>`,
    ...lines,
    ...held,
    '</g>',
  ];
}

function classesOf({ kind, status }: GraphNode): string {
  const known = /^[a-z]+$/.test(kind) ? kind : 'other';
  return status === undefined ? known : `${known} ${status}`;
}

function radius({ kind }: GraphNode, height: number): number {
  if (kind === 'end') return Math.min(24, round(height / 2));
  return kind === 'agent' || kind === 'gate' ? 10 : 4;
}

function hover(node: GraphNode): string {
  const lines = [
    `${node.path}: ${node.title}`,
    kindLabel(node),
    ...(node.when === undefined ? [] : [`when ${oneLine(node.when)}`]),
    ...(node.repeat ? [`until ${oneLine(node.repeat.until)}`] : []),
    ...(node.foreach ? [`each of ${oneLine(node.foreach.over)}`] : []),
    ...(node.tools.length === 0 ? [] : [`tools ${node.tools.join(', ')}`]),
    ...(node.status === undefined ? [] : [node.status]),
  ];
  return lines.map(oneLine).join(' · ');
}

/** Also what XML forbids is taken out. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
