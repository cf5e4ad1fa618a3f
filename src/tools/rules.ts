/** Which commands a grant such as `shell(git log *)` allows, as the argument lists that are run without a shell. */
import { Fault } from '../core/faults.js';
import type { Tool } from '../core/tool.js';
import { ANY, ruleWords, shellWords } from './words.js';

/** A tool of commands, which grants can narrow. */
export interface RuledTool extends Tool {
  /** The same tool for the commands that one of these rules covers. Throws `config.invalid` for what is no rule. */
  narrowed(rules: readonly string[]): Tool;
}

export function takesRules(tool: Tool): tool is RuledTool {
  return 'narrowed' in tool && typeof tool.narrowed === 'function';
}

/** `git log *` as data: its words, then anything or nothing. */
interface Rule {
  /** As it is shown. */
  readonly written: string;
  /** `ANY` stands for any one word. */
  readonly words: readonly (string | typeof ANY)[];
  /** It ends with `*`: further words are allowed. */
  readonly open: boolean;
}

/** Throws `config.invalid`. `git log:*`, as other programs write it, is `git log *`. */
export function parseRule(written: string): Rule {
  const text = written.trim().replace(/:\*$/, ' *');
  const read = ruleWords(text);
  if ('problem' in read) {
    throw new Fault('config.invalid', `The rule ${JSON.stringify(written)} covers no command: ${read.problem}.`, {
      hint: 'Write the words of one command; * as a whole word stands for any word, at the end for any further ones.',
    });
  }
  const { words } = read;
  const open = words.length > 1 && words.at(-1) === ANY;
  if (typeof words[0] !== 'string' || words[0] === '') {
    throw new Fault('config.invalid', `The rule ${JSON.stringify(written)} names no program.`, {
      hint: 'Begin it with the name of a program, e.g. git log *.',
    });
  }
  return { written: text, words: open ? words.slice(0, -1) : words, open };
}

/** The argument list of a command that a rule covers, or why it is not run. */
export function allowedWords(
  rules: readonly Rule[],
  command: string,
): { readonly argv: readonly string[] } | { readonly problem: string } {
  const read = shellWords(command);
  if ('problem' in read) return read;
  if (read.words.length === 0) return { problem: 'it is empty' };
  return rules.some((rule) => covers(rule, read.words))
    ? { argv: read.words }
    : { problem: 'no rule covers its words' };
}

function covers({ words, open }: Rule, given: readonly string[]): boolean {
  if (open ? given.length < words.length : given.length !== words.length) return false;
  return words.every((word, i) => word === ANY || word === given[i]);
}
