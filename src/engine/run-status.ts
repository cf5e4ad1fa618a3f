/** The state that a run is in now, as its run.json and its lock tell. */
import type { RunStatus } from '../core/events.js';
import { lockHolder } from './lock.js';
import type { RunFile } from './run-file.js';

/** `interrupted`: it was never ended, and no process is at work on it. */
export type LiveStatus = RunStatus | 'running' | 'interrupted';

/** A dead process never leaves a run "running". */
export function liveStatus(run: RunFile, dir: string): LiveStatus {
  if (run.status !== 'running') return run.status;
  return lockHolder(dir) ? 'running' : 'interrupted';
}

/** Nobody is at work on it, and something is left to do. */
export function canGoOn(status: LiveStatus): boolean {
  return status !== 'done' && status !== 'refused' && status !== 'running';
}
