/** Reads one skill folder, leniently: what was repaired or left out is said. */
import path from 'node:path';
import type { JsonObject } from '../core/json.js';
import type { Skill } from '../core/plan.js';
import type { Position, Problem } from '../core/problems.js';
import { allowedTools } from './allowed-tools.js';
import { readFrontMatter } from './front-matter.js';
import { modeOf, PIPELINE_FILE, skillFile } from './skill-mode.js';
import { readText, type Source, type TextRead } from './text.js';
import { editOf } from './value-edit.js';
import { isNull, pairOf, toJson, type YamlMap, type YamlPair } from './yaml-tree.js';

const MAX_DESCRIPTION = 1_024;
const MENDED_BY: Readonly<Record<TextFault['reason'], string>> = {
  missing: 'Add a SKILL.md.',
  folder: 'Put a file in its place.',
  special: 'Put a regular file in its place.',
  outside: 'Put the file itself in the place of the link.',
  'too-large': 'Move what is long into files of its own, and name them in it.',
  encoding: 'Save it as UTF-8.',
  binary: 'Save it as plain text, in UTF-8.',
  unreadable: 'Look at its permissions.',
};

type TextFault = Extract<TextRead, { type: 'fault' }>;

export interface SkillRead {
  /** Undefined if it cannot be used. */
  readonly skill?: Skill;
  readonly problems: readonly Problem[];
}

/** The form in which names are compared: case, hyphen, underscore do not matter. */
export function lookupName(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('-', '_');
}

/**
 * @param dir absolute
 * @param strict turns warnings into errors
 */
export function readSkill(dir: string, strict = false): SkillRead {
  const name = path.basename(dir);
  const file = skillFile(dir);
  const runsAs = modeOf(dir);
  if (!file) {
    if (!runsAs) return { problems: [noSkill(dir)] };
    return { skill: { name, dir, body: '', metadata: {}, runsAs }, problems: [] };
  }
  const read = readText(file, [dir]);
  if (read.type === 'fault') {
    return {
      problems: [
        {
          severity: 'error',
          rule: 'skill-unreadable',
          message: `The skill "${name}" cannot be read. ${read.message}`,
          at: read.at,
          hint: MENDED_BY[read.reason],
        },
      ],
    };
  }
  const { fields, isPresent, body, problems: first } = readFrontMatter(read.source);
  const problems = [...first];
  const start: Position = { file, line: 1, column: 1 };
  const warn = (rule: string, message: string, at = start, hint?: string): void => {
    problems.push({ severity: 'warning', rule, message, at, ...(hint ? { hint } : {}) });
  };
  if (!isPresent) {
    warn(
      'skill-no-front-matter',
      `The skill "${name}" has no front matter: it runs by name, but is not offered to a model.`,
      start,
      'Begin the file with ---, name, description, ---.',
    );
  }
  const isBroken = problems.some((problem) => problem.severity === 'error');
  if (body.trim() === '' && !isBroken)
    warn(
      'skill-empty-body',
      `The skill "${name}" has no text after its front matter.`,
      start,
      'Write below it what the skill does.',
    );
  const known = fields ? readFields(fields, name, read.source, problems) : {};
  if (isPresent && fields && !known.description) {
    warn(
      'skill-description',
      `The skill "${name}" has no description: it runs by name, but is not offered to a model.`,
      fields.at,
      'Add "description: …".',
    );
  }
  const judged = strict ? problems.map((problem): Problem => ({ ...problem, severity: 'error' })) : problems;
  if (judged.some((problem) => problem.severity === 'error')) return { problems: judged };
  const skill: Skill = { name, dir, file, body, ...notesIn(dir), metadata: {}, ...known, runsAs: runsAs ?? 'agent' };
  return { skill, problems: judged };
}

function notesIn(dir: string): Pick<Skill, 'notes'> {
  const file = path.join(dir, 'REACT_AGENT.md');
  const read = readText(file, [dir]);
  return read.type === 'text' ? { notes: { file, text: read.source.text } } : {};
}

interface Fields {
  readonly description?: string;
  readonly allowedTools?: readonly string[];
  readonly metadata?: JsonObject;
}

