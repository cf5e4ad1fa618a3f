/** YAML text → a tree with positions, or every mistake in it, traps by name. */
import type { Position, Problem } from '../core/problems.js';
import type { Source } from './text.js';
import { composeYaml, MAX_DEPTH, type Mistake, treeOf } from './yaml.js';
import { singleQuoted, suspectsAt, trapOf } from './yaml-traps.js';
import type { YamlNode } from './yaml-tree.js';

/** A repair means composing again; a large broken text is only reported. */
const MAX_REPAIRS = 20;
const MAX_REPAIR_LENGTH = 64_000;

export interface YamlText {
  /** Undefined if the text is empty, or too broken to say anything more of it. */
  readonly root: YamlNode | undefined;
  readonly problems: readonly Problem[];
}

export interface YamlOptions {
  /** The part of the source that is YAML: the front matter of a SKILL.md. */
  readonly part?: { readonly start: number; readonly end: number };
  /** Of a key that stands twice: an error unless said otherwise. */
  readonly duplicateKeys?: 'error' | 'warning';
}

export function parseYaml(source: Source, options: YamlOptions = {}): YamlText {
  const base = options.part?.start ?? 0;
  const whole = source.text.slice(base, options.part?.end);
  const problems: Problem[] = [];
  const at = (offset: number): Position => source.position(offset + base);
  const broken = new Set<number>();
  let text = whole;
  for (let repairs = 0; ; repairs++) {
    const composed = composeYaml(text);
    if (composed.type === 'too-deep') {
      const message = `The YAML is nested deeper than ${MAX_DEPTH} levels.`;
      return {
        root: undefined,
        problems: [...problems, { severity: 'error', rule: 'yaml-depth', message, at: at(composed.offset) }],
      };
    }
    const { mistakes } = composed;
    const first = mistakes[0];
    if (!first) {
      const { duplicateKeys = 'error' } = options;
      const tree = treeOf(composed.first, { source, base, text, broken, duplicateKeys });
      return { root: tree.root, problems: sorted([...problems, ...tree.problems]) };
    }
    const repair =
      repairs < MAX_REPAIRS && text.length <= MAX_REPAIR_LENGTH ? findRepair(text, first, mistakes.length) : undefined;
    if (!repair) return { root: undefined, problems: sorted([...problems, ...plainProblems(mistakes, at)]) };
    const value = whole.slice(repair.start, repair.end);
    const { quoting, ...trap } = trapOf(value, repair.inFlow);
    const offset = base + source.skipped;
    const edit = { start: repair.start + offset, end: repair.end + offset, text: singleQuoted(value) };
    problems.push({ severity: 'error', ...trap, at: at(repair.start), ...(quoting ? { edit } : {}) });
    broken.add(repair.start);
    text = repair.text;
  }
}

interface Repair {
  readonly start: number;
  readonly end: number;
  readonly inFlow: boolean;
  /** As long as before: the value has become a `~`. */
  readonly text: string;
}

/** The value around a mistake that parses once it is quoted. */
function findRepair(text: string, mistake: Mistake, mistakesBefore: number): Repair | undefined {
  for (const { start, end } of suspectsAt(text, mistake.offset)) {
    const placeholder = `~${' '.repeat(end - start - 1)}`;
    const repaired = text.slice(0, start) + placeholder + text.slice(end);
    const composed = composeYaml(repaired);
    if (composed.type === 'too-deep') continue;
    const left = composed.mistakes;
    const isHealed = left.length < mistakesBefore && !left.some(({ offset }) => offset <= end && offset >= start);
    const isFirstGone = (left[0]?.offset ?? Number.POSITIVE_INFINITY) > mistake.offset;
    if (!isHealed || !isFirstGone) continue;
    const line = text.slice(text.lastIndexOf('\n', start) + 1, start);
    return { start, end, inFlow: mistake.code === 'CUT' || /[{[][^}\]]*$/.test(line), text: repaired };
  }
  return undefined;
}

/** One per line; what follows from an earlier one is left out. */
function plainProblems(mistakes: readonly Mistake[], at: (offset: number) => Position): Problem[] {
  const lines = new Set<number>();
  const problems: Problem[] = [];
  for (const { offset, code, message } of mistakes) {
    const position = at(offset);
    const isAftermath = problems.length > 0 && /in YAML stream/.test(message);
    if (lines.has(position.line) || isAftermath) continue;
    lines.add(position.line);
    problems.push({ severity: 'error', rule: 'yaml-syntax', ...plainWords(code, message), at: position });
  }
  return problems;
}

function plainWords(code: string, message: string): { message: string; hint?: string } {
  switch (code) {
    case 'TAB_AS_INDENT':
      return { message: 'A tab stands where YAML wants spaces.', hint: 'Indent with two spaces.' };
    case 'MULTIPLE_DOCS':
      return { message: 'The file holds more than one YAML document.', hint: 'Remove the line "---".' };
    case 'NON_STRING_KEY':
      return { message: 'A key must be a text.' };
    case 'BAD_DQ_ESCAPE':
      return { message: `${message}.`, hint: 'In double quotes write \\\\ for a backslash, or use single quotes.' };
    case 'MISSING_CHAR':
      if (/closing/.test(message)) return { message: 'This quote is never closed.' };
      return { message: `${message}.` };
    default:
      return {
        message: `This is not valid YAML: ${message}.`,
        hint: 'If it is an expression, put it in single quotes.',
      };
  }
}

function sorted(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
}
