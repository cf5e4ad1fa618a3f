/** pipeline logs: what happened in a run, or in a step of it with all that it was told and said; while it goes on, as it comes. */
import type { Recorded } from '../core/events.js';
import { Fault } from '../core/faults.js';
import { plainLines } from '../core/plain-text.js';
import { idsOf } from '../core/step-path.js';
import { growingJournal } from '../engine/growing-journal.js';
import { lockHolder } from '../engine/lock.js';
import { runDirAt } from '../engine/run-dir.js';
import { readRunFile } from '../engine/run-file.js';
import { liveStatus } from '../engine/run-status.js';
import { nameOfRun } from '../engine/ways-on.js';
import { resumeLineAt } from './go-on.js';
import type { Content } from './logs-content.js';
import { type Entry, logEntries } from './logs-entries.js';
import { whileHeld } from './logs-follow.js';
import { lineOf } from './logs-lines.js';
import { namedRun } from './named-run.js';
import { printJson, printResult, resultColumns, say } from './output.js';
import { SIGNALS } from './signals.js';
import { hanging } from './wrapped.js';

interface LogsOptions {
  readonly follow?: boolean;
  readonly json?: boolean;
}

export async function logsCommand(name: string, step: string | undefined, options: LogsOptions): Promise<void> {
  const dir = namedRun(name);
  const journal = growingJournal(runDirAt(dir).journal);
  const entries = logEntries(dir, step);
  const all: Entry[] = [];
  const print = printerOf(step, options, all);
  const look = () => {
    for (const entry of entries.of(journal.read())) print(entry);
    for (const entry of entries.meanwhile()) print(entry);
  };
  if (options.follow) {
    const stop = stopOfFollowing();
    const isStopped = await whileHeld(dir, look, stop.signal).finally(stop.release);
    if (isStopped) return;
  } else look();
  if (step !== undefined && !entries.isFound()) throw unknownStep(step, [...entries.steps]);
  if (options.json && !options.follow) printJson({ ...headOf(dir), entries: all });
  if (!options.json) sayWhere(dir, options);
}

function printerOf(step: string | undefined, { json, follow }: LogsOptions, all: Entry[]): (entry: Entry) => void {
  if (json && !follow) return (entry) => all.push(entry);
  if (json) return (entry) => printResult(JSON.stringify(entry));
  return textPrinter(step);
}

function headOf(dir: string): { readonly run: string; readonly dir: string; readonly status: string } {
  const run = readRunFile(dir);
  return { run: nameOfRun(dir), dir, status: run ? liveStatus(run, dir) : 'unknown' };
}

/** A run that has not ended, and that nobody works on. */
function sayWhere(dir: string, { follow }: LogsOptions): void {
  const { run, status } = headOf(dir);
  if (status === 'interrupted') say(`interrupted: no process works on it any more\n  go on  ${resumeLineAt(dir)}`);
  if (status === 'running' && !follow && lockHolder(dir)) say(`it goes on: pipeline logs ${run} -f`);
}

interface Stop {
  readonly signal: AbortSignal;
  release(): void;
}

/** Ctrl-C ends the following, and nothing of the run; so does a reader who has left. */
function stopOfFollowing(): Stop {
  const stop = new AbortController();
  const handlers = Object.entries(SIGNALS).map(([name, { exit }]) => {
    const handler = () => {
      process.exitCode = exit;
      stop.abort();
    };
    process.once(name, handler);
    return [name, handler] as const;
  });
  const onClosed = () => stop.abort();
  process.stdout.once('error', onClosed);
  return {
    signal: stop.signal,
    release() {
      for (const [name, handler] of handlers) process.off(name, handler);
      process.stdout.off('error', onClosed);
    },
  };
}

/** Of the column of steps, which grows with them. */
const LEAST_WIDTH = 8;
const MOST_WIDTH = 32;
const MARKS = { good: '✓ ', bad: '✗ ', plain: '' } as const;

/** @param named the step that was asked for: what its items and the steps in it said is told apart */
function textPrinter(named: string | undefined): (entry: Entry) => void {
  let day = '';
  let width = LEAST_WIDTH;
  let lastSource = '';
  return (entry) => {
    if (entry.type === 'content') {
      const { step, attempt, content } = entry;
      const [from, text] = contentText(content);
      const source = step === named ? from : `${step} ${from}`;
      const of = `${step} ${attempt} ${from}`;
      printResult(indented(of === lastSource && content.type === 'output' ? '' : source, text));
      lastSource = of;
      return;
    }
    lastSource = '';
    const line = lineOf(entry.record);
    // Of one step, each call stands in the conversation with all that it gave.
    if (!line || (named !== undefined && isCall(entry.record))) return;
    const { at } = entry.record;
    if (at.slice(0, 10) !== day) printResult(`── ${at.slice(0, 10)} (UTC)`);
    day = at.slice(0, 10);
    width = Math.min(MOST_WIDTH, Math.max(width, line.step.length));
    const start = `${at.slice(11, 19)}  ${line.step.padEnd(width)}  `;
    printResult(hanging(`${start}${MARKS[line.tone]}${line.text}`, resultColumns(), start.length));
  };
}

function isCall({ type }: Recorded): boolean {
  return type === 'tool' || type === 'tool_started';
}

function contentText(content: Content): [source: string, text: string] {
  switch (content.type) {
    case 'text':
    case 'output':
      return [content.from, content.text];
    case 'call':
      return ['call', `${content.name} ${content.arguments}`];
    case 'result':
      return [content.error ? 'error' : 'result', content.text];
  }
}

/** Below the line of its step, its source before its first line. */
function indented(source: string, text: string): string {
  const lines = plainLines(text).trimEnd().split('\n');
  return lines.map((line, at) => `  ${(at === 0 ? source : '').padEnd(9)} │ ${line}`.trimEnd()).join('\n');
}

function unknownStep(step: string, paths: readonly string[]): Fault {
  const names = [...new Set(paths.map(idsOf))];
  const hint = `Steps: ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`;
  return new Fault('input.unknown', `the run has no step "${step}"`, { hint });
}
