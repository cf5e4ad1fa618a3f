/** How wide text is on a terminal. */
import { eastAsianWidth } from 'get-east-asian-width';

/** Columns that the text takes; wide characters take two, marks none. */
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

/** What a line may be broken between: a number in groups, as `100 000`, is one. */
export function wordsIn(text: string): string[] {
  return text.split(/(?<!\d) | (?!\d{3}(?!\d))/);
}

/** Cut to so many columns, with an ellipsis. @param measure as a terminal does, unless nearly is enough */
export function cutTo(text: string, columns: number, measure = columnsOf): string {
  if (measure(text) <= columns) return text;
  let cut = '';
  for (const character of text) {
    if (measure(cut + character) > columns - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}
