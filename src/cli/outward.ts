/** Who is told of a run beside the person at the terminal: a program that reads its records, a build server, a trace. */
import { resolve } from 'node:path';
import type { Sink } from '../core/events.js';
import { nameOfRun } from '../engine/ways-on.js';
import type { RunReport, RunStart } from '../request.js';
import { ndjsonSink } from '../sinks/ndjson.js';
import { stepSummarySink } from '../sinks/step-summary.js';
import { version } from '../version.js';
import { resumeLine, type SameOptions } from './go-on.js';
import { printResult, say } from './output.js';

export interface OutwardOptions extends SameOptions {
  /** Each record on stdout, in the place of the result. */
  readonly events?: 'ndjson';
  readonly otel?: boolean;
}

export interface Outward {
  readonly sinks: readonly Sink[];
  /** Before the first record. */
  begun(start: RunStart): void;
  /** Of a run that never began there is no record. */
  refused(report: RunReport): void;
}

export async function openOutward(options: OutwardOptions): Promise<Outward> {
  const { env } = process;
  let start: RunStart | undefined;
  const sinks: Sink[] = [];
  const print = lineWriter();
  if (options.events) sinks.push(ndjsonSink(print));
  if (env.GITHUB_STEP_SUMMARY) {
    const told = () => {
      const name = nameOfRun(start?.dir ?? '');
      return { name, goOn: resumeLine(name, options) };
    };
    const onUnwritable = (reason: string) => say(`! the step summary cannot be written: ${reason}`);
    sinks.push(stepSummarySink(resolve(env.GITHUB_STEP_SUMMARY), told, onUnwritable));
  }
  const spans = await spansFor(options, () => start?.plan.name ?? '');
  if (spans) sinks.push(spans);
  return {
    sinks,
    begun(begun) {
      start = begun;
    },
    refused(report) {
      if (options.events && report.status === 'invalid') print(JSON.stringify(report));
    },
  };
}

/** A reader that leaves ends the telling, not the run. */
function lineWriter(): (line: string) => void {
  let isOpen = true;
  process.stdout.once('error', () => {
    isOpen = false;
  });
  return (line) => {
    if (isOpen) printResult(line);
  };
}

async function spansFor({ otel }: OutwardOptions, skill: () => string): Promise<Sink | undefined> {
  const { env } = process;
  const { asksForSpans, openTracing, OTEL_PACKAGES } = await import('../sinks/otel-library.js');
  if (!otel && !asksForSpans(env)) return undefined;
  const tracing = await openTracing(version, env, (reason) => say(`! spans could not be sent: ${reason}`));
  if (!tracing) {
    say(`! no spans are sent: OpenTelemetry is not installed\n  try  npm install ${OTEL_PACKAGES.join(' ')}`);
    return undefined;
  }
  const { otelSink } = await import('../sinks/otel.js');
  return otelSink(tracing, skill);
}
