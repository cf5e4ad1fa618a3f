import { describe, expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { createPast, saverOf } from '../../src/engine/past.js';
import { began, done, failed, fault, recorded, resumed, retry, reused, round } from '../support/facts.js';

function pastOf(...records: readonly Recorded[]) {
  const past = createPast();
  for (const record of records) past.remember(record);
  return past;
}

const artifact = (path: string) => ({ path, sha256: 'x', bytes: 1, executable: false });
const publishing = (path: string, ...files: string[]) => done(path, { family: path, artifacts: files.map(artifact) });
const ended = (status: 'done' | 'failed') =>
  recorded({ type: 'run_ended', status } as unknown as Parameters<typeof recorded>[0]);

describe('an attempt that was begun', () => {
  it('is interrupted until something says how it ended', () => {
    expect(pastOf(began('a')).interrupted.at('a', 'k')).toBe(true);
    const ends = [done('a'), reused('a'), failed('a', 'shell.exit', { key: 'k' }), failed('a', 'shell.exit')];
    for (const end of ends) expect(pastOf(began('a'), end).interrupted.count()).toBe(0);
  });

  it('is as interrupted when the run stopped it, and when it is to be tried again', () => {
    const stopped = recorded({ type: 'step_stopped', path: 'a', fault: fault('run.cancelled') });
    expect(pastOf(began('a'), stopped).interrupted.at('a', 'k')).toBe(true);
    expect(pastOf(began('a'), retry('a', 'shell.exit')).interrupted.at('a', 'k')).toBe(true);
  });

  it('of an item is settled under its key, also where the item has moved', () => {
    const family = 'f/*';
    const past = pastOf(began('f/0', { family }), done('f/1', { family }));
    expect(past.interrupted.concerns({ path: 'f/2', family }, 'k')).toBeUndefined();
  });

  it('of a group is none', () => {
    expect(pastOf(began('g', { key: '' })).interrupted.count()).toBe(0);
  });
});

describe('what an attempt failed with', () => {
  it('is known under its key until the step begins again, for a retry too', () => {
    expect(pastOf(began('a'), failed('a', 'agent.rounds')).failedWith.get('a')).toEqual({
      key: 'k',
      fault: fault('agent.rounds'),
    });
    expect(pastOf(began('a'), retry('a', 'provider.silent')).failedWith.get('a')?.fault.code).toBe('provider.silent');
    expect(pastOf(began('a'), failed('a', 'agent.rounds'), began('a')).failedWith.size).toBe(0);
  });

  it('is nothing of a step that failed before an attempt, nor of a group', () => {
    expect(pastOf(failed('a', 'step.expression')).failedWith.size).toBe(0);
    expect(pastOf(began('g', { key: '' }), failed('g', 'step.assert')).failedWith.size).toBe(0);
  });

  it('is not taken for that of a start in an earlier session', () => {
    expect(pastOf(began('a'), resumed(), failed('a', 'step.expression')).failedWith.size).toBe(0);
  });
});

describe('a finished step', () => {
  const item = (index: number, output: number) => done(`f/${index}`, { family: 'f/*', output });

  it('is found by its key: at its own place first, then the item with the lowest number', () => {
    const past = pastOf(item(10, 10), item(9, 9), item(2, 2));
    const chosen = (path: string, fits = (_: unknown) => true) => past.choose('f/*', 'k', path, fits)?.output;
    expect(chosen('f/10')).toBe(10);
    expect(chosen('f/0')).toBe(2);
    expect(chosen('f/2', (one) => (one as { output: number }).output > 2)).toBe(9);
    expect(past.choose('f/*', 'other', 'f/2', () => true)).toBeUndefined();
  });

  it('is forgotten where a person asked for it to be done again, until it is done', () => {
    const again = began('a', { anew: true });
    expect(pastOf(done('a'), resumed({ from: 'a' }), again).choose('a', 'k', 'a', () => true)).toBeUndefined();
    const past = pastOf(done('a'), resumed({ from: 'a' }), again, done('a', { output: 2 }));
    expect(past.choose('a', 'k', 'a', () => true)?.output).toBe(2);
    expect(past.rerun?.done).toEqual(new Set(['a']));
  });

  it('owns what it published last, apart from what the group around it saved', () => {
    const group = done('r', { key: '', artifacts: [artifact('all.txt')] });
    expect([...pastOf(publishing('r/2/a', '2.txt'), group).published]).toEqual([
      ['r/a', [artifact('2.txt')]],
      [saverOf('r'), [artifact('all.txt')]],
    ]);
  });

  it('owns also what it published before, which a session may have died over, until the run has come to its end', () => {
    const twice = [publishing('r/1/a', '1.txt', 'both.txt'), publishing('r/2/a', '2.txt', 'both.txt')];
    const owned = (...records: Recorded[]) =>
      pastOf(...records)
        .published.get('r/a')
        ?.map(({ path }) => path);
    expect(owned(...twice)).toEqual(['2.txt', 'both.txt', '1.txt']);
    expect(owned(...twice, ended('failed'))).toEqual(['2.txt', 'both.txt', '1.txt']);
    expect(owned(...twice, ended('done'))).toEqual(['2.txt', 'both.txt']);
  });

  it('owns nothing any more that another one has published since', () => {
    const past = pastOf(publishing('r/1/a', '1.txt'), publishing('r/2/a', '2.txt'), publishing('b', '1.txt'));
    expect([...past.published].map(([owner, files]) => [owner, files.map(({ path }) => path)])).toEqual([
      ['r/a', ['2.txt']],
      ['b', ['1.txt']],
    ]);
  });
});

it('asks for a step to be done again until the run has come to its end', () => {
  expect(pastOf(resumed({ from: 'a' }), ended('failed')).rerun?.ids).toBe('a');
  expect(pastOf(resumed({ from: 'a' }), ended('done')).rerun).toBeUndefined();
});

it('adds up what was used, by the run and by each step around the call, what may have been charged among it', () => {
  const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };
  const past = pastOf(
    round('g/1/a', 1, { usage, usd: 0.5 }),
    round('g/2/a', 1, { estimatedTokens: 100 }),
    recorded({ type: 'call_lost', path: 'g/2/b', estimatedTokens: 1000, usd: 0.25 }),
    recorded({ type: 'call_retry', path: 'c', attempt: 2, waitMs: 1, fault: fault('provider.overloaded') }),
  );
  expect(past.used).toEqual({ tokens: 1115, usd: 0.75 });
  expect(Object.fromEntries(past.usedBy)).toEqual({
    g: { tokens: 1115, usd: 0.75 },
    'g/a': { tokens: 115, usd: 0.5 },
    'g/b': { tokens: 1000, usd: 0.25 },
    c: { tokens: 0, usd: 0 },
  });
});
