/** Damages streams, the same way for the same seed, in each way a connection or a server can. */
import { bytesOf, type CanonicalStream } from './canonical-streams.js';

export interface Mutant {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
}

export type Kind = keyof typeof KINDS;

/** A number from 0 to below the bound. */
type Roll = (bound: number) => number;
type Mutate = (stream: CanonicalStream, roll: Roll) => Uint8Array;

const KINDS = {
  'bytes flipped': (stream, roll) => {
    const bytes = bytesOf(stream.events);
    for (let n = 1 + roll(3); n > 0; n--) {
      const at = roll(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << roll(8));
    }
    return bytes;
  },
  'bytes dropped': (stream, roll) => {
    const bytes = bytesOf(stream.events);
    const at = roll(bytes.length);
    return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + roll(4)));
  },
  'bytes doubled': (stream, roll) => {
    const bytes = bytesOf(stream.events);
    const at = roll(bytes.length);
    return joined(bytes.subarray(0, at + 1 + roll(4)), bytes.subarray(at));
  },
  'a line cut': (stream, roll) => {
    const lines = stream.events.join('').split('\n');
    const at = roll(lines.length);
    const line = lines[at] ?? '';
    const place = roll(line.length + 1);
    lines[at] = roll(2) === 0 ? line.slice(0, place) : line.slice(place);
    return bytesOf([lines.join('\n')]);
  },
  'an event dropped': (stream, roll) => bytesOf(stream.events.toSpliced(roll(stream.events.length), 1)),
  'an event doubled': (stream, roll) => {
    const at = roll(stream.events.length);
    return bytesOf(stream.events.toSpliced(at, 0, stream.events[at] as string));
  },
  'events swapped': (stream, roll) => {
    const [one, other] = [roll(stream.events.length), roll(stream.events.length)];
    const { events } = stream;
    return bytesOf(events.with(one, events[other] as string).with(other, events[one] as string));
  },
  'JSON truncated': (stream, roll) => {
    const at = roll(stream.events.length);
    const event = stream.events[at] as string;
    return bytesOf(stream.events.with(at, `${event.trimEnd().slice(0, -1 - roll(12))}\n\n`));
  },
  'cut off': (stream, roll) => {
    const bytes = bytesOf(stream.events);
    return bytes.subarray(0, roll(bytes.length));
  },
  'terminal removed': ({ events }) =>
    bytesOf(
      events
        .filter((event) => !event.includes('[DONE]'))
        .map((event) => event.replace(/"finish_reason":"\w+"/, '"finish_reason":null')),
    ),
} satisfies Record<string, Mutate>;

export function mutants(
  streams: readonly CanonicalStream[],
  count: number,
  seed: number,
): (Mutant & { of: CanonicalStream })[] {
  const roll = dice(seed);
  const kinds = Object.entries(KINDS) as [Kind, Mutate][];
  return Array.from({ length: count }, (_, n) => {
    const [kind, mutate] = kinds[n % kinds.length] as [Kind, Mutate];
    const of = streams[roll(streams.length)] as CanonicalStream;
    return { kind, of, bytes: mutate(of, roll) };
  });
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Mulberry32. */
function dice(seed: number): Roll {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
