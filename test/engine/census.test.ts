import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Recorded } from '../../src/core/events.js';
import { createCounts } from '../../src/engine/census.js';
import { began, done, failed, fault, recorded, resumed, reused, round } from '../support/facts.js';

function countsOf(...events: readonly Recorded[]) {
  const counts = createCounts();
  for (const event of events) counts.add(event);
  return counts;
}

const skipped = (path: string) => recorded({ type: 'step_skipped', path, reason: 'x' });
const stopped = (path: string) => recorded({ type: 'step_stopped', path, fault: fault('run.cancelled') });
const items = (path: string, count: number) => recorded({ type: 'loop', path, of: 'items', count });
const group = (path: string) => began(path, { key: '' });

const PATHS = ['a', 'g', 'g/a', 'g/b', 'f', 'f/0', 'f/1', 'f/1/a'];
const anyEvent = fc
  .tuple(fc.constantFrom(...PATHS), fc.nat(8))
  .map(([path, which]) =>
    [
      began(path),
      group(path),
      done(path),
      reused(path),
      failed(path, 'shell.exit'),
      skipped(path),
      stopped(path),
      items(path, 3),
      resumed(),
    ].at(which),
  )
  .filter((event) => event !== undefined);

it('asks for as many as it has an answer for, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.constantFrom(undefined, ...PATHS), (events, path) => {
      const {
        asked,
        done: finished,
        failed: wrong,
        skipped: left,
        open,
        reused: known,
      } = countsOf(...events).census(path);
      expect(finished + wrong + left + open).toBe(asked);
      expect(known).toBeLessThanOrEqual(finished);
    }),
  );
});

it('counts leaves, not what holds them', () => {
  const counts = countsOf(
    group('g'),
    began('g/a'),
    done('g/a'),
    began('g/b'),
    failed('g/b', 'shell.exit'),
    failed('g', 'shell.exit'),
  );
  expect(counts.census()).toMatchObject({ asked: 2, done: 1, failed: 1 });
  expect(counts.census('g')).toEqual(counts.census());
});

it('counts a child pipeline that ended as refused as the failed step that it is', () => {
  expect(countsOf(group('c'), failed('c', 'step.ended')).census()).toMatchObject({ asked: 1, failed: 1 });
});

it('leaves out what only an earlier attempt of a group came to, until it is seen again', () => {
  const events = [group('g'), began('g/a'), done('g/a'), began('g/b'), failed('g/b', 'shell.exit'), group('g')];
  expect(countsOf(...events).census()).toMatchObject({ asked: 0 });
  expect(countsOf(...events, reused('g/a')).census()).toMatchObject({ asked: 1, done: 1, reused: 0 });
});

it('counts items that an end left out as skipped, each once', () => {
  const events = [items('f', 4), began('f/0'), done('f/0'), began('f/2'), skipped('f/2'), skipped('f')];
  expect(countsOf(...events).census()).toMatchObject({ asked: 4, done: 1, skipped: 3 });
});

it('counts what was begun and stopped as open', () => {
  expect(countsOf(began('a'), stopped('a')).census()).toMatchObject({ asked: 1, open: 1 });
});

it('begins anew with a session, but for usage and models', () => {
  const usage = { inputTokens: 2, outputTokens: 1, cachedTokens: 0 };
  const asked = (model: string) => round('a', 1, { model, usage });
  const counts = countsOf(began('a'), asked('x/b'), asked('x/a'), done('a'), resumed(), reused('a'), asked('x/b'));
  expect(counts.census()).toMatchObject({ asked: 1, done: 1, reused: 1 });
  expect(counts.usage()).toMatchObject({ calls: 3, inputTokens: 6 });
  expect(counts.models()).toEqual(['x/b', 'x/a']);
});
