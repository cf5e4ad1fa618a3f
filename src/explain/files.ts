/** Which files differ between two sets, by the hashes of their bytes. */
import { type History, hasSucceeded, type Visit } from './history.js';

export interface FileChange {
  readonly path: string;
  readonly type: 'added' | 'removed' | 'changed';
}

/** Path → hash. */
export type Hashes = ReadonlyMap<string, string>;

/** Sorted by path. */
export function fileChanges(before: Hashes, now: Hashes): FileChange[] {
  const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [was, is] = [before.get(path), now.get(path)];
    if (was === is) return [];
    return [{ path, type: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' }];
  });
}

/** What steps had published in the visit's session when it began. */
export function publishedBefore(history: History, visit: Visit): Hashes {
  const settled = [...history.visits.values()]
    .flat()
    .filter(({ session, to }) => session === visit.session && to < visit.from)
    .sort((a, b) => a.to - b.to);
  return hashesOf(settled);
}

/** In this order: a later visit's files take the place of an earlier one's. */
export function hashesOf(visits: readonly Visit[]): Hashes {
  const hashes = new Map<string, string>();
  for (const { ending } of visits)
    if (hasSucceeded(ending)) for (const file of ending.artifacts) hashes.set(file.path, file.sha256);
  return hashes;
}

/** Files that the step's tools read; those of other folders with the folder's name. */
export function readsOf({ ending }: Visit): Hashes {
  const reads = hasSucceeded(ending) ? ending.reads : [];
  return new Map(
    reads.map(({ from, path, sha256 }) => [
      from === 'run' || from === 'elsewhere' ? path : `${path} of the ${from}`,
      sha256,
    ]),
  );
}
