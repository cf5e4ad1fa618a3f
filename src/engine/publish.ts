/** From a step's work folder into the run folder: by content, by rename, with one owner for each path. */
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Fault } from '../core/faults.js';
import { hashJson } from '../core/json.js';
import type { Artifact, Step, StepPath } from '../core/types.js';
import type { Blobs } from './blobs.js';
import { withoutRounds } from './step-path.js';

export interface Publisher {
  /** Says whose the paths are. Throws `step.conflict` when a path has another owner. */
  claim(path: StepPath, artifacts: readonly Artifact[]): void;
  /** Puts the files into the run folder, and takes away those that an earlier round of the same step had put there. */
  publish(path: StepPath, artifacts: readonly Artifact[]): void;
  /** One hash over all that steps at or below this path have published; '' for nothing. */
  publishedHash(path: StepPath): string;
  /** Removes files that an earlier session published and that no step of this one claims. */
  removeOrphans(earlier: Iterable<string>): void;
}

export function createPublisher(runDir: string, blobs: Blobs, steps: readonly Step[]): Publisher {
  const owners = new Map<string, string>();
  const current = new Map<string, readonly Artifact[]>();
  const below = new Map<string, Map<string, string>>();

  const index = (path: StepPath, artifacts: readonly Artifact[], put: boolean) => {
    const parts = path.split('/');
    for (let end = 1; end <= parts.length; end++) {
      const prefix = parts.slice(0, end).join('/');
      const files = below.get(prefix) ?? new Map<string, string>();
      below.set(prefix, files);
      for (const artifact of artifacts) {
        if (put) files.set(artifact.path, artifact.sha256);
        else files.delete(artifact.path);
      }
    }
  };

  const claim = (path: StepPath, artifacts: readonly Artifact[]) => {
    const owner = withoutRounds(steps, path);
    for (const artifact of artifacts) {
      const other = owners.get(artifact.path);
      if (other !== undefined && other !== owner) {
        throw new Fault('step.conflict', `two steps write ${artifact.path}: "${other}" and "${owner}"`, {
          hint: 'Give the file another name in one of them, e.g. a folder of its own.',
        });
      }
      owners.set(artifact.path, owner);
    }
  };

  return {
    claim,
    publish(path, artifacts) {
      claim(path, artifacts);
      const owner = withoutRounds(steps, path);
      const before = current.get(owner) ?? [];
      const now = new Set(artifacts.map((artifact) => artifact.path));
      for (const artifact of before) if (!now.has(artifact.path)) remove(runDir, artifact.path);
      index(owner, before, false);
      for (const artifact of artifacts) blobs.copyTo(artifact.sha256, join(runDir, artifact.path), artifact.executable);
      index(owner, artifacts, true);
      current.set(owner, artifacts);
    },
    publishedHash(path) {
      const files = below.get(path);
      if (!files || files.size === 0) return '';
      return hashJson(Object.fromEntries(files));
    },
    removeOrphans(earlier) {
      for (const path of earlier) if (!owners.has(path)) remove(runDir, path);
    },
  };
}

function remove(runDir: string, path: string): void {
  fs.rmSync(join(runDir, path), { force: true });
  for (let dir = dirname(join(runDir, path)); relative(runDir, dir) !== ''; dir = dirname(dir)) {
    try {
      fs.rmdirSync(dir);
    } catch {
      return;
    }
  }
}
