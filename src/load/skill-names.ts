/** Where skills are kept, and the names of the folders that can be one: no file is read. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../core/problems.js';
import { isSkillFolder } from './skill-mode.js';

export interface SkillPlaces {
  /** Absolute. */
  readonly projectDir: string;
  /** From `--skills-dir`; nearest of all. Absolute. */
  readonly skillsDirs?: readonly string[] | undefined;
  readonly homeDir?: string | undefined;
  /** The skills that come with the program. */
  readonly bundledDir?: string | undefined;
}

/** Where a project, or a home, keeps skills, nearest first. */
export const PROJECT_SKILLS = ['skills', '.agents/skills', '.claude/skills'];

/** The existing roots, nearest first. */
export function skillRoots(places: SkillPlaces): string[] {
  const { projectDir, skillsDirs = [], homeDir, bundledDir } = places;
  const under = (folder: string): string[] => PROJECT_SKILLS.map((part) => path.join(folder, part));
  const roots = [
    ...skillsDirs,
    ...under(projectDir),
    ...(homeDir ? under(homeDir) : []),
    ...(bundledDir ? [bundledDir] : []),
  ];
  const seen = new Set<string>();
  return roots.filter((root) => {
    if (!existsSync(root)) return false;
    const real = realpathSync(root);
    if (seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}

/** Names of all folders that can be skills, without reading a file. */
export function skillNames(places: SkillPlaces): string[] {
  const dirs = skillRoots(places).flatMap((root) => foldersOf(root).filter(isSkillFolder));
  return [...new Set(dirs.map((dir) => path.basename(dir)))].sort();
}

/** Folders of a root, links to folders included; what begins with a dot is no skill. */
export function foldersOf(root: string, problems?: Problem[]): string[] {
  const folders: string[] = [];
  for (const entry of entriesOf(root)) {
    if (entry.startsWith('.') || entry === 'node_modules') continue;
    const dir = path.join(root, entry);
    try {
      if (statSync(dir).isDirectory()) folders.push(dir);
    } catch {
      const message = `"${entry}" is a link that leads nowhere.`;
      problems?.push({
        severity: 'warning',
        rule: 'skill-missing',
        message,
        at: { file: dir, line: 1, column: 1 },
        hint: 'Remove it.',
      });
    }
  }
  return folders;
}

function entriesOf(root: string): string[] {
  try {
    return readdirSync(root).sort();
  } catch {
    return [];
  }
}
