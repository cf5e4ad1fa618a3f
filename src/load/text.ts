/** Reads an author's file as UTF-8 text within a folder it may not leave. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Position } from '../core/problems.js';

const MAX_TEXT_BYTES = 1_000_000;

/** A text with the positions of its characters. */
export interface Source {
  /** Absolute path. */
  readonly file: string;
  /** Without a byte order mark. */
  readonly text: string;
  /** Characters of the file before `text`: 1 if it begins with a byte order mark. */
  readonly skipped: number;
  position(offset: number): Position;
  offset(position: Position): number;
}

export type TextRead =
  | { readonly type: 'text'; readonly source: Source }
  | {
      readonly type: 'fault';
      readonly reason:
        | 'missing'
        | 'folder'
        | 'special'
        | 'outside'
        | 'too-large'
        | 'encoding'
        | 'binary'
        | 'unreadable';
      readonly message: string;
      readonly at: Position;
    };

export function sourceOf(file: string, raw: string): Source {
  const skipped = raw.startsWith('\uFEFF') ? 1 : 0;
  const text = raw.slice(skipped).replace(/\r(?!\n)/g, '\n');
  let starts: number[] | undefined;
  /** Of the last place: the next one is often in it too. */
  let line = 1;
  const position = (offset: number): Position => {
    starts ??= lineStarts(text);
    const isInLine = offset >= (starts[line - 1] ?? 0) && offset < (starts[line] ?? Number.POSITIVE_INFINITY);
    if (!isInLine) line = lineAt(starts, offset);
    return { file, line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
  const offset = (at: Position): number => {
    starts ??= lineStarts(text);
    return (starts[at.line - 1] ?? text.length) + at.column - 1;
  };
  return { file, text, skipped, position, offset };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/**
 * @param roots folders of which the file's real path must be inside; empty for anywhere
 */
export function readText(file: string, roots: readonly string[] = []): TextRead {
  const start: Position = { file, line: 1, column: 1 };
  const fault = (reason: Exclude<TextRead, { type: 'text' }>['reason'], message: string, at = start): TextRead => ({
    type: 'fault',
    reason,
    message,
    at,
  });
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) return fault('folder', 'It is a folder, not a file.');
    if (!stat.isFile()) return fault('special', 'It is not a regular file.');
    if (roots.length > 0 && !isInside(roots, file))
      return fault('outside', 'It leads outside of the folder it belongs to.');
    if (stat.size > MAX_TEXT_BYTES) return fault('too-large', `It has ${stat.size} bytes; at most 1 MB are read.`);
    const bytes = readFileSync(file);
    const encoding = foreignEncoding(bytes);
    if (encoding) return fault('encoding', `It is encoded as ${encoding}; only UTF-8 is read.`);
    const raw = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const source = sourceOf(file, raw);
    const nul = source.text.indexOf('\0');
    if (nul !== -1) return fault('binary', 'It holds a NUL byte: it is not a text.', source.position(nul));
    return { type: 'text', source };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fault('missing', 'There is no such file.');
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return fault('encoding', 'It is not valid UTF-8.');
    return fault('unreadable', `It cannot be read (${code ?? String(error)}).`);
  }
}

/** Whether the real path of an existing file is inside the real path of one of the folders. */
function isInside(roots: readonly string[], file: string): boolean {
  const real = realpathSync(file);
  return roots.some((root) => {
    const relative = path.relative(realPathOr(root), real);
    return (
      relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative))
    );
  });
}

function realPathOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function foreignEncoding(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'UTF-32LE' : 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32BE';
  if (bytes.length >= 4 && a !== 0 && b === 0 && c !== 0 && d === 0) return 'UTF-16LE without a byte order mark';
  if (bytes.length >= 4 && a === 0 && b !== 0 && c === 0 && d !== 0) return 'UTF-16BE without a byte order mark';
  return undefined;
}
