/** pipeline run: signals, banner, progress, the result. */
import type { Sink } from '../core/events.js';
import { type AskedGate, askedGate } from '../core/gate.js';
import { problemsText } from '../load/report.js';
import type { RunReport, RunRequest } from '../request.js';
import { runPipeline } from '../run.js';
import { terminalSink } from '../sinks/terminal.js';
import { askAt, deskHere } from './ask.js';
import { closingLines } from './closing.js';
import { failedSteps } from './failed-steps.js';
import { madeFiles } from './made-files.js';
import { printJson, printResult, saidColumns, say, stderrScreen } from './output.js';
import { type OutwardOptions, openOutward } from './outward.js';
import { givenInputs, givenLimits, givenOverrides, givenWord, type UnknownOptions } from './run-options.js';
import { bannerLines, endName, forPerson, summaryLine } from './run-words.js';
import { stopOnSignals } from './signals.js';
import { givenTape } from './tape-options.js';

/** What a run, a resume and a fork have in common. */
export interface SessionOptions extends OutwardOptions, UnknownOptions {
  readonly limit: readonly string[];
  readonly maxParallel?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
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
  const progress = quiet ? undefined : terminalSink(screen, { verbose: options.verbose === true });
  const outward = await openOutward(options);
  const desk =
    options.json || options.events ? undefined : deskHere(screen.color, progress?.hold ?? (() => () => undefined));
  const begun = performance.now();
  const { signal, kill, release } = stopOnSignals();
  let calls = 0;
  const open: AskedGate[] = [];
  const failures = failedSteps();
  const files = madeFiles();
  const counter: Sink = {
    write: (event) => {
      files.see(event);
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
      sinks: [counter, ...(progress ? [progress] : []), ...outward.sinks],
      onStart: (start) => {
        outward.begun(start);
        failures.expect(start.plan);
        if (!quiet) say(forPerson(bannerLines(start), screen.color, saidColumns()));
        progress?.expect(start.plan, start.used);
      },
      ...(progress ? { onDelta: progress.delta } : {}),
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
    outward.refused(report);
    if (!options.json) say(invalidText(report));
    return;
  }
  const closing = closingLines(report, open, options, failures.left(), files.made());
  const tell = (first: string) => say(forPerson([first, ...closing], screen.color, saidColumns()));
  if (!quiet) tell(summaryLine(report, calls, performance.now() - begun));
  else if (report.status !== 'done' && !options.json)
    tell(`${report.status === 'waiting' ? '…' : '✗'} ${endName(report)}`);
  if (options.json || options.events) return;
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
