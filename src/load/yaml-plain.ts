/** Reads YAML of the plain shape that most pipeline files have, ten times as fast as the library, to the same tree. */
import type { Source } from './text.js';
import { traceScalar } from './yaml-offsets.js';
import {
  bare,
  countNode,
  flow,
  type PlainText,
  quoted,
  scalar,
  skipBlanks,
  spanOf,
  Unusual,
} from './yaml-plain-values.js';
import type { YamlList, YamlMap, YamlNode, YamlPair, YamlScalar } from './yaml-tree.js';

/** As for nodes: more are the library's. */
const MAX_LINES = 25_000;

/** Tabs, carriage returns and other controls. */
const UNUSUAL = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/;
const KEY = /([A-Za-z_][\w./-]{0,200}):(?=[ \n]|$)/y;
const BLOCK_HEADER = /([|>])([+-]?) *(?=\n)/y;

/** Undefined for an empty file, one with a mistake, or one that holds anything else than plain mappings, lists and values. */
export function readPlainYaml(source: Source): YamlMap | undefined {
  if (UNUSUAL.test(source.text)) return undefined;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return read(linesOf(source));
  } catch (error) {
    if (error instanceof Unusual) return undefined;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** A text and the place that was reached in it. */
interface Lines extends PlainText {
  readonly text: string;
  /** Where each line begins. */
  readonly starts: readonly number[];
  /** The line that is read next. */
  line: number;
  /** Of that line; -1 behind the last one. */
  indent: number;
}

function linesOf(source: Source): Lines {
  const { text } = source;
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  if (starts.length > MAX_LINES) throw new Unusual();
  return { source, text, starts, nodes: 0, line: 0, indent: -1 };
}

function read(lines: Lines): YamlMap {
  seek(lines, 0);
  if (lines.indent !== 0) throw new Unusual();
  const root = map(lines, 0, 0);
  if (lines.line < lines.starts.length) throw new Unusual();
  return root;
}

/** Goes on to the next line that holds more than a comment. */
function seek(lines: Lines, from: number): void {
  const { text, starts } = lines;
  for (lines.line = from; lines.line < starts.length; lines.line++) {
    const start = starts[lines.line] ?? 0;
    const at = skipBlanks(text, start);
    if (at >= text.length || text[at] === '\n' || text[at] === '#') continue;
    lines.indent = at - start;
    return;
  }
  lines.indent = -1;
}

function lineStart(lines: Lines, on = lines.line): number {
  return lines.starts[on] ?? 0;
}

function lineEnd({ text, starts }: Lines, on: number): number {
  return on + 1 < starts.length ? (starts[on + 1] ?? 0) - 1 : text.length;
}

function isItem(text: string, at: number): boolean {
  return text[at] === '-' && text[at + 1] === ' ';
}

function map(lines: Lines, column: number, depth: number): YamlMap {
  countNode(lines, depth);
  const pairs = new Map<string, YamlPair>();
  const start = lineStart(lines) + column;
  const at = lines.source.position(start);
  do {
    const pair = blockPair(lines, column, depth);
    if (pairs.has(pair.key)) throw new Unusual();
    pairs.set(pair.key, pair);
  } while (lines.indent === column && !isItem(lines.text, lineStart(lines) + column));
  if (lines.indent > column) throw new Unusual();
  const all = [...pairs.values()];
  const end = all.at(-1)?.value.end ?? start;
  return { type: 'map', start, end, at, pairs: all };
}

function blockPair(lines: Lines, column: number, depth: number): YamlPair {
  const { text } = lines;
  const start = lineStart(lines) + column;
  KEY.lastIndex = start;
  const key = KEY.exec(text)?.[1];
  if (key === undefined) throw new Unusual();
  const keySpan = spanOf(lines, start, start + key.length);
  const valueAt = skipBlanks(text, keySpan.end + 1);
  const isBelow = valueAt >= lineEnd(lines, lines.line) || text[valueAt] === '#';
  if (!isBelow) return { key, keySpan, value: inline(lines, valueAt, column, depth) };
  seek(lines, lines.line + 1);
  const { indent } = lines;
  const isList = isItem(text, lineStart(lines) + indent);
  if (indent < column || (indent === column && !isList)) throw new Unusual();
  return { key, keySpan, value: isList ? list(lines, indent, depth + 1) : map(lines, indent, depth + 1) };
}

function list(lines: Lines, column: number, depth: number): YamlList {
  countNode(lines, depth);
  const { text } = lines;
  const items: YamlNode[] = [];
  const start = lineStart(lines) + column;
  const at = lines.source.position(start);
  do {
    const itemAt = skipBlanks(text, lineStart(lines) + column + 1);
    if (isItem(text, itemAt) || text[itemAt] === '#' || itemAt >= lineEnd(lines, lines.line)) throw new Unusual();
    KEY.lastIndex = itemAt;
    const isMap = KEY.test(text);
    items.push(isMap ? map(lines, itemAt - lineStart(lines), depth + 1) : inline(lines, itemAt, column, depth));
  } while (lines.indent === column && isItem(text, lineStart(lines) + column));
  if (lines.indent > column) throw new Unusual();
  const end = items.at(-1)?.end ?? start;
  return { type: 'list', start, end, at, items };
}

/** A value that begins behind a key or a dash; reads on to the next line. */
function inline(lines: Lines, start: number, parent: number, depth: number): YamlNode {
  const { text } = lines;
  const first = text[start] ?? '';
  if (first === '|' || first === '>') return block(lines, start, parent);
  const end = lineEnd(lines, lines.line);
  let node: YamlNode;
  if (first === '[' || first === '{') node = flow(lines, start, depth + 1);
  else if (first === '"' || first === "'") node = quoted(lines, start);
  else {
    const written = text.slice(start, end).trimEnd();
    if (/^[-?:] |^[-?:]$|^[,\]}#&*!%@`]|: | #|:$/.test(written)) throw new Unusual();
    node = bare(lines, start, start + written.length);
  }
  if (!/^ *$|^ +#/.test(text.slice(node.end, end))) throw new Unusual();
  seek(lines, lines.line + 1);
  if (lines.indent > parent) throw new Unusual();
  return node;
}

function block(lines: Lines, start: number, parent: number): YamlScalar {
  const { text, starts, line } = lines;
  BLOCK_HEADER.lastIndex = start;
  const [header] = BLOCK_HEADER.exec(text) ?? [];
  if (header === undefined) throw new Unusual();
  let trim: number | undefined;
  let after = line + 1;
  let last = line;
  for (; after < starts.length; after++) {
    const begin = lineStart(lines, after);
    const at = skipBlanks(text, begin);
    if (at >= lineEnd(lines, after)) {
      if (at > begin) throw new Unusual();
      continue;
    }
    if (at - begin <= parent || (trim !== undefined && at - begin < trim)) break;
    trim ??= at - begin;
    last = after;
  }
  if (trim === undefined) throw new Unusual();
  const end = starts[header.includes('+') ? after : last + 1] ?? text.length;
  const style = text[start] === '|' ? 'literal' : 'folded';
  const shape = { header: header.trimEnd(), headerLength: header.length + 1, indent: parent };
  const isPlain = style === 'literal' && !header.includes('+');
  const traced = isPlain ? undefined : traceScalar(style, text.slice(start, end), shape);
  const value = traced?.value ?? trimmed(lines, last, trim) + (header.includes('-') ? '' : '\n');
  const node = scalar(lines, value, style, start, end, { shape, traced });
  seek(lines, after);
  return node;
}

/** The lines after the current one, up to the last of a block, without its indentation. */
function trimmed(lines: Lines, last: number, trim: number): string {
  const all: string[] = [];
  for (let on = lines.line + 1; on <= last; on++) {
    const end = lineEnd(lines, on);
    all.push(lines.text.slice(Math.min(lineStart(lines, on) + trim, end), end));
  }
  return all.join('\n');
}
