/** The summary of a run as a build server shows it: Markdown in which no text of a model or a file is markup. */
import fs from 'node:fs';
import type { Recorded, RunStatus, Sink, UsageTotal } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import { plainText } from '../core/plain-text.js';
import { NO_USAGE, withEvent } from '../core/usage.js';
import { censusTexts, costOfCalls, counted, duration, spentTexts, tokensBriefly } from '../core/words.js';

/** Of the table; a run of a thousand items is told by its census. */
const MOST_ROWS = 100;
const MOST_CHARACTERS = 300;
/** GitHub takes 1 MiB, and shows nothing of what is larger. */
const MOST_BYTES = 1_000_000;

type Ended = Extract<Recorded, { type: 'run_ended' }>;

interface Row {
  /** Of the step, or the outcome that it ended the run with. */
  readonly status: string;
  readonly ms?: number;
  readonly rounds: number;
  readonly usage: UsageTotal;
  /** Why it is not done; '' where there is nothing to say. */
  readonly said: string;
}

/** What only the command line knows of the run. */
export interface ToldRun {
  /** `<skill>/<slug>`. */
  readonly name: string;
  /** The command that goes on with it. */
  readonly goOn: string;
}

/**
 * @param file absolute; appended to when the run has ended
 * @param onUnwritable told once, with the reason
 */
export function stepSummarySink(file: string, told: () => ToldRun, onUnwritable: (reason: string) => void): Sink {
  const rows = new Map<StepPath, Row>();
  return {
    write(event) {
      if ('path' in event) fold(rows, event);
      if (event.type !== 'run_ended') return;
      try {
        append(file, summaryText(event, rows, told()));
      } catch (error) {
        onUnwritable(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

function append(file: string, text: string): void {
  const there = fs.statSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new Error('it is not a regular file');
  const bytes = (there?.size ?? 0) + Buffer.byteLength(text);
  if (bytes > MOST_BYTES) throw new Error(`it would be larger than ${MOST_BYTES / 1_000_000} MB, which is not shown`);
  fs.appendFileSync(file, text);
}

function fold(rows: Map<StepPath, Row>, event: Recorded & { readonly path: StepPath }): void {
  const row = rows.get(event.path) ?? { status: 'running', rounds: 0, usage: NO_USAGE, said: '' };
  rows.set(event.path, { ...row, usage: withEvent(row.usage, event), ...changeBy(event) });
}

function changeBy(event: Recorded): Partial<Row> {
  switch (event.type) {
    case 'step_started':
      return { status: 'running', said: '' };
    case 'round':
      return { rounds: event.round };
    case 'step_done':
      return { status: 'done', said: '', ms: event.ms };
    case 'step_reused':
      return { status: 'reused' };
    case 'step_failed':
      return { status: 'failed', said: event.fault.message, ms: event.ms };
    case 'step_skipped':
      return { status: 'skipped', said: event.reason };
    case 'step_ended':
      return { status: event.outcome, said: event.message };
    case 'step_waiting':
      return { status: 'waiting' };
    case 'step_stopped':
      return { status: 'stopped', said: event.fault.message };
    default:
      return {};
  }
}

const MARKS: Readonly<Record<RunStatus, string>> = {
  done: '✅',
  failed: '❌',
  refused: '⛔',
  waiting: '⏸️',
  partial: '⚠️',
  limit: '⚠️',
  cancelled: '⚠️',
};

function summaryText(ended: Ended, rows: ReadonlyMap<StepPath, Row>, { name, goOn }: ToldRun): string {
  const { status, outcome, message, census, usage, fault, ms } = ended;
  const counts = [
    ...censusTexts(census),
    ...(usage.calls > 0 ? [counted(usage.calls, 'model call')] : []),
    ...spentTexts(usage, 'said'),
    duration(ms),
  ];
  const isOver = status === 'done' || status === 'refused';
  const lines = [
    `### ${MARKS[status]} pipeline ${asCode(name)}: ${status}${outcome === status ? '' : ` (${asCode(outcome)})`}`,
    '',
    counts.join(', '),
    '',
    ...(message === '' ? [] : [asCode(message), '']),
    ...(fault?.hint ? [`Try: ${asCode(fault.hint)}`, ''] : []),
    ...table(rows),
    ...(isOver ? [] : ['', `Go on: ${asCode(goOn)}`]),
    '',
    '',
  ];
  return lines.join('\n');
}

/** What failed first: the rest is told by the census. */
function table(rows: ReadonlyMap<StepPath, Row>): string[] {
  if (rows.size === 0) return [];
  const all = [...rows];
  const hasFailed = ([, { status }]: (typeof all)[number]) => status === 'failed';
  const chosen = all.length <= MOST_ROWS ? all : [...all.filter(hasFailed), ...all.filter((row) => !hasFailed(row))];
  const more = all.length - MOST_ROWS;
  return [
    '| step | status | time | rounds | tokens | cost | |',
    '|---|---|--:|--:|--:|--:|---|',
    ...chosen.slice(0, MOST_ROWS).map(([path, row]) => `| ${cellsOf(path, row).join(' | ')} |`),
    ...(more > 0 ? ['', `… and ${counted(more, 'step')} more`] : []),
  ];
}

function cellsOf(path: StepPath, { status, ms, rounds, usage, said }: Row): string[] {
  return [
    asCode(path),
    asCode(status),
    ms === undefined ? '' : duration(ms),
    rounds > 0 ? String(rounds) : '',
    tokensBriefly(usage.inputTokens + usage.outputTokens, usage),
    costOfCalls(usage).replace('$', '&#36;'),
    said === '' ? '' : asCode(said),
  ];
}

/**
 * A code span: nothing in it is markup, a link, an image, HTML, a mention. Its fence is longer than any run of backticks in it; a `|` would
 * end the cell of a table even in code, so one that looks like it takes its place.
 */
function asCode(text: string): string {
  const line = plainText(text).replaceAll('|', '│').trim();
  const cut =
    line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
  if (cut === '') return '';
  const longest = Math.max(0, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${cut}${space}${fence}`;
}
