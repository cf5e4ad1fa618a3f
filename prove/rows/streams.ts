/** Canonical streams cut into pieces in every way say what they say whole. */
import { bytesOf, CANONICAL, type CanonicalStream } from '../../test/providers/canonical-streams.js';
import { bytewise, type Outcome, readPieces } from '../../test/providers/stream-reading.js';
import { type StreamServer, streamServer } from '../../test/providers/stream-server.js';
import { readBare } from '../bare-openai.js';
import { randomFrom } from '../random.js';
import type { Row, Size } from '../row.js';
import { trials } from '../trials.js';

/** Of all streams; so many of them also go over HTTP. */
const SPLITS = { small: 3_000, large: 20_000 };
const OVER_HTTP = { small: 60, large: 600 };
const AT_ONCE = 4;
const IDLE_TIMEOUT_MS = 10_000;

interface Split {
  readonly of: CanonicalStream;
  readonly bytes: Uint8Array;
  /** Offsets at which a piece begins; `undefined`: each byte is one. */
  readonly cuts: readonly number[] | undefined;
}

export const row: Row = {
  name: 'streams',
  promise: `every split of ${CANONICAL.length} canonical streams`,
  target: '100 % say the same',
  async prove(size, { seed }) {
    const splits = splitsOf(size, seed);
    const every = Math.floor(splits.length / OVER_HTTP[size]);
    const server = await streamServer();
    const figure = await trials(splits.length, AT_ONCE, async (index) => {
      const split = splits[index] as Split;
      const pieces = piecesOf(split);
      return differenceOf(split, readPieces(pieces)) ?? (index % every === 0 ? overHttp(server, split) : undefined);
    });
    await server.close();
    return { ...figure, also: `${Math.ceil(splits.length / every)} of them over HTTP` };
  },
  bare: {
    of: "the openai SDK's own stream, its chunks joined as its guide does",
    async prove(size, { seed }) {
      const faults: string[] = [];
      const splits = splitsOf(size, seed);
      for (const split of splits) if (!(await isReadBare(split))) faults.push(said(split));
      return { tried: splits.length, faults, also: await wholeBare() };
    },
  },
  guards: [
    {
      says: 'a line end cut between CR and LF is one',
      file: 'src/providers/sse.ts',
      find: 'afterCr = true;',
      replace: 'afterCr = false;',
    },
    {
      says: 'bytes are decoded as whole lines',
      file: 'src/providers/sse.ts',
      find: ": Buffer.concat(line)).toString('utf8')",
      replace: ": Buffer.from(line.map(String).join(''))).toString('utf8')",
    },
    {
      says: 'a new id on a used index opens a call',
      file: 'src/providers/calls.ts',
      find: 'if (id !== undefined && candidate.id !== undefined && candidate.id !== id) return undefined;',
      replace: '',
    },
  ],
};

/** Each stream byte by byte, in two at places that lie evenly over it, at all of them when there is room, in three and more at random. */
function splitsOf(size: Size, seed: number): Split[] {
  const random = randomFrom(seed);
  const share = Math.floor(SPLITS[size] / CANONICAL.length);
  return CANONICAL.flatMap((of) => {
    const bytes = bytesOf(of.events);
    const inTwo = Math.min(bytes.length - 1, Math.ceil(share * 0.75));
    const cutsOf = (n: number): readonly number[] | undefined => {
      if (n === 0) return undefined;
      if (n <= inTwo) return [1 + Math.floor(((n - 1) * (bytes.length - 1)) / inTwo)];
      const count = n % 2 === 0 ? 2 : 3 + Math.floor(random() * 20);
      const cuts = Array.from({ length: count }, () => 1 + Math.floor(random() * (bytes.length - 1)));
      return [...new Set(cuts)].sort((a, b) => a - b);
    };
    return Array.from({ length: share }, (_, n): Split => ({ of, bytes, cuts: cutsOf(n) }));
  });
}

function piecesOf({ bytes, cuts }: Split): Uint8Array[] {
  if (!cuts) return bytewise(bytes);
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index]));
}

async function overHttp(server: StreamServer, split: Split): Promise<string | undefined> {
  return differenceOf(split, await server.ask({ frames: piecesOf(split) }, IDLE_TIMEOUT_MS));
}

function differenceOf(split: Split, outcome: Outcome): string | undefined {
  const says = JSON.stringify(inOrder(split.of.says));
  const got = JSON.stringify(inOrder(outcome));
  return got === says ? undefined : `${said(split)}: ${got}, not ${says}`;
}

/** The order of the fields says nothing. */
function inOrder(outcome: Outcome): unknown {
  return Object.fromEntries(Object.entries(outcome).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function said({ of, cuts }: Split): string {
  const where = !cuts ? 'byte by byte' : cuts.length === 0 ? 'whole' : `cut at ${cuts.join(', ')}`;
  return `a stream with ${of.name}, ${where}`;
}

/** Ids aside, and thoughts, of which it knows nothing: thinking in the text may stay in the text. */
async function isReadBare(split: Split): Promise<boolean> {
  const got = await readBare(piecesOf(split));
  if (typeof got === 'string') return false;
  const { text, calls } = split.of.says;
  const content = got.text.replace(/<(think|thinking)>.*?<\/\1>/gs, '');
  const wanted = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return content === text && JSON.stringify(got.calls) === JSON.stringify(wanted);
}

async function wholeBare(): Promise<string> {
  let failed = 0;
  for (const of of CANONICAL) if (!(await isReadBare({ of, bytes: bytesOf(of.events), cuts: [] }))) failed++;
  return `${failed} of the ${CANONICAL.length} streams already in one piece`;
}
