import { expect, it } from 'vitest';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { timelineOf } from '../../src/report/timeline.js';

/** One a second. */
function told(...events: readonly object[]): Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: new Date(at * 1_000).toISOString(), ...(event as RunEvent) }));
}
const began = (path: string, attempt = 1) => ({ type: 'step_started', path, key: 'k', attempt });
const fault = { code: 'shell.exit', message: 'no' };

it('tells attempts, the waits between them, and what was reused, over all sessions', () => {
  const records = told(
    { type: 'run_started' },
    began('a'),
    { type: 'step_retry', path: 'a', fault },
    began('a', 2),
    { type: 'step_done', path: 'a' },
    { type: 'run_ended' },
    { type: 'run_resumed' },
    { type: 'step_reused', path: 'a' },
    { type: 'run_ended' },
  );
  const { sessions, spans } = timelineOf(records, () => false, undefined);
  expect(sessions).toEqual([
    { from: 0, to: 5_000 },
    { from: 6_000, to: 8_000 },
  ]);
  expect(spans.a).toEqual([
    { from: 1_000, to: 2_000, type: 'failed' },
    { from: 2_000, to: 3_000, type: 'backoff' },
    { from: 3_000, to: 4_000, type: 'done' },
    { from: 7_000, to: 7_000, type: 'reused' },
  ]);
});

it('gives the time of a gate to the person who is asked, whether the run waits meanwhile or ends', () => {
  const isGate = (path: string) => path === 'ok';
  const ended = timelineOf(
    told({ type: 'run_started' }, began('ok'), { type: 'step_waiting', path: 'ok' }),
    isGate,
    undefined,
  );
  const answered = timelineOf(
    told({ type: 'run_started' }, began('ok'), { type: 'step_done', path: 'ok' }),
    isGate,
    undefined,
  );
  for (const { spans } of [ended, answered]) expect(spans.ok).toEqual([{ from: 1_000, to: 2_000, type: 'asked' }]);
});

it('cuts what is open at the end of its session, or has it go on until now', () => {
  const records = told({ type: 'run_started' }, began('a'), { type: 'notice', text: 'x' });
  expect(timelineOf(records, () => false, undefined).spans.a).toEqual([
    { from: 1_000, to: 2_000, type: 'interrupted' },
  ]);
  expect(timelineOf(records, () => false, 9_000)).toMatchObject({
    sessions: [{ from: 0, to: 9_000 }],
    spans: { a: [{ from: 1_000, to: 9_000, type: 'running' }] },
  });
  const again = told({ type: 'run_started' }, began('a'), { type: 'run_resumed' }, began('a'), {
    type: 'step_done',
    path: 'a',
  });
  expect(timelineOf(again, () => false, undefined).spans.a).toEqual([
    { from: 1_000, to: 1_000, type: 'interrupted' },
    { from: 3_000, to: 4_000, type: 'done' },
  ]);
});
