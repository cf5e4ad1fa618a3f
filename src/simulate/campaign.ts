/** Many simulated runs, one seed after the other: what they broke, cut down; what they came to. */
import type { Claim } from '../testing/claims.js';
import { type Choices, countOf, givenChoices, seededChoices, type Taken } from './choices/choices.js';
import { courseOf } from './choices/course.js';
import type { Compiled } from './compiled.js';
import type { Disk } from './disk/disk.js';
import { type FoundTest, foundTest } from './found/found-test.js';
import { shrink } from './found/shrink.js';
import { storyOf } from './found/story.js';
import { cover, coverageOf } from './promises/coverage.js';
import { type Judged, judgedRun, type Violation } from './promises/judged.js';
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
  /** Different things that may be found before it ends. */
  readonly mostFound?: number;
  now(): number;
}

export interface Found {
  readonly violation: Omit<Violation, 'claim'>;
  /** Of the run that broke it first. */
  readonly seed: string;
  readonly story: string;
  readonly choices: number;
  readonly taken: readonly (readonly [string, readonly number[]])[];
  readonly test: FoundTest | undefined;
}

export interface Outcome {
  readonly runs: number;
  readonly sessions: number;
  readonly found: readonly Found[];
  readonly coverage: readonly (readonly [string, number])[];
  readonly statuses: Readonly<Record<string, number>>;
}

/** More of them say little more. */
const MOST_FOUND = 5;

/** @param disk mounted */
export async function campaign(asked: Campaign, disk: Disk, onRun?: (runs: number) => void): Promise<Outcome> {
  const { compiled, seed, now, mostFound = MOST_FOUND } = asked;
  const endsAt = now() + asked.timeMs;
  const coverage = coverageOf(compiled.plan);
  const found = new Map<string, Found>();
  const statuses: Record<string, number> = {};
  let runs = 0;
  let sessions = 0;
  await warm(compiled, disk, asked.versions);
  for (let number = asked.first; number < asked.runs; number += asked.step) {
    if (now() >= endsAt || found.size >= mostFound) break;
    const own = `${seed}.${number}`;
    const judged = await runOf(own, asked, disk);
    runs++;
    sessions += judged.run.sessions.length;
    cover(coverage, judged.run);
    count(judged, statuses);
    for (const violation of judged.violations) {
      const name = `${violation.type} ${violation.what}`;
      if (found.has(name) || found.size >= mostFound) continue;
      found.set(name, await cutDown(violation, own, judged.choices.taken(), asked, disk));
    }
    onRun?.(runs);
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

async function cutDown(violation: Violation, seed: string, taken: Taken, asked: Campaign, disk: Disk): Promise<Found> {
  const { compiled, claims, versions } = asked;
  let last: { readonly judged: Judged; readonly violation: Violation } | undefined;
  const breaks = async (other: Taken) => {
    const judged = await judgedRun(compiled, () => givenChoices(other), disk, claims, versions);
    const same = judged.violations.find((one) => one.type === violation.type && one.what === violation.what);
    if (same) last = { judged, violation: same };
    return same !== undefined;
  };
  const isRepeated = await breaks(taken);
  const least = isRepeated ? await shrink(taken, breaks) : taken;
  await breaks(least);
  const { claim: _claim, ...told } = { claim: undefined, ...(last?.violation ?? violation) };
  return {
    violation: told,
    seed,
    story: last ? storyOf(last.judged.run) : '',
    choices: countOf(least),
    taken: [...least],
    test: last ? foundTest(last.violation, last.judged.run, least, compiled) : undefined,
  };
}
