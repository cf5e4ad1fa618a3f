import { expect, it } from 'vitest';
import type { Message } from '../../src/core/model.js';
import { idsBeside } from '../../src/providers/call-ids.js';

const said = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  text: '',
  calls: ids.map((id) => ({ id, name: 'x', arguments: '{}' })),
});
const BEFORE: readonly Message[] = [{ role: 'user', text: 'go' }, said('a', 'b'), said('b_2')];

it.each([
  { proposed: ['c'], given: ['c'] },
  { proposed: ['c', 'c', 'c'], given: ['c', 'c_2', 'c_3'] },
  { proposed: ['a'], given: ['a_2'] },
  { proposed: ['b', 'b'], given: ['b_3', 'b_4'] },
  { proposed: ['c', 'a', 'c'], given: ['c', 'a_2', 'c_2'] },
  { proposed: [undefined, 'call_4', undefined], given: ['call_4', 'call_4_2', 'call_6'] },
  { proposed: ['call_5', undefined], given: ['call_5', 'call_5_2'] },
])('gives $proposed ids that nothing before them has', ({ proposed, given }) => {
  expect(proposed.map(idsBeside(BEFORE))).toEqual(given);
});
