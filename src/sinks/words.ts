/** Figures and text as a person reads them on a terminal. */
import { eastAsianWidth } from 'get-east-asian-width';

/** An escape sequence that colours or moves; what is left of others is taken out character by character. */
const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** One line of text from a model or a file, without anything a terminal would obey. */
export function plainText(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/\p{Cc}/gu, '');
}

export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace('.0', '')} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}

/** `1 token`, `12.3k tokens`. */
export function tokenCount(count: number): string {
  return `${tokens(count)} ${count === 1 ? 'token' : 'tokens'}`;
}

/** Columns that the text takes on a terminal; wide characters take two, marks none. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter();
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += columnsOfOne(segment);
  return columns;
}

const ASCII = /^[ -~]*$/;
/** Made when first needed: most text is ASCII. */
let segmenter: Intl.Segmenter | undefined;

/** Of one character as people count them. */
function columnsOfOne(character: string): number {
  if (/^[\p{Mark}\p{Cf}\p{Cc}]*$/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** Cut to so many columns, with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let cut = '';
  for (const character of text) {
    if (columnsOf(cut + character) > columns - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
