/** What a finished step leaves: files of its work folder, files saved from its output. */
import fs from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../core/faults.js';
import { isObject, type Json } from '../core/json.js';
import type { Artifact } from '../core/types.js';
import { globFiles } from '../files/glob.js';
import { publishProblem } from '../files/names.js';
import type { Blobs } from './blobs.js';

/** Moves the work folder's regular files into the blob store. What is not published is said. */
export function collectWork(
  work: string,
  prefix: string,
  blobs: Blobs,
  onSkipped: (path: string, why: string) => void,
): Artifact[] {
  const artifacts: Artifact[] = [];
  const visit = (relative: string) => {
    for (const entry of fs.readdirSync(join(work, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.name.startsWith('.')) onSkipped(path, 'it begins with a dot');
      else if (entry.isDirectory()) visit(path);
      else if (!entry.isFile()) onSkipped(path, 'it is not a regular file');
      else {
        const target = `${prefix}${path}`;
        const why = publishProblem(target);
        if (why) throw new Fault('step.path', `the step left ${path}, which cannot be published: ${why}`);
        artifacts.push({ path: target, ...blobs.putFile(join(work, path)) });
      }
    }
  };
  if (fs.existsSync(work)) visit('');
  return artifacts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The globs of `artifacts` that match no file of the work folder. */
export async function missingArtifacts(work: string, globs: readonly string[]): Promise<string[]> {
  const matches = await Promise.all(globs.map((glob) => globFiles(work, [glob])));
  return globs.filter((_, index) => matches[index]?.length === 0);
}

/** A value as the file at `path` holds it: `.json` as JSON, text as it is, anything else as JSON. */
export function fileText(path: string, value: Json): string {
  if (path.endsWith('.json') || isObject(value) || Array.isArray(value)) return `${JSON.stringify(value, null, 2)}\n`;
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** First lines of a text file whose words came from the embedded placeholder model. */
export const PLACEHOLDER_MARK =
  '> Placeholder text: written by `sketch`, the embedded model that only fills in forms. Set OPENAI_API_KEY, or see `pipeline.config.yaml` in the README, for a real one.\n\n';

export function markPlaceholder(path: string, text: string): string {
  if (!/\.(md|txt)$/.test(path) || text === '' || /placeholder/i.test(text.slice(0, 600))) return text;
  return PLACEHOLDER_MARK + text;
}
