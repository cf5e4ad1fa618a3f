import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/context.js';
import { Fault } from '../../src/core/faults.js';
import type { Delta } from '../../src/core/model.js';
import { resolve, turn } from '../support/chat.js';
import { chunk, DONE, errorReply, type MockReply, type MockRequest } from '../support/mock-server.js';
import { messagesOf, oneAgent, serving } from './serving.js';

const titled = resolve({ title: 'T' });
const busy = (status: number, headers: Record<string, string> = {}): MockReply =>
  errorReply(status, { message: 'not now' }, headers);

describe('retry-01: Retry-After', () => {
  it.each([
    [
      'as a date, two seconds ahead',
      { date: 'Tue, 06 May 2025 10:00:00 GMT', 'retry-after': 'Tue, 06 May 2025 10:00:02 GMT' },
    ],
    ['in seconds', { 'retry-after': '2' }],
  ])('%s is waited for, with a little more, and the call made once more', async (_, headers) => {
    const { run, requests, waits } = await serving([busy(429, headers), titled]);
    expect(await run(oneAgent())).toMatchObject({ status: 'done', result: { title: 'T' } });
    expect(requests).toHaveLength(2);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(2_000);
    expect(waits[0]).toBeLessThanOrEqual(2_200);
  });

  it('of exactly a minute is waited for', async () => {
    const { run, waits } = await serving([busy(503, { 'retry-after': '60' }), titled]);
    expect(await run(oneAgent())).toMatchObject({ status: 'done' });
    expect(waits[0]).toBeGreaterThanOrEqual(60_000);
  });

  it('of more is the end for now: status limit, exit 6, and when to go on; the resume goes on', async () => {
    const { run, requests, waits } = await serving([busy(429, { 'retry-after': '7200' }), titled]);
    const it = oneAgent();
    const ran = await run(it);
    expect(ran).toMatchObject({
      status: 'limit',
      exit: 6,
      fault: { code: 'provider.exhausted', retryAfterMs: 7_200_000 },
    });
    expect(ran.message).toMatch(/come back at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
    expect(waits).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(await run(it, { resume: true })).toMatchObject({ status: 'done' });
  });

  it('that no calendar holds is no crash', async () => {
    const { run } = await serving([busy(429, { 'retry-after': '9'.repeat(30) })]);
    expect(await run(oneAgent())).toMatchObject({ status: 'limit', fault: { code: 'provider.exhausted' } });
  });
});

describe('retry-03: what is tried again, and what never', () => {
  it('503, 503, then an answer: three requests, waits that double, each an event with its reason', async () => {
    const { run, requests, waits } = await serving([busy(503), busy(503), titled]);
    const ran = await run(oneAgent(), { random: () => 0.5 });
    expect(ran).toMatchObject({ status: 'done' });
    expect(requests).toHaveLength(3);
    expect(waits).toEqual([1_000, 2_000]);
    const retries = ran.events.filter((event) => event.type === 'call_retry');
    expect(retries).toMatchObject([
      { attempt: 2, waitMs: 1_000, fault: { code: 'provider.overloaded', message: expect.stringContaining('503') } },
      { attempt: 3, waitMs: 2_000 },
    ]);
  });

  it('waits differ, so that many do not come back at once', async () => {
    const waited = async (random: () => number) => {
      const { run, waits } = await serving([busy(500), titled]);
      await run(oneAgent(), { random });
      return waits[0];
    };
    expect(await waited(() => 0)).toBeLessThan((await waited(() => 0.99)) as number);
  });

  it.each<[string, MockReply]>([
    ['408', busy(408)],
    ['409', busy(409)],
    ['429', busy(429)],
    ['500', busy(500)],
    ['529', busy(529)],
    ['a reset before the headers', { refuse: 'reset' }],
    ['a reset inside the answer', { frames: [chunk({ content: 'A' })], close: 'reset' }],
  ])('%s is tried again, four times in all', async (_, reply) => {
    const once = await serving([reply, titled]);
    expect(await once.run(oneAgent())).toMatchObject({ status: 'done' });
    expect(once.requests).toHaveLength(2);
    const ever = await serving([reply]);
    expect(await ever.run(oneAgent())).toMatchObject({ status: 'failed', exit: 3 });
    expect(ever.requests).toHaveLength(4);
  });

  it.each([400, 401, 403, 404, 413, 422])('%i never is, also with a Retry-After', async (status) => {
    const { run, requests, waits } = await serving([busy(status, { 'retry-after': '1' })]);
    expect(await run(oneAgent())).toMatchObject({ status: 'failed', exit: 3, fault: { code: 'provider.refused' } });
    expect(requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it.each([
    [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }],
    [402, { message: 'Insufficient Balance' }],
  ])('%i for want of credit stops the run, resumable, and is no failure of the step', async (status, error) => {
    const { run, requests } = await serving([errorReply(status, error), titled]);
    const it = oneAgent();
    const ran = await run(it);
    expect(ran).toMatchObject({
      status: 'limit',
      exit: 6,
      fault: { code: 'provider.exhausted' },
      census: { failed: 0 },
    });
    expect(requests).toHaveLength(1);
    expect(await run(it, { resume: true })).toMatchObject({ status: 'done' });
  });

  it('no attempt begins later than ten minutes after the first', async () => {
    let now = Date.now();
    const clock: Clock = {
      now: () => now,
      async sleep(ms, signal) {
        if (ms > 10 * 60_000)
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        now += ms;
      },
    };
    const { run, requests } = await serving(() => {
      now += 6 * 60_000;
      return busy(503);
    });
    expect(await run(oneAgent('', '    timeout: 2h\n'), { clock })).toMatchObject({ status: 'failed', exit: 3 });
    expect(requests).toHaveLength(2);
  });
});

it('another way of asking, after a refusal that names what is odd, is no retry: it costs no attempt, and is said', async () => {
  const isForced = ({ body }: MockRequest) => body.includes('"tool_choice":"required"');
  const { run, requests, waits } = await serving((request) => {
    if (isForced(request)) return errorReply(400, { message: 'tool_choice must be auto while thinking' });
    return messagesOf(request).length < 4 ? turn({ text: 'T' }) : titled;
  });
  const ran = await run(oneAgent());
  expect(ran).toMatchObject({ status: 'done', usage: { calls: 2 } });
  expect(requests.map(isForced)).toEqual([true, false, false]);
  expect(waits).toEqual([]);
  expect(ran.paths('call_retry')).toEqual([]);
  expect(ran.events.filter((event) => event.type === 'step_notice')).toMatchObject([
    { path: 'a', text: expect.stringContaining('no longer made to call a tool') },
  ]);
});

it('retry-04: an attempt that broke after text and half a call is dropped whole; the next one counts once', async () => {
  const broken: MockReply = {
    frames: [
      chunk({ content: 'Hello wor' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'resolve', arguments: '{"tit' } }] }),
    ],
    close: 'reset',
  };
  const full: MockReply = {
    frames: [
      chunk({ content: 'Hello world' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'resolve', arguments: '{"title":"T"}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
  };
  const { run, requests } = await serving([broken, full]);
  const deltas: Delta[] = [];
  const ran = await run(oneAgent(), { onDelta: (_, delta) => void deltas.push(delta) });
  expect(ran).toMatchObject({ status: 'done', result: { title: 'T' }, usage: { calls: 1 } });
  expect(messagesOf(requests[1])).toEqual(messagesOf(requests[0]));
  const lines = ran.file('.steps/a/transcript.ndjson').split('\n');
  const transcript = lines.filter((line) => line.includes('"type":"message"')).join('\n');
  expect(transcript.match(/Hello wor/g)).toHaveLength(1);
  expect(transcript.match(/"name":"resolve","arguments"/g)).toHaveLength(1);
  expect(ran.events.filter((event) => event.type === 'tool')).toHaveLength(1);
  // Shown as it came; the retry says that what was shown is void.
  expect(deltas.map(({ text }) => text)).toEqual(['Hello wor', 'Hello world']);
  expect(ran.events.filter((event) => event.type === 'call_retry')).toMatchObject([
    { attempt: 2, fault: { code: 'provider.unreachable' } },
  ]);
});

describe('retry-06: Ctrl-C', () => {
  const cancelled = new Fault('run.cancelled', 'Interrupted.');

  it('during a wait of a minute ends the run at once, with 130, and no further request', async () => {
    const stop = new AbortController();
    const { run, requests } = await serving([busy(429, { 'retry-after': '60' }), titled]);
    const clock: Clock = {
      now: () => Date.now(),
      sleep: (ms, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          if (ms >= 60_000 && ms < 70_000) stop.abort(cancelled);
        }),
    };
    const ran = await run(oneAgent(), { clock, signal: stop.signal });
    expect(ran).toMatchObject({ status: 'cancelled', exit: 130, fault: { code: 'run.cancelled' } });
    expect(requests).toHaveLength(1);
  });

  it('while the server has not yet answered closes the connection and asks no more', async () => {
    const stop = new AbortController();
    const { run, requests, connections } = await serving(() => {
      stop.abort(cancelled);
      return { refuse: 'hang' };
    });
    expect(await run(oneAgent(), { signal: stop.signal })).toMatchObject({ status: 'cancelled', exit: 130 });
    expect(requests).toHaveLength(1);
    await expect.poll(() => connections().open).toBe(0);
  });
});
