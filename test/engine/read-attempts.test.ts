import { expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { GOES_ON, GOES_ON_AFTER } from '../../src/core/reasons.js';
import { type AttemptRecord, foldAttempt } from '../../src/engine/read-attempts.js';
import { began, done, failed, fault, recorded, retry, reused, round } from '../support/facts.js';

function fold(...events: readonly Recorded[]): AttemptRecord[] {
  const attempts: AttemptRecord[] = [];
  for (const event of events) if ('path' in event) foldAttempt(attempts, event);
  return attempts;
}

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1, cachedTokens: 0 });

it('counts each start of a leaf as an attempt, and none of a group', () => {
  const attempts = fold(began('a', { key: '' }), began('a'), retry('a', 'step.assert'), began('a'), done('a'));
  expect(attempts).toMatchObject([
    { number: 1, status: 'failed', fault: fault('step.assert') },
    { number: 2, status: 'done' },
  ]);
});

it('takes an attempt that goes on after an interruption for the same one, its usage together', () => {
  const attempts = fold(
    began('a'),
    round('a', 1, { usage: usage(10) }),
    recorded({ type: 'step_stopped', path: 'a', fault: fault('run.cancelled') }),
    began('a', { because: GOES_ON }),
    round('a', 2, { usage: usage(20) }),
  );
  expect(attempts).toMatchObject([{ number: 1, status: 'running', rounds: 2, usage: { calls: 2, inputTokens: 30 } }]);
  expect(attempts[0]?.fault).toBeUndefined();
});

it('takes one that goes on where it failed for another, its rounds numbered on and its usage its own', () => {
  const attempts = fold(
    began('a'),
    round('a', 1, { usage: usage(10) }),
    failed('a', 'agent.rounds'),
    began('a', { because: GOES_ON_AFTER }),
    round('a', 2, { usage: usage(20), model: 'openai/n' }),
  );
  expect(attempts).toMatchObject([
    { status: 'failed', rounds: 1, usage: { inputTokens: 10 } },
    { status: 'running', goesOn: true, rounds: 2, usage: { inputTokens: 20 }, models: ['openai/m', 'openai/n'] },
  ]);
});

it('says of an attempt that began and never ended that it was interrupted, once the next begins', () => {
  expect(fold(began('a'), began('a')).map(({ status }) => status)).toEqual(['interrupted', 'running']);
});

it('lets nothing that is said after the end of an attempt change how it ended', () => {
  const skipped = recorded({ type: 'step_skipped', path: 'a', reason: 'x' });
  expect(fold(began('a'), done('a'), failed('a', 'step.conflict'), skipped, reused('a'))).toMatchObject([
    { status: 'done' },
  ]);
});

it('counts calls that were lost, and tools that were refused', () => {
  const tool = { path: 'a', round: 1, name: 'read_file' } as const;
  const attempts = fold(
    began('a'),
    recorded({ type: 'call_lost', path: 'a', estimatedTokens: 9 }),
    recorded({ type: 'tool', ...tool, ok: true, ms: 1 }),
    recorded({ type: 'tool_refused', ...tool, reason: 'no' }),
  );
  expect(attempts).toMatchObject([{ toolCalls: 2, usage: { calls: 0, unknownCalls: 1 } }]);
});
