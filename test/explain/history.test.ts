import { expect, it } from 'vitest';
import type { Recorded, RunEvent } from '../../src/core/events.js';
import { explained } from '../../src/explain/explain.js';
import { explanationText } from '../../src/explain/explain-text.js';
import { historyOf } from '../../src/explain/history.js';

const at = '2030-01-02T03:04:05.678Z';

function told(events: readonly RunEvent[], path: string): string {
  const records = events.map((event, index): Recorded => ({ seq: index + 1, at, ...event }));
  const one = explained(historyOf({ origin: [], records, sideFile: () => undefined }), path);
  return one ? explanationText(one) : '';
}

const opened: RunEvent = {
  type: 'run_started',
  format: 1,
  run: 'r',
  skill: 's',
  slug: 'q',
  query: 'q',
  inputs: {},
  file: 'pipeline.yaml',
  version: '1',
  steps: [],
};
const resumed: RunEvent = { type: 'run_resumed', pid: 1, version: '1' };
const began = (because = '', attempt = 1): RunEvent => {
  return { type: 'step_started', path: 'a', title: 'A', key: 'k', parts: { kind: 'x' }, attempt, because };
};
const round = (number: number): RunEvent => {
  return {
    type: 'round',
    path: 'a',
    round: number,
    calls: [],
    model: 'm',
    ms: 1,
    usage: { inputTokens: 5, outputTokens: 5, cachedTokens: 0 },
  };
};
const done: RunEvent = { type: 'step_done', path: 'a', key: 'k', output: 1, artifacts: [], ms: 5 };

it('says from which round an interrupted agent goes on', () => {
  const events = [opened, began(), round(6), round(7), resumed, began('goes on after an interruption'), round(8), done];
  expect(told(events, 'a')).toBe('a  ran again, done in 5 ms\n  goes on from round 7 after an interruption');
});

it('says that an attempt was interrupted that had no round', () => {
  expect(told([opened, began(), resumed, began('the last attempt was interrupted'), done], 'a')).toBe(
    'a  ran again, done in 5 ms\n  the last attempt was interrupted',
  );
});

it('says what a step waits for, and that the next attempt had waited', () => {
  const waits: RunEvent = { type: 'step_waiting', path: 'a', ask: { question: 'Send\u001b[2J it?' } };
  expect(told([opened, began(), waits], 'a')).toBe('a  ran for the first time, waiting\n  Send it?');
  expect(told([opened, began(), waits, resumed, began(), done], 'a')).toBe(
    'a  ran again, done in 5 ms\n  it had been waiting for an answer',
  );
});

it('says why it stopped, and what the attempts before the last failed with', () => {
  const limit = { code: 'run.limit', message: 'the token limit is reached' } as const;
  const late = { code: 'step.timeout', message: 'too late' } as const;
  const retry: RunEvent = { type: 'step_retry', path: 'a', attempt: 2, waitMs: 1, fault: late };
  expect(
    told([opened, began(), retry, began('attempt 2', 2), { type: 'step_stopped', path: 'a', fault: limit }], 'a'),
  ).toBe(
    'a  ran for the first time, stopped, 2 attempts\n  an attempt failed (step.timeout): too late\n  the token limit is reached',
  );
});

it('says that a step was not finished, or that the last session did not come to it', () => {
  expect(told([opened, began()], 'a')).toBe('a  ran for the first time, not finished');
  expect(told([opened, began(), done, resumed], 'a')).toBe(
    'a  ran for the first time, done in 5 ms\n  the last session of the run did not come to it',
  );
});

it('follows a result that was reused again and again to the attempt that made it', () => {
  const reused: RunEvent = { type: 'step_reused', path: 'a', from: 'a', key: 'k', output: 1, artifacts: [] };
  const records = [opened, began(), done, resumed, reused, resumed, reused].map((event, index): Recorded => {
    return { seq: index + 1, at: `2030-01-0${index + 1}T00:00:00.000Z`, ...event };
  });
  const history = historyOf({ origin: [], records, sideFile: () => undefined });
  expect(explained(history, 'a')).toMatchObject({
    type: 'reused',
    from: { path: 'a', at: '2030-01-02T00:00:00.000Z' },
  });
});

it('says that a failed agent goes on, from which round and after which fault, also where it then had no round', () => {
  const fault = { code: 'agent.rounds', message: 'no rounds left' } as const;
  const failed: RunEvent = { type: 'step_failed', path: 'a', key: 'k', fault, ms: 1 };
  const goesOn = began('goes on where it failed');
  const events = [
    opened,
    began(),
    round(1),
    round(2),
    failed,
    resumed,
    goesOn,
    failed,
    resumed,
    goesOn,
    round(3),
    done,
  ];
  expect(told(events, 'a')).toBe('a  ran again, done in 5 ms\n  goes on from round 2 where it failed (agent.rounds)');
});

it('says which model took the place of which, and why', () => {
  const fault = { code: 'provider.overloaded', message: 'busy' } as const;
  const fallback: RunEvent = { type: 'fallback', path: 'a', from: 'one/m', to: 'two/n', fault };
  expect(told([opened, began(), fallback, round(1), done], 'a')).toBe(
    'a  ran for the first time, done in 5 ms\n  one/m → two/n: busy',
  );
});
