/** Holds a SKILL.md to the letter of the Agent Skills specification, beyond what reading it needs. */
import path from 'node:path';
import type { Skill } from '../core/plan.js';
import type { Position, Problem } from '../core/problems.js';
import { readFrontMatter } from './front-matter.js';
import { lookupName } from './skill.js';
import { readText, type Source } from './text.js';
import { editOf, replacement } from './value-edit.js';
import { describeNode, isNull, pairOf, type YamlMap, type YamlPair } from './yaml-tree.js';

const MAX_COMPATIBILITY = 500;
const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** Warnings; what the reading of the file says already is not said again. */
export function letterProblems({ dir, file }: Skill): Problem[] {
  const read = file === undefined ? undefined : readText(file, [dir]);
  if (read?.type !== 'text') return [];
  const { source } = read;
  const { fields } = readFrontMatter(source);
  if (!fields) return [];
  const problems: Problem[] = [];
  const say: Say = (rule, at, message, hint, edit) => {
    problems.push({ severity: 'warning', rule, message, at, hint, ...(edit ? { edit } : {}) });
  };
  checkName(fields, path.basename(dir), source, say);
  checkText(pairOf(fields, 'description'), 'skill-description', say);
  checkText(pairOf(fields, 'license'), 'skill-license', say);
  checkCompatibility(pairOf(fields, 'compatibility'), say);
  checkMetadata(pairOf(fields, 'metadata'), source, say);
  checkTools(pairOf(fields, 'allowed-tools'), source, say);
  return problems;
}

type Say = (rule: string, at: Position, message: string, hint: string, edit?: Problem['edit']) => void;

/** A text that is another name altogether, or none, is said where the skill is read. */
function checkName(fields: YamlMap, folder: string, source: Source, say: Say): void {
  const value = pairOf(fields, 'name')?.value;
  const name = value?.type === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
  if (value === undefined || name === undefined || lookupName(name) !== lookupName(folder)) return;
  if (NAME.test(name) && name === folder) return;
  const proper = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const message = NAME.test(name)
    ? `The name "${name}" is not the folder's, "${folder}".`
    : `The name "${name}" must be 1 to 64 lower-case letters and digits, with single hyphens between them.`;
  if (NAME.test(folder))
    say('skill-name', value.at, message, `Write "name: ${folder}".`, editOf(value, folder, { source }));
  else say('skill-name', value.at, message, `Rename the folder to "${proper}", and write "name: ${proper}".`);
}

function checkText(pair: YamlPair | undefined, rule: string, say: Say): void {
  if (!pair || isNull(pair.value)) return;
  const { value } = pair;
  if (value.type === 'scalar' && typeof value.value === 'string') return;
  say(rule, value.at, `The key "${pair.key}" must be a text, not ${describeNode(value)}.`, 'Put it in quotes.');
}

function checkCompatibility(pair: YamlPair | undefined, say: Say): void {
  if (!pair) return;
  checkText(pair, 'skill-compatibility', say);
  const { value } = pair;
  const text = value.type === 'scalar' ? (value.value ?? '') : undefined;
  if (typeof text !== 'string') return;
  const { length } = [...text.trim()];
  if (length >= 1 && length <= MAX_COMPATIBILITY) return;
  const message =
    length === 0
      ? 'The key "compatibility" is empty.'
      : `The key "compatibility" has ${length} characters; at most ${MAX_COMPATIBILITY} are allowed.`;
  say('skill-compatibility', value.at, message, length === 0 ? 'Remove it.' : 'Shorten it.');
}

/** That it is a mapping is said where the skill is read. */
function checkMetadata(pair: YamlPair | undefined, source: Source, say: Say): void {
  if (pair?.value.type !== 'map') return;
  for (const { key, value } of pair.value.pairs) {
    if (value.type === 'broken' || (value.type === 'scalar' && typeof value.value === 'string')) continue;
    const message = `"${key}" of the metadata must be a text, not ${describeNode(value)}.`;
    const isPlain = value.type === 'scalar' && value.value !== null;
    const quoted = isPlain && !value.isAlias ? `"${source.text.slice(value.start, value.end)}"` : undefined;
    say(
      'skill-metadata',
      value.at,
      message,
      quoted ? `Write ${quoted}.` : 'Write one text.',
      quoted ? replacement(value, quoted, { source }) : undefined,
    );
  }
}

function checkTools(pair: YamlPair | undefined, source: Source, say: Say): void {
  const value = pair?.value;
  if (value?.type !== 'scalar' || typeof value.value !== 'string') return;
  const outside = value.value.replace(/\([^)]*\)/g, '');
  if (!outside.includes(',')) return;
  const written = source.text.slice(value.start, value.end);
  const spaced = written.replace(/\([^)]*\)|\s*,\s*/g, (part) => (part.startsWith('(') ? part : ' '));
  const message = 'The tools of "allowed-tools" have commas between them.';
  say(
    'skill-allowed-tools',
    value.at,
    message,
    `Write ${spaced}, with blanks.`,
    replacement(value, spaced, { source }),
  );
}
