/** What the steps of a run have published, as its journal tells it: a record says what is to be there, not that it is. */
import type { Artifact } from '../core/outcome.js';

export interface Publications {
  put(owner: string, artifacts: readonly Artifact[]): void;
  /** All that was put is in place, and what it replaced is gone. */
  settle(): void;
  /** By owner: what it published last, then what it had published before and may not have been able to take away. */
  all(): ReadonlyMap<string, readonly Artifact[]>;
}

export function createPublications(): Publications {
  const last = new Map<string, readonly Artifact[]>();
  /** By owner and path. */
  const before = new Map<string, Map<string, Artifact>>();
  return {
    put(owner, artifacts) {
      const replaced = last.get(owner) ?? [];
      if (replaced.length > 0) {
        const left = before.get(owner) ?? new Map<string, Artifact>();
        before.set(owner, left);
        for (const artifact of replaced) left.set(artifact.path, artifact);
      }
      last.set(owner, artifacts);
    },
    settle: () => before.clear(),
    all() {
      const owners = new Map([...last].flatMap(([owner, artifacts]) => artifacts.map(({ path }) => [path, owner])));
      return new Map(
        [...last].map(([owner, artifacts]) => {
          const left = [...(before.get(owner)?.values() ?? [])].filter(({ path }) => !owners.has(path));
          return [owner, [...artifacts, ...left]];
        }),
      );
    },
  };
}
