/** Facts of a run as its journal has them, with what a test does not care about filled in. */
import type { Recorded, RunEvent } from '../../src/core/events.js';
import type { FaultData } from '../../src/core/faults.js';

type Of<Type extends RunEvent['type']> = Partial<Extract<RunEvent, { type: Type }>>;

export const fault = (code: FaultData['code']): FaultData => ({ code, message: `it failed: ${code}` });

export const began = (path: string, more: Of<'step_started'> = {}) =>
  recorded({ type: 'step_started', path, title: path, key: 'k', parts: {}, attempt: 1, because: '', ...more });
export const done = (path: string, more: Of<'step_done'> = {}) =>
  recorded({ type: 'step_done', path, key: 'k', output: null, artifacts: [], ms: 1, ...more });
export const reused = (path: string, more: Of<'step_reused'> = {}) =>
  recorded({ type: 'step_reused', path, from: path, key: 'k', output: null, artifacts: [], ...more });
export const failed = (path: string, code: FaultData['code'], more: Of<'step_failed'> = {}) =>
  recorded({ type: 'step_failed', path, fault: fault(code), ms: 1, ...more });
export const retry = (path: string, code: FaultData['code']) =>
  recorded({ type: 'step_retry', path, attempt: 2, waitMs: 1, fault: fault(code) });
export const round = (path: string, at: number, more: Of<'round'> = {}) =>
  recorded({ type: 'round', path, round: at, calls: [], model: 'openai/m', ms: 1, ...more });
export const resumed = (more: Of<'run_resumed'> = {}) =>
  recorded({ type: 'run_resumed', pid: 1, version: '1', ...more });

export function recorded(event: RunEvent): Recorded {
  return { ...event, seq: 1, at: '2026-01-01T00:00:00.000Z' };
}
