/** Collects the problems of one load. */
import type { Position, Problem } from '../core/problems.js';

export interface More {
  readonly hint?: string | undefined;
  readonly edit?: Problem['edit'] | undefined;
}

export interface Notes {
  readonly problems: Problem[];
  error(rule: string, at: Position, message: string, more?: More): void;
  warn(rule: string, at: Position, message: string, more?: More): void;
}

export function takeNotes(): Notes {
  const problems: Problem[] = [];
  const add = (
    severity: Problem['severity'],
    rule: string,
    at: Position,
    message: string,
    { hint, edit }: More = {},
  ): void => {
    problems.push({ severity, rule, message, at, ...(hint ? { hint } : {}), ...(edit ? { edit } : {}) });
  };
  return {
    problems,
    error: (rule, at, message, more) => add('error', rule, at, message, more),
    warn: (rule, at, message, more) => add('warning', rule, at, message, more),
  };
}

/** What a strict check makes of warnings. */
export function asErrors(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, severity: 'error' }));
}

/** Each once, as a sentence, file by file, from top to bottom. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const sentences = problems
    .filter((problem) => !followsFrom(problem, problems))
    .map((problem): Problem => ({ ...problem, message: sentence(problem.message) }));
  const unique = new Map(
    sentences.map((problem) => [JSON.stringify([problem.rule, problem.message, problem.at]), problem]),
  );
  return [...unique.values()].sort((a, b) => {
    if (a.at.file !== b.at.file) return a.at.file < b.at.file ? -1 : 1;
    return a.at.line - b.at.line || a.at.column - b.at.column;
  });
}

/** A list that is not there has no bound either: only what is wrong with the expression is said. */
function followsFrom({ rule, at }: Problem, problems: readonly Problem[]): boolean {
  if (rule !== 'max-items') return false;
  return problems.some(
    (other) =>
      other.severity === 'error' &&
      other.rule !== rule &&
      other.at.file === at.file &&
      other.at.line === at.line &&
      other.at.column >= at.column,
  );
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
