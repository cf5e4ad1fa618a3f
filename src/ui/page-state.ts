/** The state of a run's page: a text that differs once the page would. */
import { join } from 'node:path';
import { runDirAt } from '../engine/run-dir.js';
import { fileStamp, type KnownRun } from './known-runs.js';
import { gatesThatWait } from './run-actions.js';
import { LIVE } from './statuses.js';

/** What is at work takes longer and longer, also while no journal says so. */
const CLOCK_MS = 5_000;

export function pageStates(now: () => number = Date.now): (one: KnownRun) => string {
  /** An answer that somebody gives elsewhere is in no journal before the run goes on: where such answers come, by run. */
  const waiting = new Map<string, { readonly stamp: string; readonly files: readonly string[] }>();
  return ({ dir, status }) => {
    const { journal, runJson, step } = runDirAt(dir);
    const stamp = fileStamp(journal);
    let known = waiting.get(dir);
    if (known?.stamp !== stamp) {
      known = { stamp, files: gatesThatWait(dir).map(({ path }) => join(step(path).dir, 'answer.json')) };
      waiting.set(dir, known);
    }
    const clock = status === LIVE ? [String(Math.floor(now() / CLOCK_MS))] : [];
    return [stamp, fileStamp(runJson), status, ...known.files.map(fileStamp), ...clock].join(' ');
  };
}
