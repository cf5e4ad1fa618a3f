/** The words of a simple command, read as bash reads them; whatever else bash could see in it is refused. */

export type Words<Word = string> = { readonly words: readonly Word[] } | { readonly problem: string };

/** What bash would take for more than a letter of a word, outside of quotes. */
const SPECIAL: Readonly<Record<string, string>> = {
  ';': 'another command',
  '&': 'another command',
  '|': 'a pipe',
  '<': 'a redirection',
  '>': 'a redirection',
  '(': 'a subshell',
  ')': 'a subshell',
  $: 'a substitution',
  '`': 'a substitution',
  '\\': 'an escape',
  '*': 'a file pattern',
  '?': 'a file pattern',
  '[': 'a file pattern',
  '{': 'a brace expansion',
  '}': 'a brace expansion',
  '\n': 'a second line',
  '\r': 'a second line',
  '\0': 'a NUL character',
};
/** At the start of a word; `~` also where a value could begin in it, as in `x=~` and `x=/a:~`. */
const AT_START: Readonly<Record<string, string>> = {
  '~': 'a home folder',
  '#': 'a comment',
  '!': 'a negation',
};
/** Plain words, and text in single or double quotes, between blanks. Nothing is expanded, because nothing that bash would expand is accepted. */
export function shellWords(line: string): Words {
  return read<never>(line, () => undefined);
}

/** As `shellWords`, but a `*` that is a word of its own stands for any word, and is given as such. */
export function ruleWords(line: string): Words<string | typeof ANY> {
  return read(line, (rest) => (/^\*([ \t]|$)/.test(rest) ? ANY : undefined));
}

export const ANY = Symbol('any word');

/** @param special a word that is no text, at the start of what is left of the line */
function read<Special>(line: string, special: (rest: string) => Special | undefined): Words<string | Special> {
  const words: (string | Special)[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === ' ' || letter === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (letter === "'" || letter === '"') {
      const end = line.indexOf(letter, at + 1);
      if (end < 0) return { problem: `a quote ${letter} is not closed` };
      const quoted = line.slice(at + 1, end);
      const problem = quotedProblem(quoted, letter);
      if (problem) return { problem };
      word = (word ?? '') + quoted;
      at = end;
      continue;
    }
    const other = word === undefined ? special(line.slice(at)) : undefined;
    if (other !== undefined) {
      words.push(other);
      continue;
    }
    const isHome = letter === '~' && /[=:]/.test(line[at - 1] ?? '');
    const meaning = SPECIAL[letter] ?? (word === undefined || isHome ? AT_START[letter] : undefined);
    if (meaning !== undefined) return { problem: `${JSON.stringify(letter)} is ${meaning}` };
    word = (word ?? '') + letter;
  }
  if (word !== undefined) words.push(word);
  return { words };
}

function quotedProblem(quoted: string, quote: string): string | undefined {
  if (/[\0\r\n]/.test(quoted)) return 'quoted text goes over one line';
  const active = quote === '"' ? /[$`\\]/.exec(quoted)?.[0] : undefined;
  return active === undefined ? undefined : `${JSON.stringify(active)} is ${SPECIAL[active]}`;
}
