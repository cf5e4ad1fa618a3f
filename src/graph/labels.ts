/** What a drawing says of a node, short enough to be read. */
import { eastAsianWidth } from 'get-east-asian-width';
import type { GraphNode, NodeStatus } from './graph.js';

export const MARKS: Readonly<Record<NodeStatus, string>> = {
  running: '▶',
  done: '✓',
  reused: '↺',
  skipped: '–',
  failed: '✗',
  ended: '■',
  waiting: '?',
  stopped: '■',
  interrupted: '✗',
};

/** An escape sequence that colours or moves. */
const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** `agent ×4`, `steps ↻ max 3`, `end refused`. */
export function kindLabel(node: GraphNode): string {
  const { foreach, repeat, end, skill, kind } = node;
  const what = end ? `${kind} ${end.status}` : skill === undefined ? kind : `${kind} ${skill}`;
  const items = foreach && (foreach.items === undefined ? `×max ${foreach.maxItems}` : `×${foreach.items}`);
  return [oneLine(what), items, repeat && `↻ max ${repeat.max}`].filter(Boolean).join(' ');
}

/** The title where it says more than the id. */
export function titleOf({ id, title }: GraphNode): string | undefined {
  const text = oneLine(title);
  return text.toLowerCase() === id || text === '' ? undefined : text;
}

/** `3 done, 1 failed`. */
export function countsLabel({ counts }: GraphNode): string | undefined {
  if (!counts) return undefined;
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}

/** Text of a skill is data: one line, nothing that a terminal or a browser would obey, no direction marks. */
export function oneLine(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .trim();
}

/** Columns it takes; wide characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!/[\p{Mark}\p{Cf}]/u.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

/** At most so many columns, with an ellipsis. */
export function shortened(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  for (const character of text) {
    if (widthOf(cut + character) > columns - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}
