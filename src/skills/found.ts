/** Finds the skills among the files of a place that they come from. */
import { unsafeIn } from '../core/plain-text.js';
import { lookupName } from '../load/skill.js';
import type { LeftOut, SourceFile, SourceTree } from './tree.js';

export interface FoundSkill {
  /** The name of its folder here. */
  readonly name: string;
  /** Its folder there, with `/`; '' for the whole place. */
  readonly folder: string;
  /** `SKILL.md` there; `pipeline.yaml` if it has none. */
  readonly skillPath: string;
  readonly files: readonly SourceFile[];
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,63}$/u;
/** Where people keep skills: of two with one name, the one in the earlier place counts. */
const PREFERRED = ['skills/', '.agents/skills/', '.claude/skills/'];
const MAX_DEPTH = 6;

/** @param placeName what a skill is called that is the whole place */
export function findSkills(
  { files }: SourceTree,
  placeName: string,
): { readonly skills: readonly FoundSkill[]; readonly leftOut: readonly LeftOut[] } {
  const heads = new Map<string, string>();
  for (const { path: name } of files) {
    const at = name.lastIndexOf('/') + 1;
    const base = name.slice(at);
    const isLetter = base.toLowerCase() === 'skill.md';
    if (!isLetter && base !== 'pipeline.yaml') continue;
    const folder = name.slice(0, Math.max(0, at - 1));
    if (isLetter || !heads.has(folder)) heads.set(folder, name);
  }
  const folders = [...heads.keys()].sort(byPreference);
  const outer = folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(other, folder)));
  const skills: FoundSkill[] = [];
  const leftOut: LeftOut[] = [];
  for (const folder of outer) {
    const name = (folder === '' ? placeName : (folder.split('/').at(-1) ?? '')).normalize('NFC');
    const same = skills.find((skill) => lookupName(skill.name) === lookupName(name));
    const why = folder.split('/').length > MAX_DEPTH ? 'it is too deep' : whyNot(name, same);
    if (why !== undefined) leftOut.push({ path: folder, why });
    else {
      const skillPath = heads.get(folder) ?? folder;
      skills.push({ name, folder, skillPath, files: files.filter((file) => isWithin(folder, file.path)) });
    }
  }
  return { skills: skills.sort((a, b) => (a.name < b.name ? -1 : 1)), leftOut };
}

/** Why a name cannot be that of a skill's folder, or undefined. */
export function whyNotNamed(name: string): string | undefined {
  if (NAME.test(name) && unsafeIn(name) === undefined) return undefined;
  return 'its name is not made of letters, digits, - and _ alone, at most 64';
}

function whyNot(name: string, same: FoundSkill | undefined): string | undefined {
  return same ? `${same.folder} has the same name` : whyNotNamed(name);
}

function isWithin(folder: string, name: string): boolean {
  return folder === '' || name.startsWith(`${folder}/`);
}

function byPreference(a: string, b: string): number {
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function rank(folder: string): number {
  const at = PREFERRED.findIndex((place) => folder.startsWith(place));
  return at < 0 ? PREFERRED.length : at;
}
