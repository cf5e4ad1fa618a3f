/** The steps of the plan as a drawing, coloured by what became of them; each leads to its step below. */
import { oneLine } from '../core/plain-text.js';
import { idsOf } from '../core/step-path.js';
import type { GraphNode } from '../graph/graph.js';
import { kindLabel, MARKS } from '../graph/labels.js';
import { treeRows } from '../graph/tree.js';
import { anchorOf } from './anchors.js';
import { type Box, type Drawing, type Line, laidOut, NAME_HEIGHT, NOTE_HEIGHT, PADDING } from './graph-layout.js';
import { type Html, html } from './html.js';
import { statusWord } from './texts.js';
import type { RunView, StepView } from './view.js';

/** More are a list, and no drawing. */
const MOST_NODES = 250;

export function graphSection(view: RunView): Html | undefined {
  const { graph } = view;
  if (!graph || graph.nodes.length < 2) return undefined;
  const places = placesOf(view.steps);
  const isDrawn = graph.nodes.length <= MOST_NODES;
  return html`<section id="graph" aria-labelledby="graph-h"><h2 id="graph-h">Graph</h2>
${isDrawn && drawing(laidOut(graph), places)}
<details id="fold-graph-list"><summary>The steps as a list</summary><ul class="plain">${treeRows(graph).map(
    ({ node, kind, notes }) =>
      html`<li>${linked(node, places)} <small>${[kind, node.status && statusWord(node.status), ...notes].filter((text) => text !== undefined).join(' · ')}</small></li>`,
  )}</ul></details></section>`;
}

/** Of a step of the plan: where the run came to it, what failed first. */
function placesOf(steps: readonly StepView[]): Map<string, string> {
  const places = new Map<string, { readonly path: string; readonly isLoud: boolean }>();
  const add = (step: StepView) => {
    const ids = idsOf(step.path);
    const isLoud = step.status === 'failed' || step.status === 'waiting';
    const known = places.get(ids);
    if (step.status !== 'open' && !/\/\d+$/.test(step.path) && (!known || (isLoud && !known.isLoud)))
      places.set(ids, { path: step.path, isLoud });
    for (const inner of step.steps) add(inner);
  };
  for (const step of steps) add(step);
  return new Map([...places].map(([ids, { path }]) => [ids, path]));
}

function linked(node: GraphNode, places: ReadonlyMap<string, string>): Html {
  const path = places.get(node.path);
  return path === undefined ? html`${node.path}` : html`<a href="#${anchorOf('step', path)}">${node.path}</a>`;
}

function drawing(drawn: Drawing, places: ReadonlyMap<string, string>): Html {
  const { width, height } = drawn;
  return html`<div class="wide" tabindex="0" role="group" aria-label="graph of the steps"><svg class="graph" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" role="group" aria-label="graph of the steps"><defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M1 1 6 4 1 7"/></marker></defs>${parts(drawn, places)}</svg></div>`;
}

function parts({ boxes, lines }: Drawing, places: ReadonlyMap<string, string>): Html {
  return html`${lines.map(lineView)}${boxes.map((box) => boxView(box, places))}`;
}

function lineView({ points, isConditional }: Line): Html {
  const [first, ...rest] = points;
  if (!first) return html``;
  let path = `M${round(first.x)} ${round(first.y)}`;
  let from = first;
  for (const to of rest) {
    const middle = (from.y + to.y) / 2;
    path +=
      Math.abs(from.x - to.x) < 0.5
        ? `L${round(to.x)} ${round(to.y)}`
        : `C${round(from.x)} ${round(middle)} ${round(to.x)} ${round(middle)} ${round(to.x)} ${round(to.y)}`;
    from = to;
  }
  return html`<path class="line${isConditional && ' maybe'}" marker-end="url(#tip)" d="${path}"/>`;
}

function boxView({ node, x, y, width, height, name, notes, inner }: Box, places: ReadonlyMap<string, string>): Html {
  const path = places.get(node.path);
  const status = node.status ?? 'open';
  const sort = inner ? 'group' : node.kind === 'gate' || node.kind === 'end' ? 'round' : 'leaf';
  const below = PADDING - 3 + NAME_HEIGHT + notes.length * NOTE_HEIGHT + PADDING - 3;
  const label = html`<title>${hover(node)}</title><rect class="box ${sort} ${status}" width="${round(width)}" height="${round(height)}" rx="${sort === 'round' ? round(Math.min(height / 2, 22)) : 7}"/><text class="id" x="${round(width / 2)}" y="${PADDING + 12}"><tspan class="sign ${status}">${node.status ? MARKS[node.status] : '·'}</tspan> ${name}</text>${notes.map(
    (note, at) =>
      html`<text class="note" x="${round(width / 2)}" y="${PADDING + NAME_HEIGHT + 8 + at * NOTE_HEIGHT}">${note}</text>`,
  )}`;
  const held =
    inner && html`<g transform="translate(${round((width - inner.width) / 2)} ${below})">${parts(inner, places)}</g>`;
  const own = path === undefined ? label : html`<a href="#${anchorOf('step', path)}">${label}</a>`;
  return html`<g transform="translate(${round(x)} ${round(y)})">${own}${held}</g>`;
}

function hover(node: GraphNode): string {
  const texts = [
    `${node.path}: ${node.title}`,
    kindLabel(node),
    ...(node.when === undefined ? [] : [`when ${node.when}`]),
    node.status === undefined ? 'not reached' : statusWord(node.status),
  ];
  return texts.map(oneLine).join(' · ');
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
