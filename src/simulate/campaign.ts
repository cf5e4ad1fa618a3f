/** Many simulated runs, one seed after the other: what they broke, what they came to. */
import type { Claim } from '../testing/claims.js';
import { type Choices, givenChoices, seededChoices } from './choices/choices.js';
import { courseOf } from './choices/course.js';
import type { Compiled } from './compiled.js';
import type { Disk } from './disk/disk.js';
import { cutDown, type Found, keyOf, uncut } from './found/cut-down.js';
import { cover, coverageOf } from './promises/coverage.js';
import { type Judged, judgedRun } from './promises/judged.js';
import { simulateRun } from './simulated-run.js';

export interface Campaign {
  readonly compiled: Compiled;
  readonly claims: readonly Claim[];
  readonly seed: string;
  /** Numbers of the runs: from `first`, every `step`-th, below `runs`. */
  readonly runs: number;
  readonly first: number;
  readonly step: number;
  readonly timeMs: number;
  /** Other versions of the file, which an author may have written between two sessions. */
  readonly versions?: readonly Compiled[];
  /** Different things that may be found before it ends; unbounded. */
  readonly mostFound?: number;
  now(): number;
  /** Asked before each run. */
  isStopped?(): boolean;
}

/** Plain data. */
export interface Outcome {
  readonly runs: number;
  readonly sessions: number;
  /** In the order of the runs that broke them first. */
  readonly found: readonly Found[];
  readonly coverage: readonly (readonly [string, number])[];
  readonly statuses: Readonly<Record<string, number>>;
}

/** In one thread: the runs, and what they broke cut down. @param disk mounted */
export async function campaign(asked: Campaign, disk: Disk): Promise<Outcome> {
  const outcome = await search(asked, disk);
  const found: Found[] = [];
  for (const one of outcome.found) found.push(await cutDown(one, asked, disk));
  return { ...outcome, found };
}

/** The runs alone. @param onRun told how many were made, and the keys of what they broke */
export async function search(
  asked: Campaign,
  disk: Disk,
  onRun?: (runs: number, found: Iterable<string>) => void,
): Promise<Outcome> {
  const { compiled, seed, now, isStopped, mostFound = Number.POSITIVE_INFINITY } = asked;
  const endsAt = now() + asked.timeMs;
  const coverage = coverageOf(compiled.plan);
  const found = new Map<string, Found>();
  const statuses: Record<string, number> = {};
  let runs = 0;
  let sessions = 0;
  await warm(compiled, disk, asked.versions);
  for (let number = asked.first; number < asked.runs; number += asked.step) {
    if ((runs > 0 && now() >= endsAt) || found.size >= mostFound || isStopped?.()) break;
    const own = `${seed}.${number}`;
    const judged = await runOf(own, asked, disk);
    runs++;
    sessions += judged.run.sessions.length;
    cover(coverage, judged.run);
    count(judged, statuses);
    for (const violation of judged.violations) {
      const key = keyOf(violation);
      if (!found.has(key)) found.set(key, uncut(violation, number, own, judged, judged.choices.taken()));
    }
    onRun?.(runs, found.keys());
  }
  return { runs, sessions, found: [...found.values()], coverage: [...coverage], statuses };
}

/** What is loaded when it is first needed takes real time, which would count as rest. */
export async function warm(compiled: Compiled, disk: Disk, versions: readonly Compiled[] = []): Promise<void> {
  for (const version of versions) version.ladders = compiled.ladders;
  compiled.ladders.isOpen = true;
  for (const number of [0, 1, 2])
    await simulateRun(compiled, number === 0 ? PLAIN() : seededChoices(`warm.${number}`), disk);
  compiled.ladders.isOpen = false;
}

const PLAIN = () => givenChoices(new Map());

export function runOf(
  seed: string,
  { compiled, claims, versions }: Pick<Campaign, 'compiled' | 'claims' | 'versions'>,
  disk: Disk,
): Promise<Judged & { readonly choices: Choices }> {
  const course = courseOf(seed, compiled.plan);
  return judgedRun(compiled, () => seededChoices(seed, course), disk, claims, versions);
}

function count({ run }: Judged, statuses: Record<string, number>): void {
  const end = run.sessions.at(-1)?.end;
  const name = end?.type === 'ended' ? end.report.status : (end?.type ?? 'none');
  statuses[name] = (statuses[name] ?? 0) + 1;
}
