/** Globs over a folder: `**`, `*`, `?`, `{a,b}`, `[a-z]`; matching is linear in steps, links are not followed. */
import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { Fault } from '../core/faults.js';
import { openFolder } from './folder.js';

/** Entries that one search may visit. */
const MAX_ENTRIES = 100_000;
const MAX_ALTERNATIVES = 1_000;

type Token =
  | { readonly type: 'char'; readonly char: string }
  | { readonly type: 'any' }
  | { readonly type: 'star' }
  | CharClass;
interface CharClass {
  readonly type: 'class';
  readonly negated: boolean;
  readonly ranges: readonly (readonly [string, string])[];
}
type Segment = '**' | readonly Token[];

export interface WalkOptions {
  /** Whether names that begin with a dot count; no, unless said. */
  readonly dot?: boolean;
  /** Names of folders that are not entered. */
  readonly skip?: readonly string[];
  readonly maxEntries?: number;
  /** A folder below the root, with `/`: nothing else is looked at. */
  readonly below?: string;
  /** The root was found to hold no links just now; if one is put there since, nothing is found. */
  readonly isReal?: boolean;
}

/** Regular files below `root` that one of the patterns matches: relative, with `/`, sorted by code units, each once. */
export async function globFiles(
  root: string,
  patterns: readonly string[],
  options: WalkOptions = {},
): Promise<string[]> {
  const matchers = patterns.map((pattern) => compileGlob(pattern, options.dot ?? false));
  const files = await listTree(root, { ...options, dot: options.dot ?? patterns.some(namesDot) });
  return files.filter((file) => matchers.some((matches) => matches(file)));
}

/** Every regular file below `root`: relative to it, with `/`, sorted by code units. What goes away meanwhile is left out. */
export async function listTree(root: string, options: WalkOptions = {}): Promise<string[]> {
  const { dot = false, skip = [], maxEntries = MAX_ENTRIES, below = '', isReal = false } = options;
  const real = isReal ? root : realpathSync.native(root);
  const files: string[] = [];
  const folders = [below];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(real, folder)) {
      seen++;
      if (seen > maxEntries) throw tooMany(root, maxEntries);
      if (!dot && entry.name.startsWith('.')) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !skip.includes(entry.name)) folders.push(path);
    }
  }
  return files.sort();
}

function entriesOf(root: string, folder: string): Dirent[] {
  const opened = openFolder(root, folder);
  try {
    return opened ? readdirSync(opened.at('.'), { withFileTypes: true }) : [];
  } finally {
    opened?.close();
  }
}

/** A test for relative paths with `/`. A wildcard does not match a leading dot unless `dot`. Throws `config.invalid`. */
export function compileGlob(pattern: string, dot = false): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((text) =>
    text
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .map((part): Segment => (part === '**' ? '**' : tokens(part))),
  );
  return (path) => {
    const names = path.split('/');
    return alternatives.some((segments) => matchPath(segments, names, dot));
  };
}

function matchPath(segments: readonly Segment[], names: readonly string[], dot: boolean): boolean {
  return matchWithStars(
    segments.length,
    names.length,
    (i) => segments[i] === '**',
    (i, j) => matchName(segments[i] as readonly Token[], names[j] as string, dot),
    (j) => dot || !names[j]?.startsWith('.'),
  );
}

function matchName(pattern: readonly Token[], name: string, dot: boolean): boolean {
  const chars = [...name];
  const first = pattern[0];
  if (!dot && chars[0] === '.' && !(first?.type === 'char' && first.char === '.')) return false;
  return matchWithStars(
    pattern.length,
    chars.length,
    (i) => pattern[i]?.type === 'star',
    (i, j) => matchChar(pattern[i] as Token, chars[j] as string),
    () => true,
  );
}

/** The two-pointer wildcard match: goes back to the last star only, so it takes at most patterns × items comparisons. */
function matchWithStars(
  patterns: number,
  items: number,
  isStar: (i: number) => boolean,
  matches: (i: number, j: number) => boolean,
  starTakes: (j: number) => boolean,
): boolean {
  let i = 0;
  let j = 0;
  let back: { i: number; j: number } | undefined;
  while (j < items) {
    if (i < patterns && isStar(i)) {
      back = { i, j };
      i++;
    } else if (i < patterns && matches(i, j)) {
      i++;
      j++;
    } else if (back && starTakes(back.j)) {
      back = { i: back.i, j: back.j + 1 };
      i = back.i + 1;
      j = back.j;
    } else {
      return false;
    }
  }
  while (i < patterns && isStar(i)) i++;
  return i === patterns;
}

function matchChar(token: Token, char: string): boolean {
  if (token.type === 'char') return token.char === char;
  if (token.type === 'class') return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
  return true;
}

function tokens(part: string): Token[] {
  const chars = [...part];
  const list: Token[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === '*') {
      if (list.at(-1)?.type !== 'star') list.push({ type: 'star' });
    } else if (char === '?') {
      list.push({ type: 'any' });
    } else if (char === '[') {
      const end = chars.indexOf(']', chars[i + 1] === '!' || chars[i + 1] === '^' ? i + 3 : i + 2);
      if (end < 0) list.push({ type: 'char', char });
      else {
        list.push(charClass(chars.slice(i + 1, end)));
        i = end;
      }
    } else {
      list.push({ type: 'char', char });
    }
  }
  return list;
}

function charClass(chars: readonly string[]): CharClass {
  const negated = chars[0] === '!' || chars[0] === '^';
  const body = negated ? chars.slice(1) : chars;
  const ranges: [string, string][] = [];
  for (let i = 0; i < body.length; i++) {
    const from = body[i] as string;
    const to = body[i + 2];
    if (body[i + 1] === '-' && to !== undefined) {
      ranges.push([from, to]);
      i += 2;
    } else {
      ranges.push([from, from]);
    }
  }
  return { type: 'class', negated, ranges };
}

function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(text);
    if (!group) {
      done.push(text);
    } else {
      const before = text.slice(0, group.index);
      const after = text.slice(group.index + group[0].length);
      for (const choice of (group[1] as string).split(',')) open.push(`${before}${choice}${after}`);
    }
    if (open.length + done.length > MAX_ALTERNATIVES) {
      throw new Fault(
        'config.invalid',
        `The glob ${JSON.stringify(pattern)} stands for more than ${MAX_ALTERNATIVES} patterns.`,
      );
    }
  }
  return done;
}

function namesDot(pattern: string): boolean {
  return /(^|[/{,])\.[^/.]/.test(pattern);
}

function tooMany(root: string, maxEntries: number): Fault {
  return new Fault('step.path', `The folder ${root} holds more than ${maxEntries} entries.`, {
    hint: 'Keep what is not needed, such as node_modules, out of it.',
  });
}
