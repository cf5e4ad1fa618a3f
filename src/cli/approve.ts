/** pipeline approve: answers a gate of a run, from whatever terminal. */
import type { Answer } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { nearest } from '../core/problems.js';
import { shellWord } from '../core/shell-word.js';
import { findOpenGate, type OpenGate } from '../engine/open-gates.js';
import { nameOfRun } from '../engine/ways-on.js';
import { askAt, deskHere, questionText } from './ask.js';
import { askedLines } from './asked.js';
import { resumeLineAt } from './go-on.js';
import { namedRun } from './named-run.js';
import { printJson, say, stderrScreen } from './output.js';
import { stopOnSignals } from './signals.js';

export interface ApproveOptions {
  readonly choice?: string;
  /** Asked for at a terminal unless given. */
  readonly comment?: string;
  readonly json?: boolean;
}

export async function approveCommand(run: string, step: string, options: ApproveOptions): Promise<void> {
  const dir = namedRun(run);
  const gate = findOpenGate(dir, step);
  const { choice, comment, by, at } = gate.answer(await answerFor(gate, options));
  const { question } = gate;
  const name = nameOfRun(dir);
  const ends = question.reject.includes(choice);
  if (options.json) {
    return printJson({
      run: name,
      step: gate.path,
      title: question.title,
      ask: question.ask,
      choice,
      comment,
      by,
      at,
      ends,
    });
  }
  const effect = ends ? ': it ends the run as refused' : '';
  say(`✓ ${gate.path}: ${plainText(choice)}${effect}`);
  say(gate.isAsking ? '  The run goes on with it.' : `  go on  ${resumeLineAt(dir)}`);
}

async function answerFor(gate: OpenGate, { choice, comment, json }: ApproveOptions): Promise<Answer> {
  const { path, question } = gate;
  const { choices } = question;
  const screen = stderrScreen();
  const shown = { path, ...question };
  if (choice !== undefined) {
    if (!choices.includes(choice)) throw unknownChoice(choice, gate);
    if (!json) say(questionText(shown, screen));
    return { choice, comment: comment ?? '' };
  }
  const desk = json ? undefined : deskHere(screen.color, () => () => undefined);
  if (!desk) {
    const asked = askedLines(question.ask, gate.file).map((line) => `  ${line}`.trimEnd());
    throw new Fault('input.invalid', [`"${path}" needs a choice. It asks:`, ...asked].join('\n'), {
      hint: `Write ${choices.map((choice) => `--choice ${shellWord(choice)}`).join(' or ')}`,
    });
  }
  const { signal, release } = stopOnSignals();
  try {
    return await askAt(desk, comment)(shown, signal);
  } finally {
    release();
  }
}

function unknownChoice(choice: string, { path, question: { choices } }: OpenGate): Fault {
  const near = nearest(choice, choices);
  return new Fault('input.invalid', `"${choice}" is not a choice of "${path}"`, {
    hint: near
      ? `Did you mean --choice ${shellWord(near)}? Choices: ${wordsOf(choices)}`
      : `Choices: ${wordsOf(choices)}`,
  });
}

function wordsOf(choices: readonly string[]): string {
  return choices.map(shellWord).join(', ');
}
