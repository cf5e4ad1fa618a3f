/** What kills a process at one of its operations, or lets the disk refuse one. */
import { everyStep, type Plan } from '../../core/plan.js';
import type { Choices } from '../choices/choices.js';
import type { Disk } from '../disk/disk.js';
import { systemError } from '../disk/error.js';
import type { Change } from '../disk/watch.js';

/** A session that takes more operations than this is not within its bounds. */
const MOST_OPERATIONS = 400_000;

/** Of a write in the midst of which a process is killed. */
const KEPT = [0, 0.5, 0.9, 1];
/** What stays of what was not synced where the power fails, too: of names, of bytes. Undefined: only the process is gone. */
const POWER: readonly ({ readonly names: number; readonly bytes: number } | undefined)[] = [
  undefined,
  { names: 1, bytes: 0 },
  { names: 0, bytes: 0 },
  { names: 0.5, bytes: 0.5 },
  { names: 0, bytes: 1 },
];
/** Operations after a record has been brought to the disk; records that are brought there. */
const AFTER = 8;
const MOST_SYNCS = 40;

class Killed extends Error {}

/** Kills the process at one of its operations on the disk, or lets one of these fail. */
export function killerFor(choices: Choices, number: number, plan: Plan, calm: boolean, disk: Disk) {
  const span = 30 + 25 * everyStep(plan.steps).length;
  const draw = choices.at(`crash.${number}`);
  const killAt = draw.pick('crash', span);
  const torn = draw.rarely(0.5, 4);
  // What follows a record is where a crash finds a run between two truths.
  const after = draw.rarely(0.5, AFTER);
  const power = POWER[draw.rarely(0.5, POWER.length)];
  const fails = choices.at(`disk.${number}`);
  const failAt = fails.pick('disk', span);
  const code = ['ENOSPC', 'EIO'][fails.rarely(0.5, 2)] ?? 'ENOSPC';
  const retryUnknown = choices.at(`word.${number}`).rarely(0.5, 2) === 1;
  let operations = 0;
  let isDead = false;
  let isDiskFailed = false;
  let syncs = 0;
  let dueAt = after === 0 ? killAt : Number.POSITIVE_INFINITY;
  const count = () => {
    operations++;
    if (operations > MOST_OPERATIONS) throw new Error('it goes on for ever');
    return !calm && killAt > 0 && operations === dueAt;
  };
  const die = () => {
    isDead = true;
    disk.dead = new Killed('killed');
  };
  disk.guard = (change: Change, path: string, bytes: number) => {
    const isRecord = change === 'sync' && path.endsWith('/events.ndjson');
    if (isRecord && after > 0 && ++syncs === 1 + (killAt % MOST_SYNCS)) dueAt = operations + after;
    if (count()) {
      const kept = change === 'write' ? Math.floor(bytes * (KEPT[torn] ?? 0)) : 0;
      die();
      if (change === 'write') return { bytes: kept, error: disk.dead };
      throw disk.dead;
    }
    if (
      !calm &&
      failAt > 0 &&
      operations === failAt &&
      (change === 'write' || change === 'sync' || change === 'create')
    ) {
      isDiskFailed = true;
      throw systemError(code, change, path);
    }
    return undefined;
  };
  return {
    operations: () => operations,
    isDiskFailed: () => isDiskFailed,
    retryUnknown,
    /** What was lost with the process when it died. */
    power,
    isDead(next: 'something due' | undefined) {
      if (next && !isDead && count()) die();
      return isDead;
    },
  };
}
