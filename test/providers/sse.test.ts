import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { ReadBytes } from '../../src/providers/http.js';
import { createSseReader, readSse, type SseEvent } from '../../src/providers/sse.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readerOf(source: AsyncIterable<Uint8Array>): ReadBytes {
  return async (take) => {
    for await (const piece of source) if (take(piece) === 'enough') return;
  };
}

function read(text: string, cuts: readonly number[] = []): SseEvent[] {
  const whole = bytes(text);
  const reader = createSseReader();
  const places = [0, ...[...cuts].map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  const events = places.slice(1).flatMap((end, i) => reader.push(whole.subarray(places[i], end)));
  return [...events, ...reader.end()];
}

describe('the SSE reader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['a mixture', 'data: a\r\n\ndata: b\r\r\n'],
    ['a byte order mark', '\uFEFFdata: a\n\ndata: b\n\n'],
    ['comments', ': one\n\ndata: a\n:\n\n: two\ndata: b\n\n'],
    ['no space after the colon', 'data:a\n\ndata:b\n\n'],
    ['unknown fields and ids', 'id: 1\nretry: 5\nfoo\ndata: a\n\nid\ndata: b\n\n'],
    ['no blank line at the end', 'data: a\n\ndata: b'],
  ])('reads events with %s', (_, text) => {
    expect(read(text)).toEqual([{ data: 'a' }, { data: 'b' }]);
  });

  it('joins data lines by line feeds, and takes off one space only', () => {
    expect(read('data:  a\ndata\ndata:b\n\n')).toEqual([{ data: ' a\n\nb' }]);
  });

  it('gives an event its name, and forgets it with the event', () => {
    expect(read('event: error\ndata: x\n\nevent: ping\n\ndata: y\n\n')).toEqual([
      { event: 'error', data: 'x' },
      { data: 'y' },
    ]);
  });

  it('keeps U+2028, U+0085 and NUL, which end no line', () => {
    expect(read('data: a\u2028b\u0085c\0d\n\n')).toEqual([{ data: 'a\u2028b\u0085c\0d' }]);
  });

  it('reads the same events wherever the bytes are cut', () => {
    const line = fc.constantFrom('data: 量子😀', 'data:x', ': c', 'event: e', '', 'data: {"a":1}', 'id: 7');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const text = fc.array(fc.tuple(line, end), { maxLength: 12 }).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 30 }), (stream, cuts) => {
        expect(read(stream, cuts)).toEqual(read(stream));
      }),
    );
  });

  it('refuses an event over its limit, also when no line of it ends', () => {
    const reader = createSseReader(1_000);
    reader.push(bytes(`data: ${'x'.repeat(900)}`));
    expect(() => reader.push(bytes('x'.repeat(200)))).toThrow('more than 1000 bytes');
    const whole = createSseReader(1_000);
    const event = `data: ${'x'.repeat(200)}\n`.repeat(5);
    expect(() => whole.push(bytes(`: begins\n\n${event}\n`))).toThrow('more than 1000 bytes');
    const lines = createSseReader(1_000);
    lines.push(bytes(`data: ${'x'.repeat(900)}\n`));
    expect(() => lines.push(bytes(`data: ${'x'.repeat(200)}`))).toThrow('more than 1000 bytes');
  });

  it.each([
    ['JSON in place of events', '{"error":{"message":"no"}}'],
    ['a page', '<!doctype html><html>'],
    ['a frame whose field name is damaged', 'dbta: {"choices":[]}'],
    ['a frame without its colon', 'data {"choices":[]}'],
    ['a frame that became a comment', ':ata: {"choices":[]}'],
    ['the rest of a frame', '"finish_reason":null}]}'],
  ])('refuses what would be lost without a word: %s', (_, line) => {
    expect(() => read(`${line}\n\n`)).toThrow(Fault);
  });

  it('gives the events before what is broken, however the bytes are cut, and only then throws', () => {
    const whole = bytes('data: a\n\ndata: b\n\n{"broken"\n\ndata: c\n\n');
    for (let cut = 0; cut <= whole.length; cut++) {
      const reader = createSseReader();
      const events: SseEvent[] = [];
      expect(() => {
        for (const piece of [whole.subarray(0, cut), whole.subarray(cut)]) {
          events.push(...reader.push(piece));
          reader.throwIfBroken();
        }
      }).toThrow('no event of a stream');
      expect(events).toEqual([{ data: 'a' }, { data: 'b' }]);
    }
  });

  it('says at once what is broken, also when the server then says nothing more', async () => {
    async function* stalled() {
      yield bytes('data: a\n\n<html>\n');
      await new Promise(() => undefined);
    }
    const events: SseEvent[] = [];
    const reading = readSse(readerOf(stalled()), (event) => {
      events.push(event);
      return 'more';
    });
    await expect(reading).rejects.toThrow('<html>');
    expect(events).toEqual([{ data: 'a' }]);
  });

  it('reads nothing behind the event that its taker calls the last', async () => {
    let pieces = 0;
    async function* endless() {
      for (;;) {
        pieces++;
        yield bytes('data: a\n\ndata: b\n\ndata: c\n\n');
      }
    }
    const taken: string[] = [];
    await readSse(readerOf(endless()), ({ data }) => {
      taken.push(data);
      return taken.length === 5 ? 'enough' : 'more';
    });
    expect([taken.join(''), pieces]).toEqual(['abcab', 2]);
  });

  it('does not count comments, however many', () => {
    const reader = createSseReader(100);
    for (let i = 0; i < 100; i++) reader.push(bytes(': still here\n'));
    expect(reader.push(bytes('data: a\n\n'))).toEqual([{ data: 'a' }]);
  });

  it('reads a line of 7 MB that comes in small packets', async () => {
    async function* packets() {
      yield bytes('data: ');
      for (let i = 0; i < 7_000; i++) yield bytes('x'.repeat(1_000));
      yield bytes('\n\n');
    }
    const lengths: number[] = [];
    await readSse(readerOf(packets()), ({ data }) => {
      lengths.push(data.length);
      return 'more';
    });
    expect(lengths).toEqual([7_000_000]);
  });
});
