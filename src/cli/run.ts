/** pipeline run: signals, banner, progress, the result. */
import type { Sink, UsageTotal } from '../core/events.js';
import { type AskedGate, askedGate } from '../core/gate.js';
import { plainText } from '../core/plain-text.js';
import { counted, duration, spentTexts } from '../core/words.js';
import { worstCase } from '../forecast/worst-case.js';
import { problemsText } from '../load/report.js';
import type { ModelChoice, RunReport, RunRequest, RunStart } from '../request.js';
import { runPipeline } from '../run.js';
import { terminalSink } from '../sinks/terminal.js';
import { askAt, deskHere } from './ask.js';
import { closingLines, type Ran } from './closing.js';
import { failedSteps } from './failed-steps.js';
import type { SameOptions } from './go-on.js';
import { here, printJson, printResult, say, stderrScreen } from './output.js';
import { givenInputs, givenLimits, givenOverrides, givenWord, type UnknownOptions } from './run-options.js';
import { stopOnSignals } from './signals.js';
import { givenTape } from './tape-options.js';
import { worstCaseText } from './worst-case.js';

/** What a run, a resume and a fork have in common. */
export interface SessionOptions extends SameOptions, UnknownOptions {
  readonly limit: readonly string[];
  readonly maxParallel?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface RunOptions extends SessionOptions {
  readonly input: readonly string[];
  readonly resume?: boolean;
  readonly set?: readonly string[];
}

export async function runCommand(target: string, query: string, options: RunOptions): Promise<void> {
  const inputs = givenInputs(options.input);
  const overrides = givenOverrides(options.set ?? []);
  await runAndTell({ target, query, inputs, overrides, resume: options.resume === true }, options);
}

/** What to run, and with what of an earlier run; how, say the options. */
export type Asked = Pick<RunRequest, 'target' | 'query' | 'inputs' | 'overrides' | 'resume' | 'fork' | 'from' | 'goOn'>;

/** Runs it, shows how it goes on stderr, and prints what came out. */
export async function runAndTell(asked: Asked, options: SessionOptions): Promise<void> {
  const screen = stderrScreen();
  const quiet = options.quiet === true;
  const word = givenWord(options, Boolean(asked.resume));
  const tape = givenTape(options);
  const progress = quiet ? undefined : terminalSink(screen);
  const desk = options.json ? undefined : deskHere(screen.color, progress?.hold ?? (() => () => undefined));
  const begun = performance.now();
  const { signal, kill, release } = stopOnSignals();
  let calls = 0;
  const open: AskedGate[] = [];
  const failures = failedSteps();
  const counter: Sink = {
    write: (event) => {
      if (event.type === 'round') calls++;
      failures.see(event);
      const gate = event.type === 'step_waiting' ? askedGate(event.ask) : undefined;
      if (gate) open.push(gate);
    },
  };
  let report: RunReport;
  try {
    report = await runPipeline({
      ...asked,
      cwd: process.cwd(),
      env: process.env,
      skillsDirs: options.skillsDir,
      limits: givenLimits(options.limit, options.maxParallel),
      detect: options.detect,
      ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
      ...word,
      ...tape,
      sinks: [counter, ...(progress ? [progress] : [])],
      onStart: (start) => {
        if (!quiet) say(banner(start, screen.color));
      },
      signal,
      kill,
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(desk ? { ask: askAt(desk) } : {}),
    });
  } finally {
    release();
  }
  process.exitCode = report.exit;
  if (options.json) printJson(withQuestions(report, open));
  if (report.status === 'invalid') {
    if (!options.json) say(invalidText(report));
    return;
  }
  const closing = closingLines(report, open, options, failures.left());
  if (!quiet) say([summary(report, calls, performance.now() - begun), ...closing].join('\n'));
  else if (report.status !== 'done' && !options.json)
    say([`${report.status === 'waiting' ? '…' : '✗'} ${nameOf(report)}`, ...closing].join('\n'));
  if (options.json) return;
  printResult(report.dir);
  if (report.result !== null)
    printResult(typeof report.result === 'string' ? report.result : JSON.stringify(report.result, null, 2));
}

/** What waits for an answer stands beside what the library reports. */
function withQuestions(report: RunReport, open: readonly AskedGate[]): unknown {
  if (report.status !== 'waiting' || open.length === 0) return report;
  return { ...report, waiting: open.map(({ path, ask, choices }) => ({ step: path, ask, choices })) };
}

function invalidText(report: Extract<RunReport, { status: 'invalid' }>): string {
  const inputs = report.inputs.map(({ message, hint }) => `✗ ${message}${hint ? `\n  try  ${hint}` : ''}`);
  const problems = report.problems.length > 0 ? [problemsText(report.problems, { cwd: process.cwd() })] : [];
  return [...problems, ...inputs, 'Nothing was run.'].join('\n');
}

function banner(start: RunStart, color: boolean): string {
  const { plan, models } = start;
  const bold = (text: string) => (color ? `\u001b[1m${text}\u001b[0m` : text);
  const lines = [`${bold(plainText(plan.name))}  ${plainText(here(start.dir))}  ${worstCaseText(worstCase(plan))}`];
  for (const model of models) {
    const name = models.length > 1 ? `model of ${model.names.join(', ')}` : 'model';
    lines.push(...(model.placeholder ? sketchBanner(name, model) : [modelLine(name, model)]));
  }
  if (start.warnings.length > 0) lines.push(problemsText(start.warnings, { cwd: process.cwd() }));
  return lines.join('\n');
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
    '  For a real model: export OPENAI_API_KEY=…  (OPENAI_BASE_URL for another host), or start Ollama or LM Studio on this machine.',
  ];
}

function nameOf({ status, outcome }: Ran): string {
  return outcome === status ? status : `${status} (${plainText(outcome)})`;
}

/** @param calls model calls of this session; the report's are of all sessions */
function summary(report: Ran, calls: number, ms: number): string {
  const { census, usage } = report;
  const counts = [
    counted(census.asked, 'step'),
    `${census.done} done`,
    ...(census.reused > 0 ? [`${census.reused} reused`] : []),
    ...(census.failed > 0 ? [`${census.failed} failed`] : []),
    ...(census.skipped > 0 ? [`${census.skipped} skipped`] : []),
    ...(census.open > 0 ? [`${census.open} not finished`] : []),
    ...spentText(usage, calls),
    duration(ms),
  ];
  return `${nameOf(report)}: ${counts.join(', ')}`;
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
