/** What two runs with the same choices have in common, one of them without its crashes: their result, their outputs, their files. */

import { beginningOf } from '../../core/excerpt.js';
import { canonicalJson, isObject, type Json, sha256 } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import type { Disk } from '../disk/disk.js';
import { TIME } from '../moments.js';
import type { SimulatedRun } from '../run-facts.js';
import { isInChild } from './children.js';
import { filesBelow } from './left-on-disk.js';

/** Of a value. */
const WIDEST = 160;

/** @returns undefined for a run whose outcome depends on when it was; of one without a whole result no outputs and no files */
export function outcomeOf(run: SimulatedRun, disk: Disk): Json | undefined {
  const last = run.sessions.at(-1);
  if (last?.end.type !== 'ended' || run.dir === undefined) return undefined;
  const { status, outcome, result, exit } = last.end.report;
  if (status === 'limit' || status === 'cancelled' || status === 'waiting') return undefined;
  if (hasTwins(run)) return undefined;
  // What an end found at work in its pipeline, also in one inside, depends on when it came.
  const isCut = last.events.some((event) => event.type === 'step_ended' && isInChild(event.path, last.plan));
  const isWhole = !isCut && (status === 'done' || status === 'partial');
  const outputs: Record<string, Json> = {};
  for (const event of last.events) {
    if (event.type === 'step_done' || event.type === 'step_reused') outputs[event.path] = event.output;
  }
  const files = isWhole ? [...filesBelow(run.dir, '', disk)].map(([path, bytes]) => [path, sha256(bytes)]) : [];
  const came = {
    status,
    outcome,
    exit,
    result: timeless(result),
    ...(isWhole ? { outputs: timeless(outputs), files: Object.fromEntries(files) } : {}),
  };
  return placeless(came, run.dir);
}

/** Items of a loop with the same key stand for each other: which of them has which result is left open. */
function hasTwins({ sessions }: SimulatedRun): boolean {
  const paths = new Map<string, StepPath>();
  for (const { events } of sessions) {
    for (const event of events) {
      if (event.type !== 'step_started' && event.type !== 'step_reused') continue;
      if (event.family === undefined || event.key === '') continue;
      const name = `${event.family} ${event.key}`;
      const other = paths.get(name);
      if (other !== undefined && other !== event.path) return true;
      paths.set(name, event.path);
    }
  }
  return false;
}

function timeless(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replace(TIME, 'T')) as Json;
}

/** With one name for the run folder: a session that was killed early leaves the next one another. */
function placeless(outcome: Json, dir: string): Json {
  return JSON.parse(JSON.stringify(outcome).replaceAll(dir, 'the run folder')) as Json;
}

/** The first thing in which two outcomes differ. */
export function differenceOf(calm: Json, crashed: Json, place = ''): string | undefined {
  if (canonicalJson(calm) === canonicalJson(crashed)) return undefined;
  if (isObject(calm) && isObject(crashed)) {
    for (const key of new Set([...Object.keys(calm), ...Object.keys(crashed)])) {
      const difference = differenceOf(calm[key] ?? null, crashed[key] ?? null, place === '' ? key : `${place}.${key}`);
      if (difference !== undefined) return difference;
    }
  }
  return `${place}: ${beginningOf(JSON.stringify(calm), WIDEST)} without the crash, ${beginningOf(JSON.stringify(crashed), WIDEST)} with it`;
}
