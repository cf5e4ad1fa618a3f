/** What a run broke: which promise or claim it is, and the fewest choices that break it still. */
import type { Claim } from '../../testing/claims.js';
import { countOf, givenChoices, type Taken } from '../choices/choices.js';
import type { Compiled } from '../compiled.js';
import type { Disk } from '../disk/disk.js';
import { type Judged, judgedRun, type Violation } from '../promises/judged.js';
import { type FoundTest, foundTest } from './found-test.js';
import { shrink } from './shrink.js';
import { storyOf } from './story.js';

/** Plain data. */
export interface Found {
  /** The same for the same promise, or the same claim, whatever its message. */
  readonly key: string;
  readonly violation: Omit<Violation, 'claim'>;
  /** Of the run that broke it first: the one with the lowest number. */
  readonly number: number;
  readonly seed: string;
  readonly story: string;
  readonly choices: number;
  readonly taken: readonly (readonly [string, readonly number[]])[];
  /** Whether the choices are the fewest that were found, and not all of that run. */
  readonly isCut: boolean;
  /** Once it is cut down, unless no test can show it. */
  readonly test: FoundTest | undefined;
}

export interface Cutting {
  readonly compiled: Compiled;
  readonly claims: readonly Claim[];
  readonly versions?: readonly Compiled[];
  /** When it takes what it has. */
  isLate?(): boolean;
}

export function keyOf(violation: Violation): string {
  if (violation.type === 'promise') return `promise ${violation.what}`;
  return `${violation.claim.holds} ${violation.claim.text}`;
}

/** As a run broke it, with all of its choices. */
export function uncut(violation: Violation, number: number, seed: string, { run }: Judged, taken: Taken): Found {
  return {
    key: keyOf(violation),
    violation: told(violation),
    number,
    seed,
    story: storyOf(run),
    choices: countOf(taken),
    taken: [...taken],
    isCut: false,
    test: undefined,
  };
}

/** Comes to the same for the same choices, unless it is late. */
export async function cutDown(found: Found, asked: Cutting, disk: Disk): Promise<Found> {
  const { compiled, claims, versions, isLate } = asked;
  let last: { readonly judged: Judged; readonly violation: Violation } | undefined;
  const breaks = async (other: Taken) => {
    if (last && isLate?.()) return false;
    const judged = await judgedRun(compiled, () => givenChoices(other), disk, claims, versions);
    const same = judged.violations.find((one) => keyOf(one) === found.key);
    if (same) last = { judged, violation: same };
    return same !== undefined;
  };
  const taken: Taken = new Map(found.taken);
  if (!(await breaks(taken)) || !last) return found;
  const least = await shrink(taken, breaks);
  const { judged, violation } = last;
  return {
    ...found,
    violation: told(violation),
    story: storyOf(judged.run, least),
    choices: countOf(least),
    taken: [...least],
    isCut: true,
    test: foundTest(violation, judged.run, least, compiled),
  };
}

function told(violation: Violation): Omit<Violation, 'claim'> {
  const { type, what, said } = violation;
  return { type, what, said };
}
