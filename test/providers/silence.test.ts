import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchSilence } from '../../src/providers/silence.js';

async function* drip(count: number, everyMs: number) {
  for (let i = 0; i < count; i++) {
    await sleep(everyMs);
    yield Uint8Array.of(i);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise((done) => signal.addEventListener('abort', () => done(signal.reason)));

it('lasts as long as bytes come, however long that is', async () => {
  const watch = watchSilence(new AbortController().signal, 400, 'host');
  let bytes = 0;
  for await (const piece of drip(30, 30)) {
    watch.heard();
    bytes += piece.length;
  }
  watch.stop();
  expect(bytes).toBe(30);
  expect(watch.signal.aborted).toBe(false);
});

it('ends with a fault that names the host and the time when no byte comes', async () => {
  const watch = watchSilence(new AbortController().signal, 50, 'host');
  expect(await aborted(watch.signal)).toMatchObject({
    data: { code: 'provider.silent', message: 'No bytes from host for 0.05 s.' },
  });
});

it('ends in a hurry, whatever bytes come', async () => {
  const watch = watchSilence(new AbortController().signal, 60_000, 'host');
  const ended = aborted(watch.signal);
  watch.hurry(50);
  for await (const _ of drip(1_000, 5)) {
    if (watch.signal.aborted) break;
    watch.heard();
  }
  await ended;
  expect(watch.signal.aborted).toBe(true);
});

it('ends with the reason of the caller, also when that came first', () => {
  const stop = new AbortController();
  const before = watchSilence(stop.signal, 60_000, 'host');
  const reason = new Error('stop');
  stop.abort(reason);
  const after = watchSilence(stop.signal, 60_000, 'host');
  expect([before.signal.reason, after.signal.reason]).toEqual([reason, reason]);
  before.stop();
  after.stop();
});

it('waits where it is told a time that no timer can hold', async () => {
  const watch = watchSilence(new AbortController().signal, 1000 * 3_600_000, 'host');
  await sleep(20);
  expect(watch.signal.aborted).toBe(false);
  watch.stop();
});
