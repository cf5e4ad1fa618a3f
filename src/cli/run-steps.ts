/** The steps of a run with the gates among them that a person can answer, as rows or JSON. */
import { plainText } from '../core/plain-text.js';
import { NO_USAGE, sumOfUsage } from '../core/usage.js';
import { costOfCalls, counted, duration, tokensBriefly } from '../core/words.js';
import { lockHolder } from '../engine/lock.js';
import { type OpenGate, openGates } from '../engine/open-gates.js';
import { readSteps, type StepRecord } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { answeredText } from './asked.js';

export interface RunSteps {
  readonly steps: readonly StepRecord[];
  readonly gates: readonly OpenGate[];
}

export function runSteps(dir: string): RunSteps {
  const isLive = lockHolder(dir) !== undefined;
  const steps = readSteps(runDirAt(dir).journal, isLive);
  return { steps, gates: openGates(dir, steps, isLive) };
}

/** @param gate that the step is */
export function rowOf(step: StepRecord, gate: OpenGate | undefined): string[] {
  const { usage } = step;
  const answered = gate?.answered && step.status !== 'ended' ? `answered ${answeredText(gate.answered)}` : undefined;
  return [
    step.path,
    step.status,
    step.ms === undefined ? '' : duration(step.ms),
    step.rounds > 0 ? counted(step.rounds, 'round') : '',
    tokensBriefly(usage.inputTokens + usage.outputTokens, usage),
    costOfCalls(usage),
    answered ?? plainText(step.fault?.message ?? step.reason ?? ''),
  ];
}

/** Without what fills screens: outputs, and the attempts but for their number. */
export function briefJson(step: StepRecord): unknown {
  const { output: _, outputBlob: __, attempts, usage, ...facts } = step;
  return { ...facts, ...usage, attempts: attempts.length };
}

/** The row below all others, where a model was asked. */
export function totalRows(steps: readonly StepRecord[]): string[][] {
  const usage = steps.map((step) => step.usage).reduce(sumOfUsage, NO_USAGE);
  if (usage.calls === 0 && usage.unknownCalls === 0) return [];
  const used = tokensBriefly(usage.inputTokens + usage.outputTokens, usage);
  return [['total', '', '', counted(usage.calls, 'call'), used, costOfCalls(usage), '']];
}