function readFields(fields: YamlMap, folder: string, source: Source, problems: Problem[]): Fields {
  const say = (severity: Problem['severity'], rule: string, message: string, pair: YamlPair, hint?: string): void => {
    problems.push({ severity, rule, message, at: pair.value.at, ...(hint ? { hint } : {}) });
  };
  checkName(fields, folder, source, problems);
  const tools = pairOf(fields, 'tools');
  if (tools && !pairOf(fields, 'allowed-tools')) {
    problems.push({
      severity: 'warning',
      rule: 'skill-tools',
      message: 'The key "tools" is not read.',
      at: tools.keySpan.at,
      hint: 'Did you mean "allowed-tools"?',
      edit: {
        start: tools.keySpan.start + source.skipped,
        end: tools.keySpan.end + source.skipped,
        text: 'allowed-tools',
      },
    });
  }
  const description = readDescription(pairOf(fields, 'description'), say);
  const allowed = readAllowedTools(pairOf(fields, 'allowed-tools'), say);
  const metadataPair = pairOf(fields, 'metadata');
  const isMapping = metadataPair?.value.type === 'map';
  if (metadataPair && !isMapping && !isNull(metadataPair.value)) {
    const hint = 'Write keys below it, with a blank more before each, or remove it.';
    say('warning', 'skill-metadata', 'The key "metadata" is no mapping: it is left out.', metadataPair, hint);
  }
  return {
    ...(description === undefined ? {} : { description }),
    ...(allowed === undefined ? {} : { allowedTools: allowed }),
    ...(metadataPair && isMapping ? { metadata: toJson(metadataPair.value) as JsonObject } : {}),
  };
}

type Say = (severity: Problem['severity'], rule: string, message: string, pair: YamlPair, hint?: string) => void;

/** The folder's name counts; one that is written differently is only said. */
function checkName(fields: YamlMap, folder: string, source: Source, problems: Problem[]): void {
  const pair = pairOf(fields, 'name');
  const { at } = pair?.value ?? fields;
  const wrong = nameProblem(pair, folder);
  if (!wrong) return;
  // A proper name of a folder is the one answer.
  const isProper = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(folder);
  const edit = pair?.value.type === 'scalar' && isProper ? editOf(pair.value, folder, { source }) : undefined;
  problems.push({
    severity: 'warning',
    rule: 'skill-name',
    at,
    hint: `Write "name: ${folder}".`,
    ...wrong,
    ...(edit ? { edit } : {}),
  });
}

function nameProblem(pair: YamlPair | undefined, folder: string): { readonly message: string } | undefined {
  if (!pair || isNull(pair.value)) return { message: `There is no name: the folder's, "${folder}", counts.` };
  const name = pair.value.type === 'scalar' ? pair.value.value : undefined;
  if (typeof name !== 'string' || name.trim() === '') {
    return { message: `The name is not a text: the folder's, "${folder}", counts.` };
  }
  if (/[/\\]/.test(name) || name.startsWith('.')) {
    return {
      message: `The name "${name}" is a path; a skill is never looked up by one: the folder's name, "${folder}", counts.`,
    };
  }
  if (lookupName(name) !== lookupName(folder)) {
    return { message: `The name "${name}" is not the folder's, "${folder}"; the folder's counts.` };
  }
  if (name.length > 64) return { message: `The name has ${name.length} characters; at most 64 are portable.` };
  return undefined;
}

function readDescription(pair: YamlPair | undefined, say: Say): string | undefined {
  if (pair?.value.type !== 'scalar') return undefined;
  const text = pair.value.value === null ? '' : String(pair.value.value).trim();
  if (text === '') return undefined;
  const characters = [...text];
  if (characters.length <= MAX_DESCRIPTION) return text;
  say(
    'warning',
    'skill-description',
    `The description has ${characters.length} characters; a model is shown the first ${MAX_DESCRIPTION}.`,
    pair,
    'Shorten it.',
  );
  return `${characters.slice(0, MAX_DESCRIPTION - 1).join('')}…`;
}

function readAllowedTools(pair: YamlPair | undefined, say: Say): readonly string[] | undefined {
  if (!pair || isNull(pair.value)) return undefined;
  const allowed = allowedTools(pair.value);
  if (!allowed) {
    say(
      'error',
      'skill-tools',
      '"allowed-tools" is neither a text nor a list of texts.',
      pair,
      'Write for example "allowed-tools: Read Grep".',
    );
    return undefined;
  }
  if (allowed.ignored.length > 0) {
    say(
      'warning',
      'skill-tools',
      `These tools have no counterpart here and are left out: ${allowed.ignored.join(', ')}.`,
      pair,
      'Let the skill do without them: Read, Write, Edit, Glob, Grep are here.',
    );
  }
  return allowed.tools;
}

function noSkill(dir: string): Problem {
  const message = `The folder "${path.basename(dir)}" holds no SKILL.md, no ${PIPELINE_FILE}, no scripts/run.*.`;
  return {
    severity: 'error',
    rule: 'skill-missing',
    message,
    at: { file: dir, line: 1, column: 1 },
    hint: 'Add a SKILL.md.',
  };
}
