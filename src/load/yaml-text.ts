/** YAML text → a tree with positions, or every mistake in it, traps by name. */
import type { Position, Problem } from '../core/problems.js';
import type { Source } from './text.js';
import { treeOf } from './yaml.js';
import { composeYaml, type Mistake } from './yaml-compose.js';
import { readPlainYaml } from './yaml-plain.js';
import { suspectsAt, trapOf } from './yaml-traps.js';
import type { YamlNode } from './yaml-tree.js';

/** Characters that may be composed again to find repairs; what is broken beyond that is only reported. */
const REPAIR_CHARACTERS = 300_000;
const MAX_PROBLEMS = 100;

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
  const plain = options.part ? undefined : readPlainYaml(source);
  if (plain) return { root: plain, problems: [] };
  const base = options.part?.start ?? 0;
  const whole = source.text.slice(base, options.part?.end);
  const problems: Problem[] = [];
  const at = (offset: number): Position => source.position(offset + base);
  const broken = new Set<number>();
  const budget = { left: REPAIR_CHARACTERS };
  let text = whole;
  for (;;) {
    const composed = composeYaml(text);
    if (composed.type === 'refused') {
      const { rule, message, offset } = composed;
      return { root: undefined, problems: [...problems, { severity: 'error', rule, message, at: at(offset) }] };
    }
    const { mistakes } = composed;
    const first = mistakes[0];
    if (!first) {
      const { duplicateKeys = 'error' } = options;
      const tree = treeOf(composed.first, { source, base, text, broken, duplicateKeys });
      return { root: tree.root, problems: firstOnes([...problems, ...tree.problems]) };
    }
    const repair = findRepair(text, first, mistakes.length, budget);
    if (!repair) return { root: undefined, problems: firstOnes([...problems, ...plainProblems(mistakes, at)]) };
    const value = whole.slice(repair.start, repair.end);
    const { quoted, at: within = 0, ...trap } = trapOf(value, repair.inFlow);
    const offset = base + source.skipped;
    const place = { start: repair.start + offset, end: repair.end + offset };
    const edit = quoted === undefined ? {} : { edit: { ...place, text: quoted } };
    problems.push({ severity: 'error', ...trap, at: at(repair.start + within), ...edit });
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
function findRepair(
  text: string,
  mistake: Mistake,
  mistakesBefore: number,
  budget: { left: number },
): Repair | undefined {
  for (const { start, end } of suspectsAt(text, mistake.offset)) {
    budget.left -= text.length;
    if (budget.left < 0) return undefined;
    const placeholder = `~${' '.repeat(end - start - 1)}`;
    const repaired = text.slice(0, start) + placeholder + text.slice(end);
    const composed = composeYaml(repaired);
    if (composed.type === 'refused') continue;
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

const STRAIGHT = 'Keys of one mapping stand in one column.';
const IN_QUOTES = 'If it is an expression, put it in single quotes.';

function plainWords(code: string, message: string): { message: string; hint?: string } {
  switch (code) {
    case 'TAB_AS_INDENT':
      return { message: 'A tab stands where YAML wants spaces.', hint: 'Indent with two spaces.' };
    case 'MULTIPLE_DOCS':
      return { message: 'The file holds more than one YAML document.', hint: 'Remove the line "---".' };
    case 'BAD_INDENT':
      if (/^Flow (map|sequence)/.test(message)) {
        const [open, close] = /^Flow map/.test(message) ? ['{', '}'] : ['[', ']'];
        return { message: `A "${open}" above is not closed before this line.`, hint: `Close it with "${close}".` };
      }
      return { message: 'This line is not indented like the others of its mapping or list.', hint: STRAIGHT };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { message: 'Here begins a mapping that YAML does not expect.', hint: `${STRAIGHT} ${IN_QUOTES}` };
    case 'MULTILINE_IMPLICIT_KEY':
      return { message: 'This is neither a key nor a value.', hint: 'A colon and a blank follow a key: "id: a_name".' };
    case 'NON_STRING_KEY':
      return { message: 'A key must be a text.' };
    case 'BAD_DQ_ESCAPE':
      return { message: `${message}.`, hint: 'In double quotes write \\\\ for a backslash, or use single quotes.' };
    case 'MISSING_CHAR':
      if (/closing/.test(message)) return { message: 'This quote is never closed.' };
      if (/^Sequence item/.test(message))
        return { message: 'This line is not indented like the list or the mapping it belongs to.', hint: STRAIGHT };
      return { message: `${message}.` };
    default:
      return {
        message: `This is not valid YAML: ${message}.`,
        hint: IN_QUOTES,
      };
  }
}

/** Nobody reads more; the rest shows when these are mended. */
function firstOnes(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column).slice(0, MAX_PROBLEMS);
}
