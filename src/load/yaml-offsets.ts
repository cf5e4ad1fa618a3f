/** Where each character of a YAML scalar's value stands in the source. */
import type { ScalarStyle } from './yaml-tree.js';

export interface BlockShape {
  /** Characters from the scalar's start to its first line. */
  readonly headerLength: number;
  /** The indicator, such as `|2-`. */
  readonly header: string;
  /** Indentation of the parent. */
  readonly indent: number;
}

export interface Traced {
  readonly value: string;
  /** For each UTF-16 code unit of `value`, and for its end, an offset into `source`. */
  readonly offsets: readonly number[];
}

/** @param source the scalar as it stands in the file, with quotes or block header */
export function traceScalar(style: ScalarStyle, source: string, block?: BlockShape): Traced {
  const trace = tracer();
  if (style === 'plain') foldLines(source, 0, source.length, trace);
  else if (style === 'single') traceSingle(source, trace);
  else if (style === 'double') traceDouble(source, trace);
  else if (block) traceBlock(style, source, block, trace);
  return trace.finish(source.length);
}

interface Tracer {
  push(text: string, offset: number): void;
  /** Consecutive characters of the source. */
  copy(source: string, from: number, to: number): void;
  finish(end: number): Traced;
}

function tracer(): Tracer {
  const parts: string[] = [];
  const offsets: number[] = [];
  return {
    push(text, offset) {
      parts.push(text);
      for (let i = 0; i < text.length; i++) offsets.push(offset);
    },
    copy(source, from, to) {
      if (to <= from) return;
      parts.push(source.slice(from, to));
      for (let i = from; i < to; i++) offsets.push(i);
    },
    finish(end) {
      const last = offsets.at(-1);
      return { value: parts.join(''), offsets: [...offsets, last === undefined ? end : last + 1] };
    },
  };
}

/** Line folding of plain and single-quoted scalars. */
function foldLines(source: string, from: number, to: number, trace: Tracer): void {
  const lines = splitLines(source, from, to);
  let breakAt = from;
  let emptyLines = 0;
  lines.forEach((line, index) => {
    const isFirst = index === 0;
    const isLast = index === lines.length - 1;
    let { start, end } = line;
    if (!isFirst) while (start < end && isBlank(source[start])) start++;
    if (!isLast) while (end > start && isBlank(source[end - 1])) end--;
    if (isFirst) {
      trace.copy(source, start, end);
    } else if (start === end && !isLast) {
      emptyLines++;
      return;
    } else {
      if (emptyLines === 0) trace.push(' ', breakAt);
      else trace.push('\n'.repeat(emptyLines), breakAt);
      emptyLines = 0;
      trace.copy(source, start, end);
    }
    breakAt = end;
  });
}

