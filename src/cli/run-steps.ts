/** The steps of a run with the gates among them that a person can answer, as rows or JSON. */
import { basename, dirname } from 'node:path';
import { plainText } from '../core/plain-text.js';
import { counted, duration, tokenCount } from '../core/words.js';
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
  const used = step.inputTokens + step.outputTokens;
  const answered = gate?.answered && step.status !== 'ended' ? `answered ${answeredText(gate.answered)}` : undefined;
  return [
    step.path,
    step.status,
    step.ms === undefined ? '' : duration(step.ms),
    step.rounds > 0 ? counted(step.rounds, 'round') : '',
    used > 0 ? tokenCount(used) : '',
    answered ?? plainText(step.fault?.message ?? step.reason ?? ''),
  ];
}

export function withoutOutput({ output: _, outputBlob: __, ...step }: StepRecord): unknown {
  return step;
}

/** `<skill>/<slug>`, as commands take it. */
export function nameOfRun(dir: string): string {
  return `${basename(dirname(dir))}/${basename(dir)}`;
}
