/** An edit of a whole value, at its place in the file around it. */
import type { Problem } from '../core/problems.js';
import type { Source } from './text.js';
import type { YamlNode } from './yaml-tree.js';
import { scalarText } from './yaml-write.js';

/** What was meant, if there is one answer. */
export type Meant = string | number | boolean | undefined;

interface Written {
  readonly source: Source;
}

export function editOf(node: YamlNode, value: Meant, written: Written): Problem['edit'] {
  return value === undefined ? undefined : replacement(node, scalarText(value), written);
}

/** Puts YAML in the place of the value; undefined where nothing is written. */
export function replacement({ start, end }: YamlNode, yaml: string, { source }: Written): Problem['edit'] {
  if (start === end) return undefined;
  // A text of whole lines ends with a line break, which the next key needs.
  const tail = /\s*$/.exec(source.text.slice(start, end))?.[0] ?? '';
  return { start: start + source.skipped, end: end + source.skipped - tail.length, text: yaml };
}
