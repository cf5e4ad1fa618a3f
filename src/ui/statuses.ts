/** The states that a run can be in, as a list of runs tells them apart. */
import type { RunStatus } from '../core/events.js';

export type Status = RunStatus | 'running' | 'interrupted';

/** A process is at work on it. */
export const LIVE = 'running';

export const STATUSES: readonly Status[] = [
  'running',
  'waiting',
  'done',
  'partial',
  'failed',
  'refused',
  'limit',
  'cancelled',
  'interrupted',
];

/** What is over, and needs nobody any more. */
export function canGoOn(status: Status): boolean {
  return status !== 'done' && status !== 'refused' && status !== LIVE;
}
