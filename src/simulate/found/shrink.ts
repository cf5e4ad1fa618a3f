/** From the choices of a run that broke something to few of them that break the same: by leaving out, and by smaller numbers. */
import { countOf, type Taken } from '../choices/choices.js';

/** Runs that one violation may cost. */
const MOST_RUNS = 600;

/** @param breaks whether a run of these choices breaks the same thing */
export async function shrink(
  taken: Taken,
  breaks: (taken: Taken) => Promise<boolean>,
  mostRuns = MOST_RUNS,
): Promise<Taken> {
  let best = taken;
  let runs = 0;
  const tries = async (other: Taken): Promise<boolean> => {
    if (runs >= mostRuns || size(other) >= size(best)) return false;
    runs++;
    if (!(await breaks(other))) return false;
    best = other;
    return true;
  };
  for (let before = -1; before !== size(best) && runs < mostRuns; ) {
    before = size(best);
    await withoutBlocks(() => best, tries);
    await withoutNumbers(() => best, tries);
    await withSmaller(() => best, tries);
    await withOne(() => best, tries);
  }
  return best;
}

/** Fewer choices first, then smaller numbers. */
function size(taken: Taken): number {
  let sum = 0;
  for (const numbers of taken.values()) for (const number of numbers) sum += Math.min(number, 9_999);
  return countOf(taken) * 1_000_000 + sum;
}

type Tries = (other: Taken) => Promise<boolean>;

async function withoutBlocks(best: () => Taken, tries: Tries): Promise<void> {
  for (let block = Math.ceil(best().size / 2); block >= 1; block = block === 1 ? 0 : Math.ceil(block / 2)) {
    for (let from = 0; from < best().size; ) {
      const places = [...best().keys()];
      const gone = new Set(places.slice(from, from + block));
      const isLess = await tries(new Map([...best()].filter(([place]) => !gone.has(place))));
      if (!isLess) from += block;
    }
  }
}

async function withoutNumbers(best: () => Taken, tries: Tries): Promise<void> {
  for (const place of [...best().keys()]) {
    const numbers = best().get(place) ?? [];
    for (let at = numbers.length - 1; at >= 0; at--) {
      if ((best().get(place)?.[at] ?? 0) === 0) continue;
      await tries(replaced(best(), place, at, 0));
    }
  }
}

async function withSmaller(best: () => Taken, tries: Tries): Promise<void> {
  for (const place of [...best().keys()]) {
    const count = best().get(place)?.length ?? 0;
    for (let at = 0; at < count; at++) {
      for (;;) {
        const number = best().get(place)?.[at] ?? 0;
        if (number < 2) break;
        if (await tries(replaced(best(), place, at, 1))) break;
        if (await tries(replaced(best(), place, at, Math.floor(number / 2)))) continue;
        if (!(await tries(replaced(best(), place, at, number - 1)))) break;
      }
    }
  }
}

/** Other numbers at one place, and nothing else: another way to the same end may be shorter. */
async function withOne(best: () => Taken, tries: Tries): Promise<void> {
  const before = best();
  if (countOf(before) < 2 || before.size > FEW_PLACES) return;
  for (const [place, numbers] of before) {
    const at = numbers.findIndex((number) => number !== 0);
    for (let number = 1; number <= FEW_PLACES; number++) {
      if (await tries(replaced(new Map([[place, numbers.slice(0, at + 1)]]), place, at, number))) return;
    }
  }
}

const FEW_PLACES = 12;

function replaced(taken: Taken, place: string, at: number, by: number): Taken {
  const numbers = [...(taken.get(place) ?? [])];
  numbers[at] = by;
  const last = numbers.findLastIndex((number) => number !== 0);
  const other = new Map(taken);
  if (last < 0) other.delete(place);
  else other.set(place, numbers.slice(0, last + 1));
  return other;
}
