/** What the folder of a skill holds, without reading it: which file describes it, what it runs as. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Skill } from '../core/plan.js';

export const PIPELINE_FILE = 'pipeline.yaml';
const RUN_SCRIPTS = ['run.py', 'run.mjs', 'run.js', 'run.sh'];
/** Of a pipeline file that is only searched for its steps. */
const MAX_SEARCHED_BYTES = 1_000_000;

/** Absolute path of its SKILL.md, however that is written. */
export function skillFile(dir: string): string | undefined {
  const names = entriesOf(dir).filter((name) => name.toLowerCase() === 'skill.md');
  const name = names.find((each) => each === 'SKILL.md') ?? names[0];
  return name === undefined ? undefined : path.join(dir, name);
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    return [];
  }
}

/** Undefined if it has neither a pipeline nor a script. */
export function modeOf(dir: string): Skill['runsAs'] | undefined {
  const script = nextScript(dir);
  const pipeline = path.join(dir, PIPELINE_FILE);
  if (existsSync(pipeline)) return script && !hasSteps(pipeline) ? 'next-loop' : 'pipeline';
  return script ? 'next-loop' : undefined;
}

/** Absolute path of `scripts/run.*`. */
export function nextScript(dir: string): string | undefined {
  return RUN_SCRIPTS.map((name) => path.join(dir, 'scripts', name)).find((file) => existsSync(file));
}

/** Without parsing it. */
function hasSteps(file: string): boolean {
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > MAX_SEARCHED_BYTES) return false;
    return /^\uFEFF?["']?steps["']?[ \t]*:/m.test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

/** Whether the folder can be a skill at all; reads no file's contents. */
export function isSkillFolder(dir: string): boolean {
  return skillFile(dir) !== undefined || existsSync(path.join(dir, PIPELINE_FILE)) || nextScript(dir) !== undefined;
}
