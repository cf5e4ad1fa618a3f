/** Ids of what stands on the page, made of paths: each path its own. */

/** Without anything that an id or a link's `#…` would not hold. */
export function anchorOf(sort: 'step' | 'file', path: string): string {
  return `${sort}-${path.replace(/[^A-Za-z0-9_-]/g, (character) => SHORT[character] ?? `:${code(character)}:`)}`;
}

/** Of the `<details>` around what has that id: a link to what is in it opens it, also without a script. */
export function foldOf(anchor: string): string {
  return `fold-${anchor}`;
}

const SHORT: Readonly<Record<string, string>> = { '/': '.', '.': '~' };

function code(character: string): string {
  return character.charCodeAt(0).toString(16);
}
