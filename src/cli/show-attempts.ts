/** The attempts at a step that did not give its result, as text or JSON: how each ended, what it used, what it held. */
import { cutTo } from '../core/columns.js';
import { plainText } from '../core/plain-text.js';
import { costOfCalls, counted, tokensBriefly } from '../core/words.js';
import type { AttemptRecord } from '../engine/read-attempts.js';
import type { StepRecord } from '../engine/read-steps.js';
import { type Left, leftBy } from './attempt-folder.js';
import { here } from './output.js';
import { table } from './table.js';

const MOST_FILES = 8;
const MOST_COLUMNS = 200;

interface Shown extends AttemptRecord {
  readonly left: Left | undefined;
}

export function attemptsJson(dir: string, step: StepRecord): unknown[] {
  return attemptsShown(dir, step).map(({ left, usage, ...facts }) => ({ ...facts, ...usage, ...left }));
}

/** Nothing for a step whose only attempt gave its result, or left nothing that the step itself does not tell. */
export function attemptsText(dir: string, step: StepRecord): string[] {
  const shown = attemptsShown(dir, step);
  const [first] = shown;
  const tellsMore = step.attempts.length > 1 || (first && (first.rounds > 0 || (first.left?.files.length ?? 0) > 0));
  return tellsMore ? shown.map((one) => textOf(one, one.number === step.attempts.length)) : [];
}

/** @param isLast its fault is the step's, which is said above */
function textOf({ number, status, rounds, toolCalls, usage, fault, left }: Shown, isLast: boolean): string {
  const used = [
    ...(rounds > 0 ? [counted(rounds, 'round')] : []),
    ...(toolCalls > 0 ? [counted(toolCalls, 'tool call')] : []),
    tokensBriefly(usage.inputTokens + usage.outputTokens, usage),
    costOfCalls(usage),
  ].filter((text) => text !== '');
  const facts = [
    ...(fault && !isLast ? [['fault', `${fault.code}: ${short(fault.message)}`]] : []),
    ...(left?.lastWords === undefined ? [] : [['last words', short(left.lastWords)]]),
    ...(left ? filesFacts(left) : []),
    ['folder', left ? here(left.folder) : 'it left nothing'],
  ];
  const title = [`attempt ${number}  ${wordOf(status)}`, ...used].join('  ');
  return [
    title,
    ...table(facts)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n');
}

/** The last one is the step itself, unless it failed; what waited for a person was no failure. */
function attemptsShown(dir: string, { path, attempts }: StepRecord): Shown[] {
  return attempts.flatMap((attempt, at) => {
    const isLast = at === attempts.length - 1;
    if (isLast ? attempt.status !== 'failed' : attempt.status === 'waiting') return [];
    return [{ ...attempt, left: leftBy(dir, path, attempts, at) }];
  });
}

/** Of one that others followed: it had given a result, and was done again. */
function wordOf(status: AttemptRecord['status']): string {
  return status === 'done' ? 'done, and done again' : status;
}

function filesFacts({ files, moreFiles }: Left): string[][] {
  const shown = files.slice(0, MOST_FILES);
  const more = files.length - shown.length + moreFiles;
  return [
    ...shown.map(({ path, bytes }) => ['file', `${plainText(path)}  ${counted(bytes, 'byte')}`]),
    ...(more > 0 ? [['', `… ${counted(more, 'file')} more`]] : []),
  ];
}

function short(text: string): string {
  return cutTo(plainText(text).replace(/\s+/g, ' '), MOST_COLUMNS);
}
