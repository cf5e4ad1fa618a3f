/** What work says of itself when it begins, and what that tells against a promise that nothing finished is done again. */
import type { Recorded } from '../src/core/events.js';

export interface Begun {
  /** Work of a lane begins in the order of its ranks: when a higher one begins, all of the lower ones have ended. */
  readonly lane: string;
  readonly rank: number;
  readonly name: string;
}

/** @param log lines such as `4 round 0` */
export function begunIn(log: string): Begun[] {
  const lines = log.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [, rank, name = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
    return { lane: '', rank: Number(rank), name };
  });
}

/** Work that began again after what needs it had begun: it had ended, and that was lost. */
export function lostWork(begun: readonly Begun[]): string[] {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  return begun.flatMap(({ lane, rank, name }) => {
    const before = highest.get(lane) ?? rank;
    highest.set(lane, Math.max(before, rank));
    const isAgain = seen.has(`${lane} ${rank} ${name}`);
    seen.add(`${lane} ${rank} ${name}`);
    return isAgain && rank < before ? [`${name} (${rank}) ended, and began again`] : [];
  });
}

/** How often work began that had begun before. */
export function repeats(begun: readonly Begun[]): number {
  return begun.length - new Set(begun.map(({ lane, rank, name }) => `${lane} ${rank} ${name}`)).size;
}

/** Paths of the leaves that began and did not settle. */
export function openLeaves(events: readonly Recorded[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'step_started' && event.key !== '') open.add(event.path);
    else if (event.type === 'step_done' || event.type === 'step_failed') open.delete(event.path);
  }
  return open;
}

/** Leaves that the journal says were done, and then again began. */
export function doneAgain(events: readonly Recorded[]): string[] {
  const done = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === 'step_done' && event.key !== '') done.add(event.path);
    return event.type === 'step_started' && done.has(event.path) ? [`${event.path} was done, and ran again`] : [];
  });
}
