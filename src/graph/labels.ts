/** What a drawing says of a node, short enough to be read. */
import { oneLine } from '../core/plain-text.js';
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
