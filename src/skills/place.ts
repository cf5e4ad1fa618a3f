/** Opens a place that skills come from. */
import path from 'node:path';
import { type Around, gitTree } from './git.js';
import type { LockEntry } from './lock.js';
import { readSource, type Source } from './source.js';
import { folderTree, type SourceTree } from './tree.js';

/** The caller closes it. */
export async function openPlace(source: Source, around: Around): Promise<SourceTree> {
  return source.type === 'git' ? gitTree(source, around) : folderTree(source.dir);
}

/** What a skill is called that is the whole place. */
export function placeName(source: Source): string {
  const last = source.type === 'folder' ? path.basename(source.dir) : (source.url.split(/[/:]/).at(-1) ?? '');
  return last.replace(/\.git$/, '').replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-');
}

/** Where a locked skill came from; undefined for kinds of sources that only the `skills` program of npm knows. */
export function sourceOfEntry(entry: LockEntry, projectDir: string): Source | undefined {
  if (!['github', 'git', 'gitlab', 'local'].includes(entry.sourceType)) return undefined;
  const address = entry.sourceUrl ?? entry.source;
  const isFolder = entry.sourceType === 'local' && !path.isAbsolute(address) && !address.startsWith('.');
  const ref = entry.ref === undefined || entry.sourceType === 'local' ? '' : `#${entry.ref}`;
  return readSource(`${isFolder ? `./${address}` : address}${ref}`, projectDir, projectDir);
}
