/** A run as text or JSON: what it was asked, what its steps came to, what it waits for. */
import { Fault } from '../core/faults.js';
import { approveLine } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { timeText } from '../core/words.js';
import type { OpenGate } from '../engine/open-gates.js';
import type { StepRecord } from '../engine/read-steps.js';
import { type RunFile, readRunFile } from '../engine/run-file.js';
import { liveStatus } from '../engine/run-status.js';
import { agentWays } from '../engine/ways-on.js';
import { askedJson, askedLines } from './asked.js';
import { resumeLineAt } from './go-on.js';
import { here } from './output.js';
import { briefJson, rowOf, runSteps, totalRows } from './run-steps.js';
import { table } from './table.js';

export function runJson(dir: string): unknown {
  const run = runAt(dir);
  const { steps, gates } = runSteps(dir);
  const waiting = gates.filter(isWaiting);
  const asked = waiting.length > 0 ? { waiting: waiting.map(askedJson) } : {};
  return { ...run, status: liveStatus(run, dir), dir, steps: steps.map(briefJson), ...asked };
}

export function runText(dir: string): string {
  const run = runAt(dir);
  const { steps, gates } = runSteps(dir);
  const status = liveStatus(run, dir);
  const outcome = run.outcome && run.outcome !== run.status ? ` (${plainText(run.outcome)})` : '';
  const waiting = gates.filter(isWaiting);
  const unanswered = waiting.filter(({ answered }) => !answered);
  const isAnswered = waiting.length > 0 && unanswered.length === 0;
  const facts = [
    ['query', plainText(run.query)],
    ...(run.models.length > 0
      ? [['model', plainText(`${run.models.join(', ')}${run.placeholder ? '  (placeholder text)' : ''}`)]]
      : []),
    ['began', timeText(run.started)],
    ...(run.resumed ? [['resumed', run.resumed.map(timeText).join(', ')]] : []),
    ['folder', plainText(here(dir))],
    // What a gate asks, and how it is answered, stands below.
    ...(run.message && waiting.length === 0 ? [['said', plainText(run.message)]] : []),
    ...(canGoOn(status) ? [['go on', plainText(resumeLineAt(dir))]] : []),
  ];
  const rows = steps.map((step) =>
    rowOf(
      step,
      gates.find(({ path }) => path === step.path),
    ),
  );
  return [
    `${plainText(`${run.skill}/${run.slug}`)}  ${status}${outcome}${isAnswered ? ', answered' : ''}\n${table(facts)}`,
    table([...rows, ...totalRows(steps)]),
    ...(canGoOn(status) ? agentLines(dir, steps) : []),
    ...unanswered.map((gate) => askedText(gate, `${run.skill}/${run.slug}`)),
  ].join('\n\n');
}

/** A failed agent need not begin anew. Items and rounds of one step are said once. */
function agentLines(dir: string, steps: readonly StepRecord[]): string[] {
  const resume = resumeLineAt(dir);
  const ways = steps.flatMap((step) => agentWays(resume, step)?.goOn ?? []);
  const lines = [...new Set(ways)].map((way) => `in the same conversation  ${way}`);
  return lines.length > 0 ? [lines.join('\n')] : [];
}

function askedText({ path, question, file }: OpenGate, run: string): string {
  const asked = askedLines(question.ask, file).map((line) => `  ${line}`.trimEnd());
  return [`${path} asks:`, ...asked, `answer  ${approveLine(run, { path, choices: question.choices })}`].join('\n');
}

/** Not one whose answer ended the run, or that failed: its fault says how it is answered. */
function isWaiting({ status }: OpenGate): boolean {
  return status !== 'ended' && status !== 'failed';
}

function canGoOn(status: string): boolean {
  return status !== 'done' && status !== 'refused' && status !== 'running';
}

function runAt(dir: string): RunFile {
  const run = readRunFile(dir);
  if (!run) throw new Fault('input.unknown', `${dir} is not a run folder`);
  return run;
}
