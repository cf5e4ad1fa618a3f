/** Splits a SKILL.md into its YAML front matter, which is never executed, with what follows it. */
import matter from 'gray-matter';
import type { Problem } from '../core/problems.js';
import { type Source, sourceOf } from './text.js';
import { parseYaml } from './yaml-text.js';
import { toJson, type YamlMap } from './yaml-tree.js';

export interface FrontMatter {
  /** Undefined if there is no front matter, or none that can be read. */
  readonly fields: YamlMap | undefined;
  readonly isPresent: boolean;
  readonly body: string;
  readonly problems: readonly Problem[];
}

interface Parts {
  /** Offsets of the YAML between the two fences. */
  readonly start: number;
  readonly end: number;
  readonly body: string;
}

export function readFrontMatter(source: Source): FrontMatter {
  const split = splitParts(source);
  if ('body' in split) return { fields: undefined, isPresent: false, body: unixLines(split.body), problems: [] };
  const { parts, problems } = split;
  if (!parts) return { fields: undefined, isPresent: true, body: '', problems };
  let fields: YamlMap | undefined;
  const found: Problem[] = [...problems];
  const parse = (): object => {
    const tree = parseLeniently(source, parts);
    found.push(...tree.problems);
    if (tree.root?.type !== 'map') {
      if (tree.root) found.push(notAMapping(source, parts));
      return {};
    }
    fields = tree.root;
    return toJson(tree.root) as object;
  };
  const refuse = (): never => {
    throw new Error('Only YAML front matter is read.');
  };
  const yaml = shortBlanks(source.text.slice(parts.start, parts.end));
  const { content } = matter(`---\n${yaml}\n---\n${parts.body}`, {
    language: 'yaml',
    engines: { yaml: parse, js: refuse, javascript: refuse, json: refuse, coffee: refuse },
  });
  return { fields, isPresent: true, body: unixLines(content), problems: found };
}

/** gray-matter only looks whether there is anything in it, in time that is the square of a run of blanks. */
function shortBlanks(yaml: string): string {
  return yaml.replace(/\s{2,}/g, (blanks) => (/[\n\r\u2028\u2029]/.test(blanks) ? '\n' : ' '));
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Our own reading of the fences: gray-matter would execute what stands behind `---js`, and take a missing end for an empty body. */
function splitParts(source: Source): { parts?: Parts; problems: Problem[] } | { body: string } {
  const { text } = source;
  const problems: Problem[] = [];
  const open = /^(?:[ \t]*\r?\n)*---([^\n]*)(?:\n|$)/.exec(text);
  const rest = open?.[1]?.trim() ?? '';
  if (!open || /^-+$/.test(rest)) return { body: text };
  const fence = open[0].search(/---/);
  if (rest !== '') {
    const message = `Only YAML front matter is read; the first line says "---${rest.slice(0, 40)}".`;
    const hint = 'Write "---" alone in the first line.';
    return { problems: [{ severity: 'error', rule: 'skill-unsafe', message, at: source.position(fence), hint }] };
  }
  const start = open[0].length;
  const fences = /^(---|\.\.\.)([^\n]*)(?:\n|$)/gm;
  fences.lastIndex = start;
  for (let close = fences.exec(text); close; close = fences.exec(text)) {
    const isDots = close[1] === '...';
    if ((close[2] ?? '').trim() !== '') {
      if (isDots) continue;
      const message = 'A line of the front matter begins with "---" and goes on.';
      return {
        problems: [
          {
            severity: 'error',
            rule: 'skill-front-matter',
            message,
            at: source.position(close.index),
            hint: 'Write "---" alone in the line, or begin it with a blank.',
          },
        ],
      };
    }
    if (isDots) {
      const message = 'The front matter ends with "...".';
      problems.push({
        severity: 'warning',
        rule: 'skill-front-matter',
        message,
        at: source.position(close.index),
        hint: 'End it with "---".',
      });
    }
    const end = Math.max(start, close.index - 1);
    return { parts: { start, end, body: text.slice(close.index + close[0].length) }, problems };
  }
  const message = 'The front matter is never closed.';
  const hint = 'Write a line "---" after its last key.';
  return { problems: [{ severity: 'error', rule: 'skill-unclosed', message, at: source.position(fence), hint }] };
}

/** Values that only miss their quotes are read as if they had them, with a warning. */
function parseLeniently(source: Source, parts: Parts) {
  const strict = parseYaml(source, { part: parts, duplicateKeys: 'warning' });
  if (!strict.problems.some((problem) => problem.severity === 'error')) return strict;
  const mended = mend(source, strict.problems) ?? mendParagraphs(source, parts);
  if (!mended) return strict;
  const offset = mended.text.length - source.text.length;
  const again = parseYaml(mended, { part: { start: parts.start, end: parts.end + offset }, duplicateKeys: 'warning' });
  if (again.problems.some((problem) => problem.severity === 'error')) return strict;
  const warnings = strict.problems
    .filter((problem) => problem.severity === 'error')
    .map(({ hint, ...problem }): Problem => {
      const message = `${problem.message} It was read as if it were quoted.`;
      return {
        ...problem,
        severity: 'warning',
        message,
        ...(hint ? { hint: hint.replace('expression', 'value') } : {}),
      };
    });
  return { root: again.root, problems: [...warnings, ...again.problems] };
}

function mend(source: Source, problems: readonly Problem[]): Source | undefined {
  const errors = problems.filter((problem) => problem.severity === 'error');
  let text = source.text;
  for (const { edit } of errors.toReversed()) {
    if (!edit) return undefined;
    text = text.slice(0, edit.start - source.skipped) + edit.text + text.slice(edit.end - source.skipped);
  }
  return sourceOf(source.file, text);
}

/** Quotes plain values of the first level that go on over further lines. */
function mendParagraphs(source: Source, parts: Parts): Source | undefined {
  const yaml = source.text.slice(parts.start, parts.end);
  const mended = yaml.replace(
    /^([A-Za-z_][\w-]*:[ \t]+)([^\s"'[{|>&*!#][^\n]*(?:\n[ \t]+[^\n]*)+)/gm,
    (_, key: string, value: string) => `${key}'${value.trimEnd().replaceAll("'", "''")}'`,
  );
  if (mended === yaml) return undefined;
  return sourceOf(source.file, source.text.slice(0, parts.start) + mended + source.text.slice(parts.end));
}

function notAMapping(source: Source, parts: Parts): Problem {
  const message = 'The front matter is no mapping of keys to values.';
  return {
    severity: 'error',
    rule: 'skill-front-matter',
    message,
    at: source.position(parts.start),
    hint: 'Write "name: …" and "description: …".',
  };
}
