/** Which folders of skills a project may write into: those that nobody else made. */
import path from 'node:path';
import { realPathOf } from '../files/real-path.js';
import { lockedSkillAt } from './drift.js';

/** Absolute. */
interface Around {
  readonly projectDir: string;
  readonly bundledDir: string;
  /** Other folders whose skills are the person's own. */
  readonly skillsDirs: readonly string[];
}

/**
 * Why a skill is not the project's own, in words; undefined if it is.
 * @param dir absolute
 * @param isNamed whether it was asked for by its name; what a person names by its path is theirs
 */
export function notOwn(dir: string, isNamed: boolean, { projectDir, bundledDir, skillsDirs }: Around) {
  const locked = lockedSkillAt(dir, projectDir);
  if (locked !== undefined) return `"${locked}" was added from elsewhere`;
  // Where the skills are made that come with the program they are its own.
  if (isIn(dir, bundledDir) && realPathOf(projectDir) !== realPathOf(path.dirname(bundledDir)))
    return 'the skill comes with the program';
  if (isNamed && ![projectDir, ...skillsDirs].some((root) => isIn(dir, root)))
    return 'the skill is none of this project';
  return undefined;
}

function isIn(dir: string, root: string): boolean {
  return `${realPathOf(dir)}${path.sep}`.startsWith(`${realPathOf(root)}${path.sep}`);
}
