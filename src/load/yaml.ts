/** A document of the YAML library → our tree. */
import type { Document, YAMLMap as LibraryMap, Node as LibraryNode, Scalar } from 'yaml';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Position, Problem } from '../core/problems.js';
import type { Source } from './text.js';
import { type BlockShape, type Traced, traceScalar } from './yaml-offsets.js';
import type { ScalarStyle, Span, YamlNode, YamlPair, YamlScalar } from './yaml-tree.js';

const MAX_ALIASES = 100;
const MAX_NODES = 100_000;

export interface Conversion {
  /** Of a key that stands twice. */
  readonly duplicateKeys: Problem['severity'];
  readonly source: Source;
  readonly base: number;
  readonly text: string;
  /** Offsets of values whose mistake was already said. */
  readonly broken: ReadonlySet<number>;
}

/** Undefined for an empty text. */
export function treeOf(
  document: Document.Parsed | undefined,
  how: Conversion,
): { readonly root: YamlNode | undefined; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const anchors = new Map<string, { readonly node: YamlNode; readonly size: number } | 'open'>();
  let aliases = 0;
  let size = 0;
  const problem = (
    offset: number,
    rule: string,
    message: string,
    hint?: string,
    severity: Problem['severity'] = 'error',
  ) =>
    problems.push({ severity, rule, message, at: how.source.position(offset + how.base), ...(hint ? { hint } : {}) });
  const span = (start: number, end: number): Span => ({
    start: start + how.base,
    end: end + how.base,
    at: how.source.position(start + how.base),
  });

  const node = (from: LibraryNode | null | undefined, fallback: number): YamlNode => {
    size++;
    const [start, end] = from?.range ?? [fallback, fallback];
    if (!from) return scalarNode(null, 'plain', span(start, start), () => how.source.position(start + how.base));
    if (isAlias(from)) return alias(from.source, start, end);
    const name = from.anchor;
    const before = size;
    if (name) anchors.set(name, 'open');
    const made = content(from, start, end);
    if (name) anchors.set(name, { node: made, size: size - before + 1 });
    return made;
  };

  const alias = (name: string, start: number, end: number): YamlNode => {
    const target = anchors.get(name);
    const bad = (message: string): YamlNode => {
      problem(start, 'yaml-alias', message, `If "*${name}" is no alias, put the value in single quotes.`);
      return { type: 'broken', ...span(start, end) };
    };
    if (!target) return bad(`"*${name}" is an alias of an anchor that is not there.`);
    if (target === 'open') return bad(`The alias "*${name}" stands inside of what it repeats.`);
    aliases++;
    size += target.size;
    if (aliases > MAX_ALIASES) return bad(`There are more than ${MAX_ALIASES} aliases.`);
    if (size > MAX_NODES) return bad(`The aliases make more than ${MAX_NODES} values.`);
    return target.node.type === 'broken' ? target.node : { ...target.node, ...span(start, end), isAlias: true };
  };

  const content = (from: LibraryNode, start: number, end: number): YamlNode => {
    if (isMap(from)) {
      const all = pairs(from as LibraryMap);
      const values = all.map(({ value }) => value);
      return { type: 'map', ...span(start, from.flow ? end : endOf(values, start)), pairs: all };
    }
    if (isSeq(from)) {
      const items = from.items.map((item) => node(item as LibraryNode, start));
      return { type: 'list', ...span(start, from.flow ? end : endOf(items, start)), items };
    }
    return scalar(from as Scalar.Parsed, start, end);
  };

  /** Of a block: the last value's. The library's own holds comments behind it too, or not. */
  const endOf = (values: readonly YamlNode[], start: number): number =>
    Math.max(start, ...values.map((value) => value.end - how.base));

  const pairs = (map: LibraryMap): YamlPair[] => {
    const seen = new Map<string, YamlPair>();
    for (const [index, { key: keyNode, value }] of map.items.entries()) {
      const keyScalar = keyNode as Scalar.Parsed;
      const [start, end] = keyScalar.range ?? [0, 0];
      const key = String(keyScalar.value ?? '');
      const cut = map.flow && value === null ? map.items[index - 1]?.value : undefined;
      if (isScalar(cut) && cut.type === 'PLAIN' && typeof cut.value === 'string') {
        const whole = how.text.slice(cut.range?.[0] ?? start, end);
        const hint = `Put the value in single quotes: '${whole.replaceAll("'", "''")}'`;
        problem(cut.range?.[0] ?? start, 'yaml-comma', `Inside { } or [ ], the comma cuts "${whole}" in two.`, hint);
        continue;
      }
      const pair: YamlPair = { key, keySpan: span(start, end), value: node(value as LibraryNode | null, end) };
      const first = seen.get(key);
      if (first) {
        const message = `The key "${key}" stands here a second time; the first is in line ${first.keySpan.at.line}.`;
        problem(start, 'yaml-duplicate-key', message, 'Remove one of them.', how.duplicateKeys);
      } else seen.set(key, pair);
    }
    return [...seen.values()];
  };

  const scalar = (from: Scalar.Parsed, start: number, end: number): YamlNode => {
    if (how.broken.has(start) && from.type === 'PLAIN') return { type: 'broken', ...span(start, end) };
    const style = STYLES[from.type ?? 'PLAIN'] ?? 'plain';
    const place = span(start, end);
    const { value } = from;
    if (typeof value === 'number' && !isExact(value, from.source)) {
      problem(
        start,
        'yaml-number',
        `The number ${from.source} cannot be held exactly.`,
        'Put it in quotes to keep it as a text.',
      );
    }
    if (typeof value !== 'string') {
      const plain = typeof value === 'number' || typeof value === 'boolean' ? value : null;
      return scalarNode(plain, style, place, () => place.at);
    }
    let traced: Traced | undefined;
    const locate = (offset: number): Position => {
      traced ??= traceScalar(style, how.text.slice(start, end), blockShape(from));
      const inSource = traced.value === value ? (traced.offsets[Math.min(offset, traced.offsets.length - 1)] ?? 0) : 0;
      return how.source.position(start + inSource + how.base);
    };
    const blanks = style === 'plain' ? /^[ \t]+(?=#)/.exec(how.text.slice(end, end + 200))?.[0].length : undefined;
    const made = scalarNode(value, style, place, locate);
    return blanks === undefined ? made : { ...made, comment: how.source.position(end + blanks + how.base) };
  };

  const contents = document?.contents as LibraryNode | null | undefined;
  const root = contents && !isEmpty(contents) ? node(contents, 0) : undefined;
  return { root, problems };
}

function isEmpty(contents: LibraryNode): boolean {
  return isScalar(contents) && contents.value === null && contents.range?.[0] === contents.range?.[1];
}

function scalarNode(
  value: string | number | boolean | null,
  style: ScalarStyle,
  span: Span,
  locate: (offset: number) => Position,
): YamlScalar {
  return { type: 'scalar', value, style, ...span, locate };
}

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

function blockShape(scalar: Scalar.Parsed): BlockShape | undefined {
  const token = scalar.srcToken;
  if (token?.type !== 'block-scalar') return undefined;
  const header = token.props.find((prop) => prop.type === 'block-scalar-header');
  const headerLength = token.props.reduce((sum, prop) => sum + ('source' in prop ? prop.source.length : 0), 0);
  return { header: header && 'source' in header ? header.source : '', headerLength, indent: token.indent };
}

/** Integers beyond 2^53 are rounded by the parser without a word; infinity and NaN are no JSON. */
function isExact(value: number, written: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^[-+]?(\d+|0x[0-9a-fA-F]+|0o[0-7]+)$/.test(written)) return true;
  return BigInt(written.replace(/^[-+]/, '')) === BigInt(Math.abs(value));
}
