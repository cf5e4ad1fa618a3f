/** Text from a model or a file as a terminal can show it: nothing in it moves, colours or turns what is around it. */

/** An escape sequence that colours or moves; what is left of others is taken out character by character. */
const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** What a terminal would obey, what turns the direction of writing, half a character. */
const UNSAFE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu;

/** The first character that a terminal cannot be shown; line breaks and tabs count. */
export function unsafeIn(text: string): string | undefined {
  return text.match(UNSAFE)?.[0];
}

/** One line, for text among ours: what cannot be shown is left out. */
export function plainText(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/[\t\n\r]+/g, ' ')
    .replace(UNSAFE, '');
}

/** The same for a title or a description, which may have been broken into lines: without gaps. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** Several lines, for text that is to be seen as it is: what cannot be shown becomes `\u001b`. */
export function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
