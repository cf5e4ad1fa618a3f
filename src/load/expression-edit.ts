/** An edit of one word of an expression, at its place in the file around it. */
import { type Expression, positionIn } from '../core/expression.js';
import type { Problem } from '../core/problems.js';
import type { Source } from './text.js';

/**
 * Undefined where the file does not hold the word as the expression does: it is escaped, folded, or stands in another file.
 * @param place offsets into the expression's source; of a text with its quotes, which stay as they are
 */
export function editInside(
  expression: Expression,
  place: { readonly start: number; readonly end: number },
  text: string | undefined,
  source: Source,
): Problem['edit'] {
  const isText = /^["']/.test(expression.source.slice(place.start, place.end));
  const [start, end] = isText ? [place.start + 1, place.end - 1] : [place.start, place.end];
  const at = positionIn(expression, start);
  if (text === undefined || at.file !== source.file || (isText && !/^[\w ./-]*$/.test(text))) return undefined;
  const word = expression.source.slice(start, end);
  const offset = source.offset(at);
  if (source.text.slice(offset, offset + word.length) !== word) return undefined;
  return { start: offset + source.skipped, end: offset + word.length + source.skipped, text };
}
