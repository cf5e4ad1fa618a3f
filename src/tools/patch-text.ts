/** Replaces the one occurrence of a passage in a text, with the text's own line ends. */

export type Patched =
  | {
      readonly type: 'patched';
      readonly content: string;
      /** Of the passage's start, from 1. */
      readonly line: number;
      readonly removedLines: number;
      readonly addedLines: number;
    }
  | { readonly type: 'problem'; readonly text: string };

const MAX_COMPARED_LINES = 20_000;
const MAX_SHOWN = 160;
/** Of a passage that is there more than once: how often, and at which lines. */
const MAX_COUNTED = 1_000;
const MAX_LISTED = 10;

/** `find` and `replace` may have either kind of line end. A byte order mark stays where it is. */
export function patchText(source: string, find: string, replace: string): Patched {
  if (find === '')
    return problem('`find` is empty. Give the text to replace, or write the whole file with write_file.');
  const mark = source.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = source.slice(mark.length);
  const wanted = find.startsWith('\uFEFF') ? find.slice(1) : find;
  const end = lineEnd(body);
  const passage = end === undefined ? wanted : withLineEnd(wanted, end);
  const added = end === undefined ? replace : withLineEnd(replace, end);
  if (passage === added) return problem('`find` and `replace` are the same; nothing would change.');

  const start = passage === '' ? -1 : body.indexOf(passage);
  if (start < 0)
    return problem(
      `\`find\` does not occur in the file. ${nearestLine(body, wanted)}Read the file again and copy the text exactly.`,
    );
  const second = body.indexOf(passage, start + 1);
  if (second >= 0) {
    const { times, lines } = occurrences(body, passage);
    return problem(
      `\`find\` occurs ${times} times, at lines ${lines}. Give more of the lines around the one you mean.`,
    );
  }
  return {
    type: 'patched',
    content: mark + body.slice(0, start) + added + body.slice(start + passage.length),
    line: lineOf(body, start),
    removedLines: countLines(passage),
    addedLines: countLines(added),
  };
}

/** The one kind of line end that a text has; undefined if it has both, or none. */
function lineEnd(body: string): '\n' | '\r\n' | undefined {
  const crlf = body.split('\r\n').length - 1;
  const lf = body.split('\n').length - 1 - crlf;
  if (crlf > 0 && lf === 0) return '\r\n';
  if (lf > 0 && crlf === 0) return '\n';
  return undefined;
}

/** A text that begins or ends within a line end is meant to have all of it. */
function withLineEnd(text: string, end: '\n' | '\r\n'): string {
  return text.replace(end === '\n' ? /\r?\n/g : /\r?\n|\r$/g, () => end);
}

function nearestLine(body: string, find: string): string {
  const wanted = find.split(/\r?\n/).find((line) => line.trim() !== '');
  if (wanted === undefined) return '';
  const pairs = pairsOf(wanted);
  let best = { line: 0, text: '', score: 0 };
  for (const [i, text] of body.split('\n', MAX_COMPARED_LINES).entries()) {
    const score = similarity(pairs, pairsOf(text));
    if (score > best.score) best = { line: i + 1, text: text.replace(/\r$/, ''), score };
  }
  if (best.score < 0.4) return '';
  const shown = best.text.length > MAX_SHOWN ? `${best.text.slice(0, MAX_SHOWN)}…` : best.text;
  return `The nearest line is ${best.line}: ${JSON.stringify(shown)}. `;
}

/** Neighbouring characters, white space aside. */
function pairsOf(text: string): Set<string> {
  const chars = text.slice(0, 500).replace(/\s+/g, '');
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < chars.length; i++) pairs.add(chars.slice(i, i + 2));
  return pairs.size > 0 ? pairs : new Set(chars === '' ? [] : [chars]);
}

/** Dice's coefficient: 1 for equal sets. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

/** In one pass: a blank may occur a million times. */
function occurrences(body: string, passage: string): { readonly times: string; readonly lines: string } {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = body.indexOf(passage); at >= 0 && count <= MAX_COUNTED; at = body.indexOf(passage, at + 1)) {
    count++;
    if (lines.length === MAX_LISTED) continue;
    line += countLines(body.slice(counted, at)) - 1;
    counted = at;
    lines.push(line);
  }
  return {
    times: count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(count),
    lines: count > MAX_LISTED ? `${lines.join(', ')}, …` : lines.join(', '),
  };
}

function lineOf(body: string, offset: number): number {
  return countLines(body.slice(0, offset));
}

function countLines(text: string): number {
  return text.split('\n').length;
}

function problem(text: string): Patched {
  return { type: 'problem', text };
}
