/** pipeline init: a small working skill in this project, of the mode that is wanted. Overwrites nothing. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { Fault } from '../core/faults.js';
import { starterFiles, type TemplateName } from '../init/starter.js';
import { editorSchema } from '../load/editor-schema.js';
import { lookupName } from '../load/skill.js';
import { openProject, STEP_KINDS } from '../run.js';
import { here, printJson, printResult, say } from './output.js';

const DEFAULT_NAME = 'my-pipeline';
const MAX_NAME = 64;

export interface InitOptions {
  readonly template: TemplateName;
  readonly json?: boolean;
}

export function initCommand(given: string | undefined, options: InitOptions): void {
  const name = given ?? DEFAULT_NAME;
  refuseName(name);
  const project = openProject({ cwd: process.cwd(), env: process.env });
  const skills = join(project.dir, 'skills');
  const dir = join(skills, name);
  refuseTaken(name, skills);
  const schema = join(project.dir, 'schemas', 'pipeline.schema.json');
  const { template } = options;
  const files = Object.entries(starterFiles(template, name, relative(dir, schema).split(sep).join('/')));
  const written = wholeOrNot(dir, () => files.map(([path, text]) => writeNew(join(dir, path), text)));
  const isNamed = files.some(([, text]) => text.includes('$schema='));
  if (isNamed && !existsSync(schema)) {
    const text = `${JSON.stringify(editorSchema(STEP_KINDS), null, 2)}\n`;
    written.push(...wholeOrNot(schema, () => [writeNew(schema, text)]));
  }
  if (options.json) {
    printJson({ name, template, dir, files: written });
    return;
  }
  printResult(written.map(here).join('\n'));
  say(nextCommands(name));
}

/** As the Agent Skills specification has it, and beginning with a letter. */
function refuseName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= MAX_NAME) return;
  const proposal = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, MAX_NAME)
    .replace(/-+$/, '');
  const rule = `A name is lower-case letters, digits and single hyphens, begins with a letter, and has at most ${MAX_NAME} characters.`;
  const hint = proposal === '' ? rule : `${rule} Perhaps: pipeline init ${proposal}`;
  throw new Fault('input.invalid', `${JSON.stringify(name)} cannot be a skill's name.`, { hint });
}

/** Also by a name that look-ups take for the same. */
function refuseTaken(name: string, skills: string): void {
  const folders = existsSync(skills) ? readdirSync(skills) : [];
  const taken = folders.find((folder) => lookupName(folder) === lookupName(name));
  if (taken === undefined) return;
  const dir = join(skills, taken);
  throw new Fault('input.invalid', `${here(dir)} is there already, and nothing is overwritten.`, {
    hint: `It holds: ${contents(dir)}. Choose another name: pipeline init ${otherName(name, folders)}`,
  });
}

function contents(dir: string): string {
  try {
    const names = readdirSync(dir).sort();
    const shown = names.slice(0, 12).join(', ');
    return names.length === 0 ? 'nothing' : `${shown}${names.length > 12 ? ', …' : ''}`;
  } catch {
    return 'it is a file';
  }
}

function otherName(name: string, folders: readonly string[]): string {
  const taken = new Set(folders.map(lookupName));
  const stem = name.slice(0, MAX_NAME - 4);
  for (let number = 2; ; number++) {
    const other = `${stem}-${number}`;
    if (!taken.has(lookupName(other))) return other;
  }
}

/** @param path what was not there before, which is gone again if it cannot be written whole, e.g. on a full disk */
function wholeOrNot(path: string, write: () => string[]): string[] {
  try {
    return write();
  } catch (error) {
    const isOthers = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isOthers) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Fails rather than replace a file that came to be in the meantime. */
function writeNew(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx' });
  return file;
}

function nextCommands(name: string): string {
  return [
    'Next:',
    `  pipeline check ${name}`,
    `  pipeline test ${name}`,
    `  pipeline run ${name} "why do cities get hotter"`,
  ].join('\n');
}
