/** The beginning of a text for a message. */

/** The ellipsis says where it was cut: what redacts the message later tells a secret by its beginning there. */
export function beginningOf(text: string, characters: number): string {
  // A cut between the halves of a character would leave one that no form of a secret has.
  return text.length <= characters ? text : `${text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Why a text is not JSON, as a message may say it: the parser cites a few characters of it, which may be the midst of a secret. */
export function notJson(error: unknown, text: string, redact: (text: string) => string): string {
  const reason = error instanceof Error ? error.message : String(error);
  const seen = redact(text);
  const start = text.trim() === '' ? 'it is empty' : `it begins with ${JSON.stringify(beginningOf(seen, 80))}`;
  return `${seen === text ? reason : reason.replace(CITED, '')}; ${start}`;
}

const CITED = /, (?:\.\.\.)?"[\s\S]*(?= is not valid JSON$)/;
