/** Fuzzes the reader of server-sent events; however the bytes are cut, it must read the same. */
import { createSseReader, type SseEvent } from '../../src/providers/sse.js';
import { CANONICAL } from '../../test/providers/canonical-streams.js';
import { below, damagedBytes, mutated } from './mutate.js';
import { orFault, type Random, type Target } from './target.js';

const CORPUS = {
  texts: CANONICAL.map(({ events }) => events.join('')),
  words: [
    'data:',
    'data: ',
    'event: error\n',
    'event:',
    'id: 1\n',
    'retry: 1\n',
    ':\n',
    '\n\n',
    '\r\n\r\n',
    '\r',
    '\uFEFF',
    'data: [DONE]\n\n',
    '{"error":{"message":"no"}}\n',
    '<html>\n',
    '"choices"',
    '\0',
    '量',
  ],
};

export const sse: Target = {
  name: 'SSE reader',
  inputs: 600,
  async open() {
    return (random) => {
      const input = damagedBytes(mutated(CORPUS, random), random);
      const pieces = inPieces(input, random);
      return {
        input,
        read: () => (eventsOf([input]) === eventsOf(pieces) ? undefined : 'cut into pieces it says something else'),
      };
    };
  },
};

function inPieces(bytes: Uint8Array, random: Random): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + below(10 ** (1 + below(3, random)), random);
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

function eventsOf(pieces: readonly Uint8Array[]): string {
  const events: SseEvent[] = [];
  const end = orFault(() => {
    const reader = createSseReader();
    for (const piece of pieces) {
      events.push(...reader.push(piece));
      reader.throwIfBroken();
    }
    events.push(...reader.end());
  });
  return JSON.stringify([events, end?.data.code]);
}
