/** Problems, or the edits that mended some, as text for people or as JSON for programs. */
import path from 'node:path';
import type { Json } from '../core/json.js';
import { plainLines } from '../core/plain-text.js';
import type { Problem } from '../core/problems.js';
import type { Fixed } from './fix.js';

/** How parts of the text look on a terminal. */
export interface Paint {
  error(text: string): string;
  warning(text: string): string;
  done(text: string): string;
  dim(text: string): string;
}

export interface ReportOptions {
  /** Paths are shown relative to it. */
  readonly cwd: string;
  readonly paint?: Paint | undefined;
}

const same = (text: string): string => text;
const PLAIN: Paint = { error: same, warning: same, done: same, dim: same };

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
      const lines = [`${mark} ${printable(said(problem))}`];
      if (!isPlaceless(problem)) lines.push(`  ${paint.dim('at')}   ${placeOf(problem, cwd)}`);
      if (problem.hint) lines.push(`  ${paint.dim('try')}  ${printable(problem.hint)}`);
      return lines.join('\n');
    })
    .join('\n');
}

/** One line an edit: `✓ skills/essay/pipeline.yaml:14:13  outlnie → outline`. */
export function fixedText(fixed: readonly Fixed[], { cwd, paint = PLAIN }: ReportOptions): string {
  return fixed
    .map(({ file, line, column, from, to }) => {
      const place = `${printable(shownPath(file, cwd))}:${line}:${column}`;
      return `${paint.done('✓')} ${place}  ${clipped(from)} ${paint.dim('→')} ${clipped(to)}`;
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

const PLACELESS = new Set(['missing-target', 'no-such-skill', 'override']);

/** What was asked for on the command line stands in no file. */
export function isPlaceless({ rule }: Problem): boolean {
  return PLACELESS.has(rule);
}

/** An option that cannot be followed is named, as it was given. */
function said({ rule, message, at }: Problem): string {
  return rule === 'override' ? `${at.file}: ${message}` : message;
}

function placeOf({ at }: Problem, cwd: string): string {
  return `${printable(shownPath(at.file, cwd))}:${at.line}:${at.column}`;
}

/** What lies elsewhere keeps its whole path. */
function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  if (relative === '') return '.';
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? file : relative;
}

/** What was replaced, or by what: an empty text is seen as one. */
function clipped(text: string): string {
  if (text === '') return '""';
  const shown = printable(text);
  return shown.length > 60 ? `${shown.slice(0, 59)}…` : shown;
}

/** A file's text on one line, with what is hidden in it. */
function printable(text: string): string {
  return plainLines(text).replace(/[\n\t]/g, ' ');
}
