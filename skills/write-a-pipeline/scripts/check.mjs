/** Checks the skill that was written into the run folder, and prints what was found with the list of its files. */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ask } from './program.mjs';

const MOST_CHARACTERS = 10_000;

const run = process.env.PIPELINE_RUN_DIR;
const name = process.argv.find((word) => word.startsWith('--name='))?.slice('--name='.length) ?? '';
const folder = join(run, name);

function filesIn(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(dir, entry.name)) : [relative(run, join(dir, entry.name)).split(sep).join('/')],
  );
}

function found() {
  if (!existsSync(join(folder, 'SKILL.md'))) {
    return { passed: false, problems: `There is no ${name}/SKILL.md: all files belong below ${name}/.`, files: [] };
  }
  const { code, stdout, stderr } = ask('check', folder, '--strict');
  // 0: nothing was found; 2: mistakes.
  if (code !== 0 && code !== 2) throw new Error(`pipeline check ended with ${code}: ${stderr}`);
  const text = `${stdout}${stderr}`.trim().slice(0, MOST_CHARACTERS);
  return { passed: code === 0, problems: code === 0 ? '' : text, files: filesIn(folder).sort() };
}

console.log(JSON.stringify(found()));
