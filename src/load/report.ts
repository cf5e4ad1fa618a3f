/** Problems as text for people, or as JSON for programs. */
import path from 'node:path';
import type { Json } from '../core/json.js';
import type { Problem } from '../core/problems.js';

/** How parts of the text look on a terminal. */
export interface Paint {
  error(text: string): string;
  warning(text: string): string;
  dim(text: string): string;
}

export interface ReportOptions {
  /** Paths are shown relative to it. */
  readonly cwd: string;
  readonly paint?: Paint | undefined;
}

const PLAIN: Paint = { error: (text) => text, warning: (text) => text, dim: (text) => text };

/**
 * ```
 * ✗ Step "draft" needs "outlnie", but no step has that id.
 *   at   skills/essay/pipeline.yaml:14:13
 *   try  Did you mean "outline"?
 * ```
 */
export function problemsText(problems: readonly Problem[], { cwd, paint = PLAIN }: ReportOptions): string {
  return problems
    .map((problem) => {
      const mark = problem.severity === 'error' ? paint.error('✗') : paint.warning('!');
      const lines = [`${mark} ${printable(problem.message)}`];
      if (!PLACELESS.has(problem.rule)) lines.push(`  ${paint.dim('at')}   ${placeOf(problem, cwd)}`);
      if (problem.hint) lines.push(`  ${paint.dim('try')}  ${printable(problem.hint)}`);
      return lines.join('\n');
    })
    .join('\n');
}

export function problemsJson(problems: readonly Problem[], { cwd }: ReportOptions): Json {
  return problems.map(({ severity, rule, message, at, hint, edit }) => ({
    severity,
    rule,
    message,
    file: shownPath(at.file, cwd),
    line: at.line,
    column: at.column,
    ...(hint === undefined ? {} : { hint }),
    ...(edit === undefined ? {} : { edit: { start: edit.start, end: edit.end, text: edit.text } }),
  }));
}

/** What was asked for on the command line stands in no file. */
const PLACELESS = new Set(['missing-target', 'no-such-skill']);

function placeOf({ at }: Problem, cwd: string): string {
  return `${printable(shownPath(at.file, cwd))}:${at.line}:${at.column}`;
}

/** What lies elsewhere keeps its whole path. */
function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  if (relative === '') return '.';
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? file : relative;
}

/** A file's text must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
