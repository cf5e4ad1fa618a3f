import { expect, it } from 'vitest';
import type { Problem } from '../../src/core/problems.js';
import { fixedText, problemsJson, problemsText } from '../../src/load/report.js';

const problem: Problem = {
  severity: 'error',
  rule: 'unknown-need',
  message: 'Step "draft" needs "outlnie", but no step has that id.',
  at: { file: '/p/skills/essay/pipeline.yaml', line: 14, column: 13 },
  hint: 'Did you mean "outline"?',
  edit: { start: 1, end: 2, text: 'outline' },
};

it('says what, where, and what to do', () => {
  expect(problemsText([problem], { cwd: '/p' })).toBe(
    '✗ Step "draft" needs "outlnie", but no step has that id.\n  at   skills/essay/pipeline.yaml:14:13\n  try  Did you mean "outline"?',
  );
});

it('shows the whole path of what lies elsewhere', () => {
  expect(problemsText([problem], { cwd: '/p/skills/other' })).toContain('at   /p/skills/essay/pipeline.yaml:14:13');
});

it('paints only with the functions it is given', () => {
  const paint = {
    error: (text: string) => `<${text}>`,
    warning: (text: string) => `(${text})`,
    done: (text: string) => `[${text}]`,
    dim: (text: string) => text,
  };
  expect(problemsText([problem, { ...problem, severity: 'warning' }], { cwd: '/p', paint })).toMatch(
    /^<✗>[\s\S]*\(!\)/,
  );
});

it('does not let the text of a file steer the terminal', () => {
  expect(problemsText([{ ...problem, message: 'a\u001b[31mb\u0007' }], { cwd: '/p' })).toContain(
    'a\\u001b[31mb\\u0007',
  );
  expect(problemsText([{ ...problem, message: 'a\u202eb\nc' }], { cwd: '/p' })).toContain('a\\u202eb c');
});

it('is the same as data', () => {
  expect(problemsJson([problem], { cwd: '/p' })).toEqual([
    {
      severity: 'error',
      rule: 'unknown-need',
      message: problem.message,
      file: 'skills/essay/pipeline.yaml',
      line: 14,
      column: 13,
      hint: problem.hint,
      edit: problem.edit,
    },
  ]);
});

it('says each edit that was made in one line, with its place', () => {
  const edit = { file: '/p/skills/essay/pipeline.yaml', line: 14, column: 13, rule: 'unknown-need' };
  expect(fixedText([{ ...edit, from: 'outlnie', to: 'outline' }], { cwd: '/p' })).toBe(
    '✓ skills/essay/pipeline.yaml:14:13  outlnie → outline',
  );
  const long = fixedText([{ ...edit, from: 'a\u001b[31m', to: 'b'.repeat(100) }], { cwd: '/p' });
  expect(long).toContain(`a\\u001b[31m → ${'b'.repeat(59)}…`);
});
