/** Reads YAML of the plain shape that most pipeline files have, ten times as fast as the library, to the same tree. */
import type { Position } from '../core/problems.js';
import type { Source } from './text.js';
import { type BlockShape, type Traced, traceScalar } from './yaml-offsets.js';
import type { ScalarStyle, YamlList, YamlMap, YamlNode, YamlPair, YamlScalar } from './yaml-tree.js';

/** Deeper or larger files are the library's, which says what is too much. */
const MAX_DEPTH = 40;
const MAX_NODES = 60_000;

/** Tabs, carriage returns and other controls. */
const UNUSUAL = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/;
const KEY = /([A-Za-z_][\w./-]{0,200}):(?=[ \n]|$)/y;
const FLOW_KEY = /([A-Za-z_][\w./-]{0,200}): +/y;
/** Without quotes, brackets, parentheses and whatever else might mean something. */
const FLOW_PLAIN = /[A-Za-z0-9_./$+-][\w./$+\-= <>;~^|&*%@!?]*/y;
const BLOCK_HEADER = /([|>])([+-]?) *(?=\n)/y;
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/;
/** What YAML reads as something else than a text. */
const TYPED =
  /^(~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

class Unusual extends Error {}

/** Undefined for an empty file, one with a mistake, or one that holds anything else than plain mappings, lists and values. */
export function readPlainYaml(source: Source): YamlMap | undefined {
  const { text } = source;
  if (UNUSUAL.test(text)) return undefined;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return read(source);
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function read(source: Source): YamlMap {
  const { text, file } = source;
  const starts: number[] = [];
  for (let at = 0; at <= text.length; at = endOf(at) + 1) starts.push(at);
  let nodes = 0;
  /** The line that is read next. */
  let line = 0;
  let indent = -1;

  function endOf(start: number): number {
    const newline = text.indexOf('\n', start);
    return newline === -1 ? text.length : newline;
  }

  /** Goes on to the next line that holds more than a comment; its indent is -1 behind the last one. */
  const seek = (from: number): void => {
    for (line = from; line < starts.length; line++) {
      const start = starts[line] ?? 0;
      let at = start;
      while (text[at] === ' ') at++;
      if (at >= text.length || text[at] === '\n' || text[at] === '#') continue;
      indent = at - start;
      return;
    }
    indent = -1;
  };

  const place = (on: number, offset: number): Position => ({
    file,
    line: on + 1,
    column: offset - (starts[on] ?? 0) + 1,
  });
  const isItem = (at: number): boolean => text[at] === '-' && text[at + 1] === ' ';
  const lineEnd = (on: number): number => (on + 1 < starts.length ? (starts[on + 1] ?? 0) - 1 : text.length);

  const scalar = (
    value: YamlScalar['value'],
    style: ScalarStyle,
    on: number,
    start: number,
    end: number,
    shape?: BlockShape,
    known?: Traced,
  ): YamlScalar => {
    if (++nodes > MAX_NODES) throw new Unusual();
    const at = place(on, start);
    if (typeof value !== 'string') return { type: 'scalar', value, style, start, end, at, locate: () => at };
    let traced = known;
    const locate = (offset: number): Position => {
      traced ??= traceScalar(style, text.slice(start, end), shape);
      const inSource = traced.value === value ? (traced.offsets[Math.min(offset, traced.offsets.length - 1)] ?? 0) : 0;
      return source.position(start + inSource);
    };
    return { type: 'scalar', value, style, start, end, at, locate };
  };

  const plain = (on: number, start: number, end: number): YamlScalar => {
    const written = text.slice(start, end);
    if (written === 'true' || written === 'false') return scalar(written === 'true', 'plain', on, start, end);
    if (NUMBER.test(written) && written !== '-0') return scalar(Number(written), 'plain', on, start, end);
    if (TYPED.test(written)) throw new Unusual();
    return scalar(written, 'plain', on, start, end);
  };

  /** With its quotes; it ends in its line. */
  const quoted = (on: number, start: number): YamlScalar => {
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
    if (quote === "'") return scalar(inner.replaceAll("''", "'"), 'single', on, start, at + 1);
    if (!inner.includes('\\')) return scalar(inner, 'double', on, start, at + 1);
    if (/\\[^"\\/bfnrt]/.test(inner.replaceAll('\\\\', ''))) throw new Unusual();
    return scalar(JSON.parse(`"${inner}"`) as string, 'double', on, start, at + 1);
  };

  const skipBlanks = (from: number): number => {
    let at = from;
    while (text[at] === ' ') at++;
    return at;
  };

  /** A value inside of { } or [ ]. */
  const inFlow = (on: number, start: number, depth: number): YamlNode => {
    const first = text[start];
    if (first === '[' || first === '{') return flow(on, start, depth + 1);
    const node = first === '"' || first === "'" ? quoted(on, start) : flowPlain(on, start);
    if (!',]}'.includes(text[skipBlanks(node.end)] ?? '\n')) throw new Unusual();
    return node;
  };

  const flowPlain = (on: number, start: number): YamlScalar => {
    FLOW_PLAIN.lastIndex = start;
    const written = FLOW_PLAIN.exec(text)?.[0].trimEnd();
    if (written === undefined || /^-( |$)/.test(written)) throw new Unusual();
    return plain(on, start, start + written.length);
  };

  const flow = (on: number, start: number, depth: number): YamlMap | YamlList => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw new Unusual();
    const close = text[start] === '[' ? ']' : '}';
    const items: YamlNode[] = [];
    const pairs = new Map<string, YamlPair>();
    let at = skipBlanks(start + 1);
    while (text[at] !== close) {
      if (close === ']') {
        const item = inFlow(on, at, depth);
        items.push(item);
        at = skipBlanks(item.end);
      } else {
        const pair = flowPair(on, at, depth);
        if (pairs.has(pair.key)) throw new Unusual();
        pairs.set(pair.key, pair);
        at = skipBlanks(pair.value.end);
      }
      if (text[at] === close) break;
      if (text[at] !== ',') throw new Unusual();
      at = skipBlanks(at + 1);
      if (text[at] === close) throw new Unusual();
    }
    const span = { start, end: at + 1, at: place(on, start) };
    return close === ']' ? { type: 'list', ...span, items } : { type: 'map', ...span, pairs: [...pairs.values()] };
  };

  const flowPair = (on: number, at: number, depth: number): YamlPair => {
    FLOW_KEY.lastIndex = at;
    const [whole = '', key] = FLOW_KEY.exec(text) ?? [];
    if (key === undefined) throw new Unusual();
    const keySpan = { start: at, end: at + key.length, at: place(on, at) };
    return { key, keySpan, value: inFlow(on, at + whole.length, depth) };
  };

  /** Without their indentation, up to the last one that is not empty. */
  const linesOf = (from: number, to: number, trim: number): string[] => {
    const lines: string[] = [];
    for (let on = from; on < to; on++)
      lines.push(text.slice(Math.min((starts[on] ?? 0) + trim, lineEnd(on)), lineEnd(on)));
    return lines.slice(0, lines.findLastIndex((each) => each !== '') + 1);
  };

  const block = (on: number, start: number, parent: number): YamlScalar => {
    BLOCK_HEADER.lastIndex = start;
    const [header] = BLOCK_HEADER.exec(text) ?? [];
    if (header === undefined) throw new Unusual();
    let trim: number | undefined;
    let last = on + 1;
    for (; last < starts.length; last++) {
      const begin = starts[last] ?? 0;
      const at = skipBlanks(begin);
      if (at >= lineEnd(last)) {
        if (at > begin) throw new Unusual();
        continue;
      }
      if (at - begin <= parent || (trim !== undefined && at - begin < trim)) break;
      trim ??= at - begin;
    }
    if (trim === undefined) throw new Unusual();
    const end = Math.min(text.length, starts[last] ?? text.length);
    const style = text[start] === '|' ? 'literal' : 'folded';
    const shape = { header: header.trimEnd(), headerLength: header.length + 1, indent: parent };
    const lines = style === 'literal' && !header.includes('+') ? linesOf(on + 1, last, trim) : undefined;
    const traced = lines ? undefined : traceScalar(style, text.slice(start, end), shape);
    const value = traced?.value ?? `${lines?.join('\n')}${header.includes('-') ? '' : '\n'}`;
    const node = scalar(value, style, on, start, end, shape, traced);
    seek(last);
    return node;
  };

  /** A value that begins behind a key or a dash; reads on to the next line. */
  const inline = (start: number, parent: number, depth: number): YamlNode => {
    const on = line;
    const first = text[start] ?? '';
    if (first === '|' || first === '>') return block(on, start, parent);
    const end = lineEnd(on);
    let node: YamlNode;
    if (first === '[' || first === '{') node = flow(on, start, depth + 1);
    else if (first === '"' || first === "'") node = quoted(on, start);
    else {
      const written = text.slice(start, end).trimEnd();
      if (/^[-?:] |^[-?:]$|^[,\]}#&*!%@`]|: | #|:$/.test(written)) throw new Unusual();
      node = plain(on, start, start + written.length);
    }
    const rest = text.slice(node.end, end);
    if (!/^ *$|^ +#/.test(rest)) throw new Unusual();
    seek(on + 1);
    if (indent > parent) throw new Unusual();
    return node;
  };

  const map = (column: number, depth: number): YamlMap => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw new Unusual();
    const pairs = new Map<string, YamlPair>();
    const first = (starts[line] ?? 0) + column;
    const at = place(line, first);
    do {
      const pair = blockPair((starts[line] ?? 0) + column, column, depth);
      if (pairs.has(pair.key)) throw new Unusual();
      pairs.set(pair.key, pair);
    } while (indent === column && !isItem((starts[line] ?? 0) + column));
    if (indent > column) throw new Unusual();
    const all = [...pairs.values()];
    return { type: 'map', start: first, end: all.at(-1)?.value.end ?? first, at, pairs: all };
  };

  const blockPair = (start: number, column: number, depth: number): YamlPair => {
    KEY.lastIndex = start;
    const key = KEY.exec(text)?.[1];
    if (key === undefined) throw new Unusual();
    const keySpan = { start, end: start + key.length, at: place(line, start) };
    const valueAt = skipBlanks(keySpan.end + 1);
    const isBelow = valueAt >= lineEnd(line) || text[valueAt] === '#';
    if (!isBelow) return { key, keySpan, value: inline(valueAt, column, depth) };
    seek(line + 1);
    const below = (starts[line] ?? 0) + indent;
    if (indent < column || (indent === column && !isItem(below))) throw new Unusual();
    return { key, keySpan, value: isItem(below) ? list(indent, depth + 1) : map(indent, depth + 1) };
  };

  const list = (column: number, depth: number): YamlList => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw new Unusual();
    const items: YamlNode[] = [];
    const first = (starts[line] ?? 0) + column;
    const at = place(line, first);
    do {
      const start = skipBlanks((starts[line] ?? 0) + column + 1);
      if (isItem(start) || text[start] === '#' || start >= lineEnd(line)) throw new Unusual();
      KEY.lastIndex = start;
      items.push(KEY.test(text) ? map(start - (starts[line] ?? 0), depth + 1) : inline(start, column, depth));
    } while (indent === column && isItem((starts[line] ?? 0) + column));
    if (indent > column) throw new Unusual();
    return { type: 'list', start: first, end: items.at(-1)?.end ?? first, at, items };
  };

  seek(0);
  if (indent !== 0) throw new Unusual();
  const root = map(0, 0);
  if (line < starts.length) throw new Unusual();
  return root;
}
