import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, CANONICAL } from './canonical-streams.js';
import { wrongWith } from './stream-judgement.js';
import { mutants } from './stream-mutations.js';
import { bytewise, isFault, type Outcome, readPieces } from './stream-reading.js';
import { type StreamServer, streamServer } from './stream-server.js';

describe.each(CANONICAL)('a stream with $name', ({ events, says }) => {
  const bytes = bytesOf(events);

  it('says the same wherever it is cut in two', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const outcome = readPieces([bytes.subarray(0, at), bytes.subarray(at)]);
      // Not `expect` for each of ten thousand.
      if (JSON.stringify(outcome) !== JSON.stringify(readPieces([bytes])))
        expect({ at, outcome }).toEqual({ at, says });
    }
    expect(readPieces([bytes])).toEqual(says);
  });

  it('says the same when every byte comes alone', () => {
    expect(readPieces(bytewise(bytes))).toEqual(says);
  });

  it('is no answer when it ends before its end', () => {
    const text = events.join('');
    const last = text.search(/"finish_reason":"/);
    const before = new TextEncoder().encode(text.slice(0, last)).length;
    for (let at = 0; at <= before; at++) {
      const outcome = readPieces([bytes.subarray(0, at)]);
      if (!isFault(outcome)) expect({ at, outcome }).toBe('a fault');
    }
  });
});

describe('5 000 damaged streams', () => {
  const damaged = mutants(CANONICAL, 5_000, 20_260);

  it('each end in a clear fault, or in what their bytes say', () => {
    const findings = damaged.flatMap(({ kind, of, bytes }) => {
      const outcome = readPieces([bytes]);
      const why = wrongWith(outcome, bytes, of.says);
      return why === undefined ? [] : [{ why, kind, of: of.name, sent: new TextDecoder().decode(bytes), outcome }];
    });
    expect(findings.slice(0, 3)).toEqual([]);
  });

  it('end the same way when every byte comes alone', () => {
    for (const { bytes, kind } of damaged.slice(0, 1_000)) {
      const alone = readPieces(bytewise(bytes));
      const whole = readPieces([bytes]);
      if (JSON.stringify(alone) !== JSON.stringify(whole)) expect({ kind, alone }).toEqual({ kind, alone: whole });
    }
  });

  it('are never an answer when their end is gone', () => {
    const endless = damaged.filter(({ kind }) => kind === 'terminal removed');
    expect(endless.length).toBeGreaterThanOrEqual(500);
    expect(endless.map(({ bytes }) => readPieces([bytes])).filter((outcome) => !isFault(outcome))).toEqual([]);
  });

  it('are faults far more often than not where bytes were lost', () => {
    for (const kind of ['JSON truncated', 'cut off'] as const) {
      const outcomes = damaged.filter((mutant) => mutant.kind === kind).map(({ bytes }) => readPieces([bytes]));
      expect(outcomes.filter(isFault).length, kind).toBeGreaterThan(outcomes.length / 2);
    }
  });
});

describe('over HTTP', () => {
  let server: StreamServer;
  beforeAll(async () => {
    server = await streamServer();
  });
  afterAll(() => server.close());

  it.each(CANONICAL)('$name says the same byte by byte, and cut at any of five places', async ({ events, says }) => {
    const bytes = bytesOf(events);
    expect(await server.ask({ frames: [bytes], split: 'byte' }, 10_000)).toEqual(says);
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const at = Math.floor(bytes.length * part);
      expect(await server.ask({ frames: [bytes.subarray(0, at), bytes.subarray(at)] }, 10_000)).toEqual(says);
    }
  });

  it('damaged streams end as they do in memory, also when the connection then says nothing', async () => {
    const sample = mutants(CANONICAL, 60, 7);
    const outcomes = await Promise.all(
      sample.map(({ bytes }, n) =>
        n % 2 === 0 ? server.ask({ frames: [bytes] }, 10_000) : server.ask({ frames: [bytes], close: 'hang' }, 400),
      ),
    );
    for (const [n, { kind, bytes }] of sample.entries()) {
      const outcome = outcomes[n] as Outcome;
      const expected = readPieces([bytes]);
      const isSilent = isFault(outcome) && outcome.code === 'provider.silent';
      // What the end of the body would have ended is ended by the silence.
      if (isSilent) expect(n % 2).toBe(1);
      else if (isFault(expected))
        expect({ kind, code: isFault(outcome) && outcome.code }).toEqual({ kind, code: expected.code });
      else expect(outcome).toEqual(expected);
    }
  });
});
