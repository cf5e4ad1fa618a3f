/** A word as a person can type it into a shell: for commands that are shown, never for ones that are run. */

/** As it can be typed into bash or zsh, without a byte that a terminal would obey. */
export function shellWord(text: string): string {
  if (/^[\w./:@=-]+$/.test(text)) return text;
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, (control) => {
    return `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
  return `$'${escaped}'`;
}
