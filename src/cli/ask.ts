/** Puts a question to the person at the terminal: what is asked, the choices with their numbers, a comment. */
import { cutTo } from '../core/columns.js';
import type { Answer, Ask, Question } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { plainLines, plainText } from '../core/plain-text.js';
import { columnsOfScreen } from './output.js';
import { wrapped } from './wrapped.js';

/** Where a person is: reads keys, shows text. */
export interface Desk {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly color: boolean;
  columns(): number;
  /** Keeps everybody else off the screen until the returned function is called. */
  hold(): () => void;
  /** Ctrl-C was pressed. */
  interrupt(): void;
}

/** At the terminal of this process, or undefined when nobody can be asked there. */
export function deskHere(color: boolean, hold: Desk['hold']): Desk | undefined {
  const { stdin, stderr, env } = process;
  if (!stdin.isTTY || !stderr.isTTY || env.CI) return undefined;
  return {
    input: stdin,
    output: stderr,
    color,
    columns: () => columnsOfScreen(stderr),
    hold,
    interrupt: () => process.kill(process.pid, 'SIGINT'),
  };
}

/**
 * Questions that come at once are put one after the other. Rejects with `run.unanswered` when the person leaves one open (Ctrl-D).
 * @param comment was given already, and is not asked for
 */
export function askAt(desk: Desk, comment?: string): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const mine = Promise.race([last, aborted(signal)]).then(() => askOne(desk, question, comment, signal));
    last = Promise.allSettled([last, mine]);
    return mine;
  };
}

async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function askOne(desk: Desk, question: Question, given: string | undefined, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const { createInterface } = await import('node:readline/promises');
  const release = desk.hold();
  const reader = createInterface({ input: desk.input, output: desk.output, terminal: true, historySize: 0 });
  reader.on('SIGINT', desk.interrupt);
  const left = new AbortController();
  reader.once('close', () => left.abort());
  const either = AbortSignal.any([signal, left.signal]);
  const readLine = (prompt: string) => reader.question(prompt, { signal: either });
  try {
    desk.output.write(questionText(question, desk));
    const choice = await readChoice(readLine, desk, question.choices);
    if (given !== undefined) return { choice, comment: given };
    const comment = await readLine('Comment (Enter for none): ');
    return { choice, comment: plainText(comment).trim() };
  } catch (error) {
    signal.throwIfAborted();
    if (left.signal.aborted) throw new Fault('run.unanswered', 'the question was left open');
    throw error;
  } finally {
    reader.close();
    release();
  }
}

/** What a person sees before the cursor waits. */
export function questionText({ path, title, ask, choices }: Question, desk: Pick<Desk, 'color' | 'columns'>): string {
  const paint = (code: string, text: string) => (desk.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const columns = desk.columns() - 1;
  const name = title === path ? path : `${plainText(title)}  (${path})`;
  const numbers = areNumbered(choices);
  const list = choices.map((choice, at) => `  ${numbers ? `${at + 1}  ` : ''}${cutTo(plainText(choice), columns - 8)}`);
  const shown = wrapped(plainLines(ask).trimEnd(), columns);
  const asked = shown === '' ? [] : [shown, ''];
  return ['', paint('1', `? ${cutTo(name, columns - 2)}`), '', ...asked, ...list, '', ''].join('\n');
}

/** A choice that is a number itself would be taken for another's. */
function areNumbered(choices: readonly string[]): boolean {
  return !choices.some((choice) => /^\s*\d+\s*$/.test(choice));
}

async function readChoice(
  readLine: (prompt: string) => Promise<string>,
  desk: Desk,
  choices: readonly string[],
): Promise<string> {
  const numbered = areNumbered(choices);
  const range = choices.length === 1 ? '1' : `1 to ${choices.length}`;
  const what = numbered ? `Number (${range}) or name` : 'Name';
  for (;;) {
    const typed = (await readLine(`${what} of your choice, Ctrl-D to leave it open: `)).trim();
    if (typed === '') continue;
    const choice = chosenBy(typed, choices, numbered);
    if (choice !== undefined) return choice;
    const commands = typed.startsWith('/') ? ' Commands are taken again when this is answered or left open.' : '';
    desk.output.write(`"${cutTo(plainText(typed), 40)}" is none of the choices.${commands}\n`);
  }
}

/** @param numbered whether the choices were shown with numbers */
export function chosenBy(typed: string, choices: readonly string[], numbered: boolean): string | undefined {
  const exact = choices.find((choice) => choice === typed || choice.trim() === typed);
  if (exact !== undefined) return exact;
  if (numbered && /^\d+$/.test(typed)) return choices[Number(typed) - 1];
  const plain = (text: string) => plainText(text).trim().normalize('NFKC').toLowerCase();
  const same = choices.filter((choice) => plain(choice) === plain(typed));
  return same.length === 1 ? same[0] : undefined;
}
