/** Values within one line of plain YAML: bare, quoted, or in { } and [ ]. */
import type { Source } from './text.js';
import { type BlockShape, type Traced, traceScalar } from './yaml-offsets.js';
import type { ScalarStyle, Span, YamlList, YamlMap, YamlNode, YamlPair, YamlScalar } from './yaml-tree.js';

/** Deeper or larger texts are the library's, which says what is too much: it takes all that lie within these bounds. */
const MAX_DEPTH = 40;
const MAX_NODES = 25_000;

const FLOW_KEY = /([A-Za-z_][\w./-]{0,200}): +/y;
/** Without quotes, brackets, parentheses and whatever else might mean something. */
const FLOW_PLAIN = /[A-Za-z0-9_./$+-][\w./$+\-= <>;~^|&*%@!?]*/y;
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/;
/** What YAML reads as something else than a text. */
const TYPED =
  /^(~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** The text holds what only the library reads. */
export class Unusual extends Error {}

/** A text while it is read. */
export interface PlainText {
  readonly source: Source;
  nodes: number;
}

export function countNode(plain: PlainText, depth = 0): void {
  if (++plain.nodes > MAX_NODES || depth > MAX_DEPTH) throw new Unusual();
}

export function spanOf({ source }: PlainText, start: number, end: number): Span {
  return { start, end, at: source.position(start) };
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

/** How a text of several lines was read. */
interface Block {
  readonly shape: BlockShape;
  readonly traced: Traced | undefined;
}

export function scalar(
  plain: PlainText,
  value: YamlScalar['value'],
  style: ScalarStyle,
  start: number,
  end: number,
  block?: Block,
): YamlScalar {
  countNode(plain);
  const { source } = plain;
  const at = source.position(start);
  if (typeof value !== 'string') return { type: 'scalar', value, style, start, end, at, locate: () => at };
  let traced = block?.traced;
  const locate = (offset: number) => {
    traced ??= traceScalar(style, source.text.slice(start, end), block?.shape);
    const inSource = traced.value === value ? (traced.offsets[Math.min(offset, traced.offsets.length - 1)] ?? 0) : 0;
    return source.position(start + inSource);
  };
  return { type: 'scalar', value, style, start, end, at, locate };
}

export function bare(plain: PlainText, start: number, end: number): YamlScalar {
  const written = plain.source.text.slice(start, end);
  if (written === 'true' || written === 'false') return scalar(plain, written === 'true', 'plain', start, end);
  if (NUMBER.test(written) && written !== '-0') return scalar(plain, Number(written), 'plain', start, end);
  if (TYPED.test(written)) throw new Unusual();
  return scalar(plain, written, 'plain', start, end);
}

/** With its quotes; it ends in its line. */
export function quoted(plain: PlainText, start: number): YamlScalar {
  const { text } = plain.source;
  const quote = text[start];
  let at = start + 1;
  for (; ; at++) {
    const character = text[at];
    if (character === undefined || character === '\n') throw new Unusual();
    if (character === '\\' && quote === '"') at++;
    else if (character !== quote) continue;
    else if (quote === "'" && text[at + 1] === "'") at++;
    else break;
  }
  const inner = text.slice(start + 1, at);
  if (quote === "'") return scalar(plain, inner.replaceAll("''", "'"), 'single', start, at + 1);
  if (!inner.includes('\\')) return scalar(plain, inner, 'double', start, at + 1);
  if (/\\[^"\\/bfnrt]/.test(inner.replaceAll('\\\\', ''))) throw new Unusual();
  return scalar(plain, JSON.parse(`"${inner}"`) as string, 'double', start, at + 1);
}

/** What begins with a bracket. */
export function flow(plain: PlainText, start: number, depth: number): YamlMap | YamlList {
  countNode(plain, depth);
  const { text } = plain.source;
  const close = text[start] === '[' ? ']' : '}';
  const items: YamlNode[] = [];
  const pairs = new Map<string, YamlPair>();
  const place = plain.source.position(start);
  let at = skipBlanks(text, start + 1);
  while (text[at] !== close) {
    if (close === ']') {
      const item = inFlow(plain, at, depth);
      items.push(item);
      at = skipBlanks(text, item.end);
    } else {
      const pair = flowPair(plain, at, depth);
      if (pairs.has(pair.key)) throw new Unusual();
      pairs.set(pair.key, pair);
      at = skipBlanks(text, pair.value.end);
    }
    if (text[at] === close) break;
    if (text[at] !== ',') throw new Unusual();
    at = skipBlanks(text, at + 1);
    if (text[at] === close) throw new Unusual();
  }
  const end = at + 1;
  if (close === ']') return { type: 'list', start, end, at: place, items };
  return { type: 'map', start, end, at: place, pairs: [...pairs.values()] };
}

function flowPair(plain: PlainText, at: number, depth: number): YamlPair {
  FLOW_KEY.lastIndex = at;
  const [whole = '', key] = FLOW_KEY.exec(plain.source.text) ?? [];
  if (key === undefined) throw new Unusual();
  return { key, keySpan: spanOf(plain, at, at + key.length), value: inFlow(plain, at + whole.length, depth) };
}

function inFlow(plain: PlainText, start: number, depth: number): YamlNode {
  const { text } = plain.source;
  const first = text[start];
  if (first === '[' || first === '{') return flow(plain, start, depth + 1);
  const node = first === '"' || first === "'" ? quoted(plain, start) : flowBare(plain, start);
  if (!',]}'.includes(text[skipBlanks(text, node.end)] ?? '\n')) throw new Unusual();
  return node;
}

function flowBare(plain: PlainText, start: number): YamlScalar {
  FLOW_PLAIN.lastIndex = start;
  const written = FLOW_PLAIN.exec(plain.source.text)?.[0].trimEnd();
  if (written === undefined || /^-( |$)/.test(written)) throw new Unusual();
  return bare(plain, start, start + written.length);
}
