/** What a finished step leaves in its work folder. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import type { Artifact } from '../core/outcome.js';
import { globFiles } from '../files/glob.js';
import { errorCode } from '../files/layer.js';
import { publishProblem, RESULTS } from '../files/names.js';
import type { Blobs } from './blobs.js';

export interface Left {
  readonly artifacts: readonly Artifact[];
  /** What is not published, with the reason. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Keeps the work folder's regular files in the blob store; they stay where they are.
 * @param look sees each before it is kept, and throws if it must not be
 */
export function collectWork(work: string, prefix: string, blobs: Blobs, look?: (file: string) => void): Left {
  const artifacts: Artifact[] = [];
  const skipped: { path: string; why: string }[] = [];
  const visit = (relative: string) => {
    for (const entry of entriesOf(join(work, relative))) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (path === RESULTS) continue;
      if (entry.name.includes('\uFFFD')) skipped.push({ path, why: 'its name is not UTF-8' });
      else if (entry.name.startsWith('.')) skipped.push({ path, why: 'it begins with a dot' });
      else if (entry.isDirectory()) visit(path);
      else if (!entry.isFile()) skipped.push({ path, why: 'it is not a regular file' });
      else {
        const target = `${prefix}${path}`;
        const why = publishProblem(target);
        if (why) throw new Fault('step.path', `the step left ${path}, which cannot be published: ${why}`);
        look?.(join(work, path));
        artifacts.push({ path: target, ...blobs.putFile(join(work, path)) });
      }
    }
  };
  visit('');
  return { artifacts: artifacts.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}

/** A step may have removed its own work folder. */
function entriesOf(dir: string): fs.Dirent[] {
  try {
    return fs.readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The globs of `artifacts` that match no file of the work folder. */
export async function missingArtifacts(work: string, globs: readonly string[]): Promise<string[]> {
  const matches = await Promise.all(globs.map((glob) => globFiles(work, [glob])));
  return globs.filter((_, index) => matches[index]?.length === 0);
}
