/** Damaged streams over HTTP, half of them from servers that then say nothing: each ends in a clear error or in what its bytes say. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CANONICAL } from '../../test/providers/canonical-streams.js';
import { readPlainly } from '../../test/providers/plain-reading.js';
import { wrongWith } from '../../test/providers/stream-judgement.js';
import { mutants } from '../../test/providers/stream-mutations.js';
import { streamServer } from '../../test/providers/stream-server.js';
import { readBare } from '../bare-openai.js';
import type { Row } from '../row.js';
import { trials } from '../trials.js';
import { notingUncaught } from '../uncaught.js';

const STREAMS = { small: 200, large: 5_000 };
const AT_ONCE = 20;
const IDLE_TIMEOUT_MS = 300;
/** Far more than the idle time, for a machine that is busy. */
const HANGS_AFTER_MS = 10_000;

export const row: Row = {
  name: 'malformed',
  promise: 'malformed streams',
  target: 'each a clear error or the right result; 0 silent, 0 hanging, 0 uncaught',
  async prove(size, { seed }) {
    const damaged = mutants(CANONICAL, STREAMS[size], seed);
    const server = await streamServer();
    const tryOne = async (index: number) => {
      const { bytes, kind, of } = damaged[index] as (typeof damaged)[number];
      // Ten kinds come in turn: each of them with both ends.
      const close = Math.floor(index / 10) % 2 === 0 ? 'end' : 'hang';
      const over = new AbortController();
      const outcome = await Promise.race([
        server.ask({ frames: [bytes], close }, IDLE_TIMEOUT_MS),
        sleep(HANGS_AFTER_MS, 'hangs' as const, { signal: over.signal }),
      ]).finally(() => over.abort());
      const wrong =
        outcome === 'hangs' ? 'it hangs' : wrongWith(outcome, close === 'end' ? bytes : wholeEvents(bytes), of.says);
      return wrong && `${kind} in a stream with ${of.name}, then ${close}: ${wrong}`;
    };
    return notingUncaught(() => trials(damaged.length, AT_ONCE, tryOne)).finally(() => server.close());
  },
  bare: {
    of: "the openai SDK's own stream, taken as whole though cut or broken",
    async prove(size, { seed }) {
      const faults: string[] = [];
      const damaged = mutants(CANONICAL, STREAMS[size], seed);
      for (const { bytes, kind, of } of damaged) {
        if (readPlainly(bytes)) continue;
        const got = await readBare([bytes]);
        if (typeof got !== 'string') faults.push(`${kind} in a stream with ${of.name}: ${JSON.stringify(got)}`);
      }
      return { tried: damaged.length, faults };
    },
  },
  guards: [
    {
      says: 'an end without a terminal signal is no end',
      file: 'src/providers/assemble.ts',
      find: 'if (finishReason === undefined && !done) {',
      replace: 'if (!sawChoice) {',
    },
    {
      says: 'a line that is no field is not left out',
      file: 'src/providers/sse.ts',
      find: 'if (isStray(name, value)) throw',
      replace: 'if (name === value) throw',
    },
    {
      says: 'silence ends an attempt',
      file: 'src/providers/silence.ts',
      find: 'let timer = setTimeout(expire, Math.min(idleTimeoutMs, LONGEST_TIMER_MS));',
      replace: 'let timer = setTimeout(() => undefined, idleTimeoutMs);',
    },
  ],
};

/** Where a server says nothing more, an event that it has begun is none. */
function wholeEvents(bytes: Uint8Array): Uint8Array {
  const ends = [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/(?:\r\n|\n|\r(?!\n)){2}/g),
  ];
  const last = ends.at(-1);
  return bytes.subarray(0, last ? last.index + last[0].length : 0);
}