function splitLines(source: string, from: number, to: number): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let start = from;
  for (let at = source.indexOf('\n', from); at !== -1 && at < to; at = source.indexOf('\n', at + 1)) {
    lines.push({ start, end: source[at - 1] === '\r' && at > start ? at - 1 : at });
    start = at + 1;
  }
  lines.push({ start, end: to });
  return lines;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function traceSingle(source: string, trace: Tracer): void {
  const folded = tracer();
  foldLines(source, 1, source.length - 1, folded);
  const { value, offsets } = folded.finish(source.length);
  for (let i = 0; i < value.length; i++) {
    trace.push(value[i] ?? '', offsets[i] ?? 0);
    if (value[i] === "'" && value[i + 1] === "'") i++;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  '\t': '\t',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function traceDouble(source: string, trace: Tracer): void {
  const end = source.length - 1;
  let i = 1;
  while (i < end) {
    const character = source[i] ?? '';
    if (character === '\\') i = traceEscape(source, i, trace);
    else if (character === '\n' || (character === '\r' && source[i + 1] === '\n')) i = traceBreak(source, i, trace);
    else if (isBlank(character)) {
      let after = i;
      while (isBlank(source[after])) after++;
      const atBreak = source[after] === '\n' || (source[after] === '\r' && source[after + 1] === '\n');
      if (!atBreak) trace.copy(source, i, Math.min(after, end));
      i = after;
    } else {
      trace.push(character, i);
      i++;
    }
  }
}

/** @returns where to go on */
function traceEscape(source: string, at: number, trace: Tracer): number {
  const next = source[at + 1] ?? '';
  const simple = ESCAPES[next];
  if (simple !== undefined) {
    trace.push(simple, at);
    return at + 2;
  }
  if (next === '\n' || (next === '\r' && source[at + 2] === '\n')) {
    let after = at + (next === '\n' ? 2 : 3);
    while (isBlank(source[after])) after++;
    return after;
  }
  const digits = HEX_DIGITS[next];
  if (digits === undefined) {
    trace.push(source.slice(at, at + 2), at);
    return at + 2;
  }
  const code = Number.parseInt(source.slice(at + 2, at + 2 + digits), 16);
  trace.push(code <= 0x10ffff ? String.fromCodePoint(code) : source.slice(at, at + 2 + digits), at);
  return at + 2 + digits;
}

function traceBreak(source: string, at: number, trace: Tracer): number {
  let after = at;
  let breaks = 0;
  while (isBlank(source[after]) || source[after] === '\n' || (source[after] === '\r' && source[after + 1] === '\n')) {
    if (source[after] === '\n') breaks++;
    after++;
  }
  trace.push(breaks > 1 ? '\n'.repeat(breaks - 1) : ' ', at);
  return after;
}

interface BlockLine {
  readonly start: number;
  readonly indent: number;
  readonly content: string;
}

function traceBlock(style: ScalarStyle, source: string, block: BlockShape, trace: Tracer): void {
  const lines: BlockLine[] = splitLines(source, block.headerLength, source.length).map(({ start, end }) => {
    let indent = 0;
    while (start + indent < end && source[start + indent] === ' ') indent++;
    return { start, indent, content: source.slice(start + indent, end) };
  });
  const digit = Number(/[1-9]/.exec(block.header)?.[0] ?? 0);
  const first = lines.findIndex((line) => line.content !== '');
  if (first === -1) {
    if (block.header.includes('+') && source.length > block.headerLength) {
      trace.push('\n'.repeat(Math.max(1, lines.length - 1)), block.headerLength);
    }
    return;
  }
  const trim = digit ? block.indent + digit : (lines[first]?.indent ?? 0);
  let last = lines.findLastIndex((line) => line.content !== '') + 1;
  for (let i = lines.length - 1; i >= last; i--) if ((lines[i]?.indent ?? 0) > trim) last = i + 1;
  const text = (line: BlockLine) =>
    trace.copy(source, line.start + Math.min(trim, line.indent), line.start + line.indent + line.content.length);
  for (const line of lines.slice(0, first)) {
    text(line);
    trace.push('\n', line.start + line.indent);
  }
  const body = lines.slice(first, last);
  if (style === 'literal') {
    body.forEach((line, index) => {
      if (index > 0) trace.push('\n', line.start - 1);
      text(line);
    });
  } else foldBlock(body, trim, trace, text);
  const tail = lines.slice(last);
  const end = body.at(-1);
  const endAt = end ? end.start + end.indent + end.content.length : source.length;
  if (block.header.includes('-')) return;
  if (!block.header.includes('+')) {
    trace.push('\n', endAt);
    return;
  }
  for (const line of tail) {
    trace.push('\n', line.start - 1);
    text(line);
  }
  if (tail.length === 0) trace.push('\n', endAt);
}

function foldBlock(body: readonly BlockLine[], trim: number, trace: Tracer, text: (line: BlockLine) => void): void {
  let separator = '';
  let wasMoreIndented = false;
  for (const line of body) {
    const before = Math.max(0, line.start - 1);
    if (line.indent > trim || line.content.startsWith('\t')) {
      if (separator === ' ') separator = '\n';
      else if (!wasMoreIndented && separator === '\n') separator = '\n\n';
      trace.push(separator, before);
      text(line);
      separator = '\n';
      wasMoreIndented = true;
    } else if (line.content === '') {
      if (separator === '\n') trace.push('\n', before);
      else separator = '\n';
    } else {
      trace.push(separator, before);
      text(line);
      separator = ' ';
      wasMoreIndented = false;
    }
  }
}
