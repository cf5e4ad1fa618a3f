/** A source with a piece of its text replaced: what stands around it keeps its place in the file. */
import type { Position } from '../core/problems.js';
import type { Source } from './text.js';

export interface Piece {
  /** Offsets into the source's text. */
  readonly start: number;
  readonly end: number;
  /** In its place. */
  readonly text: string;
  /** Stands as the file of places in `text`. */
  readonly by: string;
}

export function spliced(source: Source, { start, end, text, by }: Piece): Source {
  const added = text.length - (end - start);
  const position = (offset: number): Position => {
    if (offset < start) return source.position(offset);
    if (offset < start + text.length) return { file: by, line: 1, column: offset - start + 1 };
    return source.position(offset - added);
  };
  const offset = (at: Position): number => {
    if (at.file === by) return start + at.column - 1;
    const before = source.offset(at);
    if (before < start) return before;
    return before < end ? start : before + added;
  };
  return { ...source, text: source.text.slice(0, start) + text + source.text.slice(end), position, offset };
}
