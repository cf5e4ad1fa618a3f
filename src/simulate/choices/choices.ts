/** What the adversary chooses: small numbers by place, the same for the same seed, or given as a list; 0 is the plainest everywhere. */

/** Numbers of one place, in the order in which they were asked for. */
export type Taken = ReadonlyMap<string, readonly number[]>;

/** How much of each kind of trouble a run gets: chances between 0 and 1 that a choice is not the plainest one. */
export type Aspect = 'model' | 'fault' | 'value' | 'process' | 'delay' | 'crash' | 'disk';

export interface Draw {
  /** From 0 up to, but not including, `count`. */
  pick(aspect: Aspect, count: number): number;
  /** As many as `pick`, with a chance of its own for not 0. */
  rarely(chance: number, count: number): number;
}

export interface Choices {
  /** From the beginning of the place: asked again, it says the same. */
  at(place: string): Draw;
  /** What was asked for, without zeros at the ends; places of zeros alone are left out. */
  taken(): Taken;
}

/** A choice for each number that is not 0. */
export function countOf(taken: Taken): number {
  let count = 0;
  for (const numbers of taken.values()) for (const number of numbers) if (number !== 0) count++;
  return count;
}

/** @param course the name of what is drawn at a place; undefined where every choice is the plainest one */
export function seededChoices(seed: string, course: (place: string) => string | undefined = (place) => place): Choices {
  const tempers = temperOf(randomAt(seed, 'temper'));
  return recording((place) => {
    const name = course(place);
    if (name === undefined) return () => 0;
    const random = randomAt(seed, name);
    return (chance, count) => (random() >= chance ? 0 : 1 + Math.floor(random() * (count - 1)));
  }, tempers);
}

export function givenChoices(given: Taken): Choices {
  return recording((place) => {
    const numbers = given.get(place) ?? [];
    let at = 0;
    return (_chance, count) => {
      const number = numbers[at++] ?? 0;
      return number < count ? number : number % count;
    };
  }, PLAIN);
}

type Tempers = Readonly<Record<Aspect, number>>;
const ASPECTS: readonly Aspect[] = ['model', 'fault', 'value', 'process', 'delay', 'crash', 'disk'];
const CHANCES = [0, 0.03, 0.1, 0.25, 0.6];
/** Of whole runs: a crash costs a session, a failed disk ends one. */
const RARER: Partial<Tempers> = { fault: 0.5, crash: 1, disk: 0.2 };
const PLAIN: Tempers = Object.fromEntries(ASPECTS.map((aspect) => [aspect, 0])) as Record<Aspect, number>;

function temperOf(random: () => number): Tempers {
  const chanceOf = (aspect: Aspect) => (CHANCES[Math.floor(random() * CHANCES.length)] ?? 0) * (RARER[aspect] ?? 1);
  return Object.fromEntries(ASPECTS.map((aspect) => [aspect, chanceOf(aspect)])) as Record<Aspect, number>;
}

function recording(open: (place: string) => (chance: number, count: number) => number, tempers: Tempers): Choices {
  const places = new Map<string, number[]>();
  return {
    at(place) {
      const next = open(place);
      const numbers: number[] = [];
      places.set(place, numbers);
      const rarely = (chance: number, count: number) => {
        const number = count < 2 ? 0 : next(chance, count);
        numbers.push(number);
        return number;
      };
      return { rarely, pick: (aspect, count) => rarely(tempers[aspect], count) };
    },
    taken: () =>
      new Map(
        [...places].flatMap(([place, numbers]) => {
          const last = numbers.findLastIndex((number) => number !== 0);
          return last < 0 ? [] : [[place, numbers.slice(0, last + 1)] as const];
        }),
      ),
  };
}

/** A stream of its own for each place (sfc32 over a hash of seed with place). */
export function randomAt(seed: string, place: string): () => number {
  let [a, b, c, d] = hashed(`${seed} ${place}`);
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let warm = 0; warm < 12; warm++) next();
  return next;
}

/** 128 bits (cyrb128). */
function hashed(text: string): [number, number, number, number] {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    h1 = h2 ^ Math.imul(h1 ^ unit, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ unit, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ unit, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ unit, 2716044179);
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179);
  h1 ^= h2 ^ h3 ^ h4;
  return [h1, h2 ^ h1, h3 ^ h1, h4 ^ h1];
}
