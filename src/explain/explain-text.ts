/** An explanation as a person reads it. */

import { cutTo } from '../core/columns.js';
import { members } from '../core/compare-json.js';
import type { FaultData } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { ASKED_FOR, FILES_OF_EARLIER_STEPS, NEVER_REUSED } from '../core/reasons.js';
import { counted, duration, timeText } from '../core/words.js';
import { differenceLines, filesLines, keyLines } from './change-text.js';
import type { Explanation } from './explain.js';
import type { Outcome } from './history.js';
import { outcomeWord } from './outcome-words.js';
import { spoken } from './say.js';
import type { UsedStep } from './used-steps.js';
import type { Reason } from './why.js';

const MOST_LINES = 12;
/** Of a prompt that differs because of what other steps gave. */
const FEW_LINES = 6;
const MOST_DIFFERENCES = 4;
/** Of each, where several steps gave another value. */
const FEW_DIFFERENCES = 2;
const MOST_NOTICES = 4;
/** Of what a step, a person or a program said. */
const MOST_COLUMNS = 200;

export function explanationText(one: Explanation): string {
  const old = one.isOld ? ['the last session of the run did not come to it'] : [];
  const lines = [...bodyLines(one), ...old.map(plainText)];
  return [`${one.path}  ${headline(one)}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** What it came to, in a few words. */
function headline(one: Explanation): string {
  switch (one.type) {
    case 'reused': {
      const { from } = one;
      const place = from.path === one.path ? '' : `, ${from.path}`;
      return `reused: the result of ${from.isOrigin ? 'the run it was forked from, ' : ''}${timeText(from.at)}${place}`;
    }
    case 'skipped':
      return `skipped: ${plainText(one.reason)}`;
    case 'unbegun':
      return unbegunText(one.outcome);
    case 'holds':
      return `${outcomeWord(one.outcome)}, ${countsText(one.counts)}`;
    case 'ran': {
      const again = one.earlier || one.reasons.some(({ type }) => type === 'asked');
      const took = one.ms === undefined ? '' : ` in ${duration(one.ms)}`;
      const attempts = one.attempts > 1 ? `, ${counted(one.attempts, 'attempt')}` : '';
      return `ran ${again ? 'again' : 'for the first time'}, ${outcomeWord(one.outcome)}${took}${attempts}`;
    }
  }
}

function unbegunText(outcome: Outcome): string {
  if (outcome === 'done') return 'done without another attempt';
  if (outcome === 'waiting') return 'waiting for the word of a person';
  return `${outcomeWord(outcome)} before an attempt began`;
}

function countsText(counts: Readonly<Partial<Record<Outcome, number>>>): string {
  const word = (outcome: string) => (outcome === 'done' ? 'ran' : outcomeWord(outcome as Outcome));
  const said = Object.entries(counts).map(([outcome, count]) => `${count} ${word(outcome)}`);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `${counted(all, 'step')} in it${said.length > 0 ? `: ${said.join(', ')}` : ''}`;
}

function bodyLines(one: Explanation): string[] {
  switch (one.type) {
    case 'ran':
      return [
        ...whyLines(one.reasons),
        ...sinceLine(one),
        ...one.retries.map((fault) => `an attempt failed (${fault.code}): ${short(fault.message)}`),
        ...one.fallbacks.map(({ from, to, fault }) => short(`${from} → ${to}: ${fault.message}`)),
        ...endLines(one),
      ];
    case 'unbegun':
      return endLines(one);
    case 'reused':
      return [...usesLines(one.uses), `what it depends on is unchanged: ${dependsText(one.dependsOn)}`];
    case 'skipped':
      return [
        ...one.reads.map(({ expression, value }) => `${expression} was ${spoken(value, 80)}`),
        ...(one.cause ? [`${one.cause.path} ${outcomeWord(one.cause.outcome)}`, ...faultLines(one.cause.fault)] : []),
      ];
    case 'holds':
      return faultLines(one.fault);
  }
}

/** What was said on the way, and at the end. */
function endLines({ notices, message, fault }: Extract<Explanation, { type: 'ran' | 'unbegun' }>): string[] {
  return [
    ...notices.slice(0, MOST_NOTICES).map(short),
    ...(message === undefined ? [] : [short(message)]),
    ...faultLines(fault),
  ];
}

/** A change is one against something. */
function sinceLine({ reasons, earlier }: Extract<Explanation, { type: 'ran' }>): string[] {
  const compares = reasons.some(({ type }) => /^(used|part|files_of_steps|files_read)$/.test(type));
  if (!earlier || !compares) return [];
  return [`since the ${earlier.outcome === 'reused' ? 'reuse' : 'attempt'} of ${timeText(earlier.at)}`];
}

function faultLines(fault: { readonly code: string; readonly message: string; readonly hint?: string } | undefined) {
  if (!fault) return [];
  return [`${fault.code}: ${short(fault.message)}`, ...(fault.hint ? [`try  ${plainText(fault.hint)}`] : [])];
}

function short(text: string): string {
  return cutTo(plainText(text), MOST_COLUMNS);
}

function whyLines(reasons: readonly Reason[]): string[] {
  const used = reasons.filter(({ type }) => type === 'used').length;
  const changes = reasons.flatMap((reason) => (reason.type === 'part' ? [reason.change] : []));
  return [
    ...reasons.flatMap((reason) => reasonLines(reason, used > 1 ? FEW_DIFFERENCES : MOST_DIFFERENCES)),
    ...keyLines(changes, used > 0 ? FEW_LINES : MOST_LINES, used > 0),
  ];
}

function reasonLines(reason: Reason, mostDifferences: number): string[] {
  switch (reason.type) {
    case 'first':
      return [];
    case 'new_item':
      return [`a new item: the one that was here is now ${reason.movedTo}`];
    case 'asked':
      return [`${ASKED_FOR} (--from)`];
    case 'used':
      return usedLines(reason.step, mostDifferences);
    case 'part':
      return [];
    case 'files_of_steps':
      return filesLines(`${FILES_OF_EARLIER_STEPS} changed`, reason.files);
    case 'files_read':
      return filesLines('a file that it had read changed', reason.files);
    case 'failed':
      return [`the last attempt failed (${reason.fault.code})`];
    case 'not_cached':
      return [NEVER_REUSED];
    case 'continues':
      return [`goes on from round ${reason.rounds} ${afterText(reason.after)}`];
    case 'interrupted':
      return ['the last attempt was interrupted'];
    case 'waited':
      return ['it had been waiting for an answer'];
    case 'said':
      return reason.text === '' ? [] : [plainText(reason.text)];
  }
}

function afterText(fault: FaultData | undefined): string {
  return fault ? `where it failed (${fault.code})` : 'after an interruption';
}

function usedLines(step: UsedStep, most: number): string[] {
  const root = `steps.${step.id}.output`;
  return [
    `${step.path} gave another value: ${step.summary ?? ''}`,
    ...differenceLines(step.differences, (place) => plainText(`${root}${members(place)}`), most),
  ];
}

/** What ran again is the surprise, so it comes first; the rest is one line. */
function usesLines(uses: readonly UsedStep[]): string[] {
  const ran = uses.filter(({ ranAgain }) => ranAgain);
  const kept = uses.filter(({ ranAgain, value }) => !ranAgain && value === 'equal').map(({ path }) => path);
  const other = uses.filter(({ ranAgain, value }) => !ranAgain && value === 'other');
  return [
    ...ran.map(({ path, value }) =>
      value === 'equal'
        ? `${path} ran again and gave the same value: so this is reused`
        : `${path} ran again and gave another value, but nothing of it that goes into this step changed`,
    ),
    ...other.map(({ path }) => `${path} has another value now, but nothing of it that goes into this step changed`),
    ...(kept.length > 0 ? [`it reads ${kept.join(', ')}: reused as well`] : []),
  ];
}

/** `assert 1`, `assert 2` and `assert 3` are the asserts. */
function dependsText(names: readonly string[]): string {
  const asserts = names.filter((name) => /^assert \d+$/.test(name));
  const short = names.filter((name) => asserts.length < 2 || !asserts.includes(name));
  const at = names.findIndex((name) => asserts.includes(name));
  if (asserts.length > 1) short.splice(at, 0, `${asserts.length} asserts`);
  return [...new Set(short)].map(plainText).join(', ');
}
