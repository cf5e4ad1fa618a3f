/** Values that YAML misreads because they are not quoted: finds them in a line that did not parse. */
import type { Problem } from '../core/problems.js';

export interface Suspect {
  /** Offsets into the text: the whole value that should stand in single quotes. */
  readonly start: number;
  readonly end: number;
}

const BLOCK_VALUE =
  /^([ \t]*(?:- +)*(?:"[^"\n]*"|'[^'\n]*'|[^\s'"#:{}[\],&*!|>%@`][^:#{}[\],\n]*?)[ \t]*:[ \t]+)(\S.*)$/;
const LIST_ITEM = /^([ \t]*(?:- +)+)(\S.*)$/;
const FLOW_KEY = /(?:"[^"\n]*"|'[^'\n]*'|[^\s'":{}[\],]+)\s*:\s+/y;

/** The values around `offset` that may be meant, innermost first. */
export function suspectsAt(text: string, offset: number): Suspect[] {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const newline = text.indexOf('\n', lineStart);
  const lineEnd = newline === -1 ? text.length : newline;
  const line = text.slice(lineStart, lineEnd).replace(/\r$/, '');
  if (line.length > 5_000) return [];
  const block = BLOCK_VALUE.exec(line) ?? LIST_ITEM.exec(line);
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  const valueStart = block ? (block[1] ?? '').length : indent;
  const isFlow = !block || line[valueStart] === '{' || line[valueStart] === '[';
  const whole = block ? [{ start: valueStart, end: endOfValue(line, valueStart) }] : [];
  const parts = flowValues(line, isFlow ? valueStart : indent);
  const inLine = isFlow ? [...parts, ...whole] : [...whole, ...parts];
  // The brackets around a quote that is never closed are in it.
  const bounded = inLine.filter(
    (one) => one === whole[0] || whole.length === 0 || !isOpenQuote(line.slice(one.start, one.end)),
  );
  const suspects = bounded.map(({ start, end }) => ({ start: start + lineStart, end: end + lineStart }));
  return suspects.filter(({ start, end }) => end > start && start <= offset + 1 && !isQuoted(text.slice(start, end)));
}

/** The scalar values of flow collections in one line, cut as a reader would: past commas in parentheses, strings, `${{ }}`. */
function flowValues(line: string, from: number): Suspect[] {
  const values: Suspect[] = [];
  let at = from;
  while (at < line.length) {
    const character = line[at] ?? '';
    if (/[\s,{}[\]]/.test(character)) {
      at++;
      continue;
    }
    if (character === '#' && /\s/.test(line[at - 1] ?? ' ')) break;
    FLOW_KEY.lastIndex = at;
    const key = FLOW_KEY.exec(line);
    if (key) {
      at += key[0].length;
      if (line[at] === '{' || line[at] === '[') continue;
    }
    const end = endOfFlowValue(line, at);
    if (end > at) values.push({ start: at, end: trimmedEnd(line, at, end) });
    at = Math.max(end, at + 1);
  }
  return values;
}

function endOfFlowValue(line: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < line.length) {
    const character = line[at] ?? '';
    if (character === '"' || character === "'") {
      const close = closingQuote(line, at);
      if (close === -1) return at === from ? line.length : at;
      at = close + 1;
      continue;
    }
    if (line.startsWith('${{', at)) {
      const close = endOfExpression(line, at + 3);
      if (close === -1) return line.length;
      at = close;
      continue;
    }
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) {
      if (depth === 0) return at;
      depth--;
    } else if (character === ',' && depth === 0) return at;
    at++;
  }
  return at;
}

/** Behind the `}}` that is neither in a text of CEL nor of a map's literal; -1 if there is none. */
function endOfExpression(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length; at++) {
    const character = line[at];
    if (character === '"' || character === "'") {
      const close = closingQuote(line, at, true);
      if (close === -1) return -1;
      at = close;
    } else if (character === '{') depth++;
    else if (character === '}') {
      if (depth === 0 && line[at + 1] === '}') return at + 2;
      if (depth > 0) depth--;
    }
  }
  return -1;
}

function closingQuote(line: string, at: number, isCel = false): number {
  const quote = line[at];
  for (let i = at + 1; i < line.length; i++) {
    if (line[i] === '\\' && (isCel || quote === '"')) i++;
    else if (line[i] === quote) return i;
  }
  return -1;
}

