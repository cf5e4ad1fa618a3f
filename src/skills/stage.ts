/** Writes the files of a found skill into a new folder: regular files only, as many as a skill may have. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';
import type { FoundSkill } from './found.js';
import type { SourceTree } from './tree.js';

export const MAX_SKILL_FILES = 2_000;
export const MAX_SKILL_BYTES = 50 * 1024 * 1024;

/** @param dir absolute; made, and must not exist */
export async function stageSkill({ name, folder, files }: FoundSkill, tree: SourceTree, dir: string): Promise<void> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > MAX_SKILL_FILES || bytes > MAX_SKILL_BYTES) throw tooLarge(name);
  const contents = await tree.read(files);
  mkdirSync(dir, { recursive: false, mode: 0o755 });
  for (const [at, file] of files.entries()) {
    const target = path.join(dir, folder === '' ? file.path : file.path.slice(folder.length + 1));
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
    writeFileSync(target, contents[at] ?? '', { flag: 'wx', mode: file.isExecutable ? 0o755 : 0o644 });
  }
}

export function tooLarge(name: string): Fault {
  const most = `${MAX_SKILL_FILES} files and ${MAX_SKILL_BYTES / 1024 / 1024} MB`;
  return new Fault('config.unsafe', `The skill "${name}" is larger than a skill may be: at most ${most}.`, {
    hint: 'Leave out of its folder what it does not need.',
  });
}
