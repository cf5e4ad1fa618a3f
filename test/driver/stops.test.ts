import { describe, expect, it } from 'vitest';
import { NO_SIGNALS } from '../../src/core/terminal-signals.js';
import type { Block } from '../../src/driver/block.js';
import { outOfDistribution } from '../../src/driver/ood.js';
import { stopOf } from '../../src/driver/stops.js';

const EMPTY: Block = {
  state: '',
  step: '',
  type: 'bash',
  do: '',
  prompt: '',
  input: [],
  output: '',
  run: '',
  notes: '',
  after: '',
  bare: [],
};
const block = (own: object): Block => ({ ...EMPTY, ...own });

describe('an end', () => {
  it.each([
    [{ state: 'DONE' }, 'done', 'DONE'],
    [{ state: 'do_not_generate (too few papers)' }, 'refused', 'do_not_generate'],
    [{ state: 'P0', step: 'DO_NOT_GENERATE' }, 'refused', 'P0'],
    [{ state: 'PHASE_3_FAILED' }, 'failed', 'PHASE_3_FAILED'],
    [{ step: 'an error' }, 'failed', 'an'],
    [{}, 'done', 'terminal'],
  ])('TYPE terminal with %o is %s', (own, status, outcome) => {
    expect(stopOf(block({ type: 'terminal', ...own }), NO_SIGNALS)).toMatchObject({ status, outcome });
  });

  it('comes by a signal in STATE, in STEP or on a line without a key, whatever the TYPE', () => {
    const signals = { ...NO_SIGNALS, any: ['^finished$', 'do_not_'] };
    expect(stopOf(block({ state: 'finished' }), signals)).toMatchObject({ status: 'done' });
    expect(stopOf(block({ step: 'do_not_generate' }), signals)).toMatchObject({ status: 'refused' });
    expect(stopOf(block({ bare: ['finished'] }), signals)).toMatchObject({ status: 'done', message: 'finished' });
    expect(stopOf(block({ state: 'not finished' }), signals)).toBeUndefined();
  });

  it('means what the signals say it means, before what its words say', () => {
    const signals = { ...NO_SIGNALS, done: ['no_error'], refused: ['^STOP'] };
    expect(stopOf(block({ state: 'no_error' }), signals)).toMatchObject({ status: 'done' });
    expect(stopOf(block({ type: 'terminal', state: 'STOP_failed' }), signals)).toMatchObject({ status: 'refused' });
  });

  it('says the first of what the block says', () => {
    expect(stopOf(block({ type: 'terminal', notes: 'why', after: 'what next' }), NO_SIGNALS)).toMatchObject({
      message: 'why',
    });
  });
});

it('takes only a plain word for a query that is none for the skill', () => {
  expect(outOfDistribution('{"ood": true, "reason": "too broad", "x": 1}')).toMatchObject({
    status: 'refused',
    outcome: 'out_of_distribution',
    message: 'too broad',
  });
  for (const other of ['', 'ood', '{"ood": false}', '{"ood": "true"}', 'null', '[]']) {
    expect(outOfDistribution(other)).toBeUndefined();
  }
});
