/** The tree of a YAML text: every key, scalar, list or mapping with its place in the source. */
import type { Json } from '../core/json.js';
import type { Position } from '../core/problems.js';

/** Offsets into the source's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly at: Position;
}

export type YamlNode = YamlMap | YamlList | YamlScalar | YamlBroken;

/** A value at its place. */
interface Placed extends Span {
  /** It stands here as `*name`; what is in it was written elsewhere. */
  readonly isAlias?: true;
}

export interface YamlMap extends Placed {
  readonly type: 'map';
  readonly pairs: readonly YamlPair[];
}

export interface YamlPair {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: YamlNode;
}

export interface YamlList extends Placed {
  readonly type: 'list';
  readonly items: readonly YamlNode[];
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface YamlScalar extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
  readonly style: ScalarStyle;
  /** Where a comment begins directly behind a plain value, which may have been meant to go on. */
  readonly comment?: Position;
  /** The place in the source of a character of a string `value`. */
  locate(offset: number): Position;
}

/** A value whose mistake was already said: nothing more can be known of it. */
export interface YamlBroken extends Placed {
  readonly type: 'broken';
}

export function pairOf(map: YamlMap, key: string): YamlPair | undefined {
  return map.pairs.find((pair) => pair.key === key);
}

export function isNull(node: YamlNode): boolean {
  return node.type === 'scalar' && node.value === null;
}

/** Broken values become null. */
export function toJson(node: YamlNode): Json {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toJson);
    case 'map':
      return Object.fromEntries(node.pairs.map((pair) => [pair.key, toJson(pair.value)]));
    case 'broken':
      return null;
  }
}

/** The node at a path of keys or indices, or the nearest one above it. */
export function nodeAt(node: YamlNode, path: readonly (string | number)[]): YamlNode {
  let here = node;
  for (const step of path) {
    const next =
      here.type === 'map'
        ? here.pairs.find((pair) => pair.key === String(step))?.value
        : here.type === 'list'
          ? here.items[Number(step)]
          : undefined;
    if (!next) return here;
    here = next;
  }
  return here;
}

/** What a person would call the value. */
export function describeNode(node: YamlNode): string {
  switch (node.type) {
    case 'map':
      return 'a mapping';
    case 'list':
      return 'a list';
    case 'broken':
      return 'a broken value';
    case 'scalar': {
      if (node.value === null) return 'nothing';
      if (typeof node.value === 'string') return 'a text';
      return typeof node.value === 'number' ? `the number ${node.value}` : `${node.value}`;
    }
  }
}
