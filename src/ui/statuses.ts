/** The states by which a list of runs is asked for, in the order in which a person is told of them. */
import type { LiveStatus } from '../engine/run-status.js';

/** A process is at work on it. */
export const LIVE = 'running' satisfies LiveStatus;

/** Each has its place: a forgotten one does not compile. */
const PLACES: Readonly<Record<LiveStatus, number>> = {
  running: 0,
  waiting: 1,
  done: 2,
  partial: 3,
  failed: 4,
  refused: 5,
  limit: 6,
  cancelled: 7,
  interrupted: 8,
};

export const STATUSES = Object.keys(PLACES) as LiveStatus[];
