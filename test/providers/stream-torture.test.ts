import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault, type FaultData } from '../../src/core/faults.js';
import { isObject, parseJson } from '../../src/core/json.js';
import type { ModelReply } from '../../src/core/model.js';
import { createAssembler } from '../../src/providers/assemble.js';
import { idsBeside } from '../../src/providers/call-ids.js';
import { openAiProvider } from '../../src/providers/openai.js';
import { createSseReader, type SseEvent } from '../../src/providers/sse.js';
import { type MockReply, type MockServer, mockServer } from '../support/mock-server.js';
import { bytesOf, CANONICAL } from './canonical-streams.js';
import { readPlainly } from './plain-reading.js';
import { mutants } from './stream-mutations.js';

type Outcome = ModelReply | FaultData;

/** As the provider reads it: to the first end. What is thrown and is no fault is thrown on. */
function assemble(pieces: readonly Uint8Array[]): Outcome {
  const assembler = createAssembler({ label: 'host', uniqueId: idsBeside([]) });
  const reader = createSseReader();
  const take = (events: readonly SseEvent[]) => {
    for (const event of events) if (assembler.state() !== 'closed') assembler.push(event);
  };
  try {
    for (const piece of pieces) {
      if (assembler.state() === 'closed') break;
      take(reader.push(piece));
      if (assembler.state() !== 'closed') reader.throwIfBroken();
    }
    if (assembler.state() !== 'closed') take(reader.end());
    return assembler.finish();
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
}

const isFault = (outcome: Outcome): outcome is FaultData => 'code' in outcome;

describe.each(CANONICAL)('a stream with $name', ({ events, says }) => {
  const bytes = bytesOf(events);

  it('says the same wherever it is cut in two', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const outcome = assemble([bytes.subarray(0, at), bytes.subarray(at)]);
      // Not `expect` for each of ten thousand.
      if (JSON.stringify(outcome) !== JSON.stringify(assemble([bytes]))) expect({ at, outcome }).toEqual({ at, says });
    }
    expect(assemble([bytes])).toEqual(says);
  });

  it('says the same when every byte comes alone', () => {
    expect(assemble([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(says);
  });

  it('is no answer when it ends before its end', () => {
    const text = events.join('');
    const last = text.search(/"finish_reason":"/);
    const before = new TextEncoder().encode(text.slice(0, last)).length;
    for (let at = 0; at <= before; at++) {
      const outcome = assemble([bytes.subarray(0, at)]);
      if (!isFault(outcome)) expect({ at, outcome }).toBe('a fault');
    }
  });
});

describe('5 000 damaged streams', () => {
  const damaged = mutants(CANONICAL, 5_000, 20_260);

  /** What is wrong with this outcome; undefined if nothing. */
  function wrong(outcome: Outcome, bytes: Uint8Array, says: ModelReply): string | undefined {
    if (isFault(outcome)) {
      return outcome.code.startsWith('provider.') && outcome.message !== '' ? undefined : 'not a clear fault';
    }
    const plain = readPlainly(bytes);
    if (!plain) return 'an answer where there is none';
    if (outcome.text !== plain.text || (outcome.reasoning ?? '') !== plain.reasoning) return 'another text';
    if (outcome.calls.length < plain.calls.length) return 'a call is lost';
    const known = [...says.calls, ...plain.calls].map((call) => `${call.name} ${call.arguments}`);
    const strange = outcome.calls.filter(
      (call) => canRun(call.arguments) && !known.includes(`${call.name} ${call.arguments}`),
    );
    return strange.length > 0 ? 'a call that nobody made' : undefined;
  }

  function canRun(text: string): boolean {
    try {
      return isObject(parseJson(text));
    } catch {
      return false;
    }
  }

  it('each end in a clear fault, or in what their bytes say', () => {
    const findings = damaged.flatMap(({ kind, of, bytes }) => {
      const outcome = assemble([bytes]);
      const why = wrong(outcome, bytes, of.says);
      return why === undefined ? [] : [{ why, kind, of: of.name, sent: new TextDecoder().decode(bytes), outcome }];
    });
    expect(findings.slice(0, 3)).toEqual([]);
  });

  it('end the same way when every byte comes alone', () => {
    for (const { bytes, kind } of damaged.slice(0, 1_000)) {
      const alone = assemble([...bytes].map((byte) => Uint8Array.of(byte)));
      const whole = assemble([bytes]);
      if (JSON.stringify(alone) !== JSON.stringify(whole)) expect({ kind, alone }).toEqual({ kind, alone: whole });
    }
  });

  it('are never an answer when their end is gone', () => {
    const endless = damaged.filter(({ kind }) => kind === 'terminal removed');
    expect(endless.length).toBeGreaterThanOrEqual(500);
    expect(endless.map(({ bytes }) => assemble([bytes])).filter((outcome) => !isFault(outcome))).toEqual([]);
  });

  it('are faults far more often than not where bytes were lost', () => {
    for (const kind of ['JSON truncated', 'cut off'] as const) {
      const outcomes = damaged.filter((mutant) => mutant.kind === kind).map(({ bytes }) => assemble([bytes]));
      expect(outcomes.filter(isFault).length, kind).toBeGreaterThan(outcomes.length / 2);
    }
  });
});

describe('over HTTP', () => {
  let server: MockServer;
  const replies: MockReply[] = [];
  beforeAll(async () => {
    // The user's message is the number of the reply.
    server = await mockServer(({ body }) => replies[Number(JSON.parse(body).messages[0].content)] ?? { status: 500 });
  });
  afterAll(() => server.close());

  function ask(reply: MockReply, idleTimeoutMs: number): Promise<Outcome> {
    const text = String(replies.push(reply) - 1);
    return openAiProvider({ name: 'openai', baseUrl: server.url })
      .complete(
        { model: 'm', system: '', messages: [{ role: 'user', text }], tools: [], toolChoice: 'auto', parameters: {} },
        { signal: new AbortController().signal, idleTimeoutMs },
      )
      .catch((error: unknown) => {
        if (error instanceof Fault) return error.data;
        throw error;
      });
  }

  it.each(CANONICAL)('$name says the same byte by byte, and cut at any of five places', async ({ events, says }) => {
    const bytes = bytesOf(events);
    expect(await ask({ frames: [bytes], split: 'byte' }, 10_000)).toEqual(says);
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const at = Math.floor(bytes.length * part);
      expect(await ask({ frames: [bytes.subarray(0, at), bytes.subarray(at)] }, 10_000)).toEqual(says);
    }
  });

  it('damaged streams end as they do in memory, also when the connection then says nothing', async () => {
    const sample = mutants(CANONICAL, 60, 7);
    const outcomes = await Promise.all(
      sample.map(({ bytes }, n) =>
        n % 2 === 0 ? ask({ frames: [bytes] }, 10_000) : ask({ frames: [bytes], close: 'hang' }, 400),
      ),
    );
    for (const [n, { kind, bytes }] of sample.entries()) {
      const outcome = outcomes[n] as Outcome;
      const expected = assemble([bytes]);
      const isSilent = isFault(outcome) && outcome.code === 'provider.silent';
      // What the end of the body would have ended is ended by the silence.
      if (isSilent) expect(n % 2).toBe(1);
      else if (isFault(expected))
        expect({ kind, code: isFault(outcome) && outcome.code }).toEqual({ kind, code: expected.code });
      else expect(outcome).toEqual(expected);
    }
  });
});
