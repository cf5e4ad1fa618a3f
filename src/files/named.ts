/** The files that a text names: which words are paths, and where they are. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

/** Whether a text that names no existing file was meant as a path, and not as a placeholder or prose. */
export function looksLikePath(text: string): boolean {
  return !/[ \t<>]/.test(text) && /[/\\.]/.test(text);
}

/** `draft.md (the second one)` without its note. */
export function withoutNote(text: string): string {
  return text.replace(/\s*[(\uFF08][^()\uFF08\uFF09]*[)\uFF09]\s*$/, '').trim();
}

export type Named =
  | { readonly type: 'file'; readonly path: string }
  /** It looks like a path, and there is no such file. */
  | { readonly type: 'missing'; readonly path: string }
  /** No path at all. */
  | { readonly type: 'words' };

/**
 * An existing file first, so that real paths may hold spaces and parentheses; then without a note behind it.
 * @param roots absolute folders that a relative path may begin at, the first that has the file wins
 */
export function fileNamed(text: string, roots: readonly string[]): Named {
  const bare = withoutNote(text);
  for (const each of [text.trim(), bare]) {
    const found = candidates(each, roots).find((file) => existsSync(file));
    if (each !== '' && found !== undefined) return { type: 'file', path: found };
  }
  const [path] = candidates(bare, roots);
  return looksLikePath(bare) && path !== undefined ? { type: 'missing', path } : { type: 'words' };
}

function candidates(text: string, roots: readonly string[]): string[] {
  return isAbsolute(text) ? [text] : roots.map((root) => resolve(root, text));
}
