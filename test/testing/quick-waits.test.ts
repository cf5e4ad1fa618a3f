import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/core/events.js';
import { quickWaits } from '../../src/testing/quick-waits.js';

const HOUR_MS = 3_600_000;
const fault = { code: 'shell.exit', message: 'it failed' } as const;

function waits() {
  const { clock, sink } = quickWaits();
  let seq = 0;
  return {
    tell: (event: RunEvent) => sink.write({ seq: ++seq, at: '', ...event }),
    retry: (path: string, waitMs = HOUR_MS): RunEvent => ({ type: 'step_retry', path, attempt: 2, waitMs, fault }),
    /** Whether so long a sleep takes its time. */
    async isReal(ms = HOUR_MS): Promise<boolean> {
      const cut = new AbortController();
      const sleep = clock.sleep(ms, cut.signal);
      cut.abort(new Error('cut'));
      return sleep.then(
        () => false,
        () => true,
      );
    },
  };
}

it('a wait that was announced is over at once, once for each announcement; others take their time', async () => {
  const { tell, retry, isReal } = waits();
  tell(retry('a'));
  tell(retry('b'));
  expect([await isReal(1_000), await isReal(), await isReal(), await isReal()]).toEqual([true, false, false, true]);
});

it.each<[string, RunEvent]>([
  ['the step has settled', { type: 'step_stopped', path: 'a', fault }],
  ['the step goes on without it', { type: 'step_failed', path: 'a', fault, ms: 1 }],
  [
    'the run has ended',
    { type: 'run_ended', status: 'failed', exit: 1 } as unknown as Extract<RunEvent, { type: 'run_ended' }>,
  ],
])('a wait that was announced and never begun shortens no other one when %s', async (_, event) => {
  const { tell, retry, isReal } = waits();
  tell(retry('a'));
  tell(event);
  expect(await isReal()).toBe(true);
});

it('what happens to one step leaves the wait of another as it is', async () => {
  const { tell, retry, isReal } = waits();
  tell(retry('a'));
  tell({ type: 'step_stopped', path: 'b', fault });
  expect(await isReal()).toBe(false);
});
