/** The first and the last line of a run, and how they are laid out for a person. */
import type { UsageTotal } from '../core/events.js';
import { plainText } from '../core/plain-text.js';
import { censusTexts, counted, duration, spentTexts } from '../core/words.js';
import { worstCase } from '../forecast/worst-case.js';
import { problemsText } from '../load/report.js';
import type { ModelChoice, RunStart } from '../request.js';
import type { Ran } from './closing.js';
import { LABEL_COLUMNS, labelOf } from './labels.js';
import { here } from './output.js';
import { realModelText } from './sketch-notice.js';
import { worstCaseText } from './worst-case.js';
import { hanging } from './wrapped.js';

export function bannerLines(start: RunStart): string[] {
  const { plan, models } = start;
  const lines = [`${plainText(plan.name)}  ${plainText(here(start.dir))}  ${worstCaseText(worstCase(plan))}`];
  for (const model of models) {
    const name = models.length > 1 ? `model of ${model.names.join(', ')}` : 'model';
    lines.push(...(model.placeholder ? sketchBanner(name, model) : [modelLine(name, model)]));
  }
  if (start.warnings.length > 0) lines.push(...problemsText(start.warnings, { cwd: process.cwd() }).split('\n'));
  return lines;
}

function modelLine(name: string, { label, host, reason }: ModelChoice): string {
  return `${name}: ${label}${host ? ` at ${host}` : ''} (${reason})`;
}

/** A replay asks no model, so a real one is no matter there. */
function sketchBanner(name: string, { label, reason }: ModelChoice): string[] {
  if (reason === 'replayed') return [`${name}: ${label} (replayed): every text is a PLACEHOLDER, as it was recorded`];
  return [
    `${name}: sketch (${reason})`,
    '  sketch is no language model: it fills in forms, so every text is a PLACEHOLDER, though each step, check and file is real.',
    `  ${realModelText(reason, process.env)}`,
  ];
}

/** `refused (do_not_generate)`. */
export function endName({ status, outcome }: Ran): string {
  return outcome === status ? status : `${status} (${plainText(outcome)})`;
}

/** @param calls model calls of this session; the report's are of all sessions */
export function summaryLine(report: Ran, calls: number, ms: number): string {
  const { census, usage } = report;
  const counts = [...censusTexts(census), ...spentText(usage, calls), duration(ms)];
  return `${endName(report)}: ${counts.join(', ')}`;
}

/** A call that was begun and lost may be charged: where no call was answered, it is what there is to say. */
function spentText(usage: UsageTotal, now: number): string[] {
  const { calls, unknownCalls } = usage;
  const lost = unknownCalls > 0 ? [`${counted(unknownCalls, 'model call')} lost`] : [];
  return [...(calls > 0 ? [callsText(now, calls)] : lost), ...spentTexts(usage, 'left out')];
}

function callsText(now: number, all: number): string {
  return now === all ? counted(all, 'model call') : `${counted(now, 'model call')} now and ${all} in all`;
}

/**
 * Broken between words, in colours. A command stays whole, so that it can be copied.
 * @param columns of the terminal; undefined where there is none
 */
export function forPerson(lines: readonly string[], color: boolean, columns: number | undefined): string {
  return lines
    .map((line, at) => {
      const label = labelOf(line);
      const rest = line.slice(label.length);
      // In a column of their own where nobody takes the lines for others than these.
      const start = label !== '' && columns !== undefined ? label.padEnd(LABEL_COLUMNS) : label;
      const shown = rest.startsWith('pipeline ') ? start + rest : hanging(start + rest, columns, start.length || 2);
      return color ? colored(shown, start, at === 0) : shown;
    })
    .join('\n');
}

/** The head of a table. */
const HEAD = /^ {4}answer +(?:expected|what is wrong)/;

const BEGINNINGS = { done: '32', partial: '33', waiting: '33', limit: '33', refused: '33' } as const;

function colored(line: string, label: string, isFirst: boolean): string {
  const paint = (code: string, text: string) => `\u001b[${code}m${text}\u001b[0m`;
  if (label !== '') return paint('2', label) + line.slice(label.length);
  if (HEAD.test(line)) return paint('2', line);
  if (!isFirst) return line.replace(/^( *)([✗!])/, (_, indent: string, mark: string) => indent + paint('31', mark));
  const [word = ''] = /^\S+/.exec(line) ?? [];
  const status = word.replace(/:$/, '');
  const known = Object.entries(BEGINNINGS).find(([name]) => name === status);
  const code = known?.[1] ?? (status === 'failed' || status === 'cancelled' ? '31' : '39');
  return paint(`1;${code}`, word) + line.slice(word.length);
}