/** Before a comment, which begins after a blank and outside of quotes. */
function endOfValue(line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    const character = line[at];
    if (character === '"' || character === "'") {
      const close = closingQuote(line, at);
      if (close !== -1) at = close;
    } else if (character === '#' && /[ \t]/.test(line[at - 1] ?? '')) return trimmedEnd(line, from, at);
  }
  return trimmedEnd(line, from, line.length);
}

function trimmedEnd(line: string, from: number, end: number): number {
  let at = end;
  while (at > from && /\s/.test(line[at - 1] ?? '')) at--;
  return at;
}

function isQuoted(value: string): boolean {
  return value.length > 1 && /^["']$/.test(value[0] ?? '') && closingQuote(value, 0) === value.length - 1;
}

function singleQuoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Where a quote begins that nothing closes: the value's own, or one in its brackets. */
function openQuote(value: string): number | undefined {
  if (isOpenQuote(value)) return 0;
  if (!/^[[{]/.test(value)) return undefined;
  for (let at = 0; at < value.length; at++) {
    if (!/["']/.test(value[at] ?? '') || /\w/.test(value[at - 1] ?? '')) continue;
    const close = closingQuote(value, at);
    if (close === -1) return at;
    at = close;
  }
  return undefined;
}

function isOpenQuote(value: string): boolean {
  return /^["']/.test(value) && closingQuote(value, 0) === -1;
}

/** Names the trap that this value is. `quoted`: the value in the quotes that were surely meant. `at`: where in it, if not at its beginning. */
export function trapOf(
  value: string,
  inFlow: boolean,
): Pick<Problem, 'rule' | 'message' | 'hint'> & { readonly quoted?: string; readonly at?: number } {
  const open = openQuote(value);
  if (open !== undefined) {
    return {
      rule: 'yaml-quote',
      message: 'This quote is never closed.',
      hint: 'Close it at the end of the value.',
      at: open,
    };
  }
  const inner = quotesInQuotes(value);
  if (inner === undefined) return { ...unquotedTrap(value, inFlow), quoted: singleQuoted(value) };
  const quoted = singleQuoted(inner);
  return {
    rule: 'yaml-quote',
    message: 'A quote inside the value ends it.',
    hint: `Write single quotes around it, and double those inside: ${quoted}`,
    quoted,
  };
}

/** What stands between the outer quotes of `'a == 'b''`; undefined for `"a" == "b"`, which has none. */
function quotesInQuotes(value: string): string | undefined {
  const quote = value[0] ?? '';
  if ((quote !== '"' && quote !== "'") || !value.endsWith(quote)) return undefined;
  const next = value[closingQuote(value, 0) + 1] ?? '';
  return /[\w$]/.test(next) ? value.slice(1, -1) : undefined;
}

function unquotedTrap(value: string, inFlow: boolean): Pick<Problem, 'rule' | 'message' | 'hint'> {
  const shown = value.length > 60 ? `${value.slice(0, 57)}…` : value;
  const hint = `Put the expression in single quotes: ${singleQuoted(shown)}`;
  const first = value[0] ?? '';
  if (first === '!')
    return { rule: 'yaml-tag', message: `YAML reads "${value.split(/\s/)[0]}" as a tag, not as an expression.`, hint };
  if (first === '"' || first === "'")
    return { rule: 'yaml-quote', message: 'There is text after the closing quote.', hint };
  if (inFlow && value.includes('${{')) {
    return { rule: 'yaml-braces', message: 'Inside { } or [ ], YAML reads the braces of ${{ }} as its own.', hint };
  }
  if (inFlow && value.includes(','))
    return { rule: 'yaml-comma', message: `Inside { } or [ ], the comma cuts "${shown}" in two.`, hint };
  if (first === '[' || first === '{') {
    return {
      rule: 'yaml-indicator',
      message: `YAML reads "${first}" as the start of a collection, and there is text after it.`,
      hint,
    };
  }
  if (/:(\s|$)/.test(value))
    return { rule: 'yaml-colon', message: `YAML reads the ": " in "${shown}" as a mapping.`, hint };
  const message = /^[\w(-]/.test(first)
    ? `Inside { } or [ ], YAML reads the brackets of "${shown}" as its own.`
    : `A plain YAML value cannot begin with "${first}".`;
  return { rule: 'yaml-indicator', message, hint };
}
