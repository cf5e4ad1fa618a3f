/** The hashes of a skill's folder: of each file, and the one over all of them that the `skills` program of npm writes. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { MAX_SKILL_BYTES, MAX_SKILL_FILES, tooLarge } from './stage.js';
import { readRegular } from './tree.js';

export interface FolderHashes {
  /** SHA-256 of each regular file in hex, by its path from the folder with `/`. */
  readonly files: Readonly<Record<string, string>>;
  /** Links, pipes and the like. */
  readonly strange: readonly string[];
  /** `computedHash` of skills-lock.json. */
  readonly computedHash: string;
}

/** Everything but `.git` counts. @param dir absolute */
export function hashFolder(dir: string): FolderHashes {
  const { names, strange } = entriesOf(dir);
  const files: [string, string][] = [];
  const whole = createHash('sha256');
  let bytes = 0;
  // The order of the `skills` program, whatever the language of this machine.
  for (const name of names.sort((a, b) => a.localeCompare(b, 'en'))) {
    const content = readRegular(path.join(dir, name), MAX_SKILL_BYTES);
    bytes += content.length;
    if (bytes > MAX_SKILL_BYTES) throw tooLarge(path.basename(dir));
    files.push([name, createHash('sha256').update(content).digest('hex')]);
    if (!name.split('/').includes('node_modules')) whole.update(name).update(content);
  }
  files.sort(([a], [b]) => (a < b ? -1 : 1));
  return { files: Object.fromEntries(files), strange, computedHash: whole.digest('hex') };
}

function entriesOf(dir: string): { readonly names: string[]; readonly strange: string[] } {
  const names: string[] = [];
  const strange: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(path.join(dir, folder))) {
      if (entry === '.git') continue;
      const name = folder === '' ? entry : `${folder}/${entry}`;
      const stat = lstatSync(path.join(dir, name));
      if (stat.isDirectory()) walk(name);
      else if (stat.isFile()) names.push(name);
      else strange.push(name);
      if (names.length + strange.length > MAX_SKILL_FILES) throw tooLarge(path.basename(dir));
    }
  };
  walk('');
  return { names, strange: strange.sort() };
}
