import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallJoiner } from '../../src/providers/calls.js';

function join(fragments: readonly unknown[]) {
  const joiner = createCallJoiner();
  for (const fragment of fragments) joiner.push(fragment);
  let count = 0;
  return joiner.finish((proposed) => proposed ?? `new_${++count}`);
}

describe('joining calls', () => {
  it('goes by index when calls are interleaved', () => {
    const calls = join([
      { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
      { index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, function: { arguments: ':2}' } },
    ]);
    expect(calls.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['a', '{"x":1}'],
      ['b', '{"y":2}'],
    ]);
  });

  it('takes an id that comes late as the id of the call that has none', () => {
    const calls = join([
      { index: 0, function: { name: 'f' } },
      { index: 0, id: 'a', function: { arguments: '{}' } },
    ]);
    expect(calls).toEqual([{ id: 'a', name: 'f', arguments: '{}' }]);
  });

  it('takes a name that is repeated in every fragment once', () => {
    const calls = join(
      ['{"n"', ':', '1}'].map((text) => ({ index: 0, id: 'a', function: { name: 'f', arguments: text } })),
    );
    expect(calls).toEqual([{ id: 'a', name: 'f', arguments: '{"n":1}' }]);
  });

  it('joins a name that comes in pieces', () => {
    const calls = join([
      { index: 0, id: 'a', function: { name: 'read_' } },
      { index: 0, function: { name: 'file', arguments: '{}' } },
    ]);
    expect(calls[0]?.name).toBe('read_file');
  });

  it('leaves out a call of nothing', () => {
    expect(join([{ index: 0, id: '', function: { name: '', arguments: '' } }])).toEqual([]);
  });

  it('never repairs arguments', () => {
    expect(join([{ index: 0, id: 'a', function: { name: 'f', arguments: '{"n":1,}' } }])[0]?.arguments).toBe(
      '{"n":1,}',
    );
  });

  it('takes numbers for ids, and text for an index', () => {
    const calls = join([
      { index: '0', id: 7, function: { name: 'f', arguments: '{"x"' } },
      { index: '1', id: 8, function: { name: 'g', arguments: '{"y"' } },
      { index: '0', function: { arguments: ':1}' } },
      { index: '1', function: { arguments: ':2}' } },
    ]);
    expect(calls).toEqual([
      { id: '7', name: 'f', arguments: '{"x":1}' },
      { id: '8', name: 'g', arguments: '{"y":2}' },
    ]);
  });

  it('gets the same arguments back from any cut of them', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.nat(500), { maxLength: 40 }), fc.boolean(), (json, cuts, indexed) => {
        const places = [0, ...cuts.map((cut) => cut % (json.length + 1)).sort((a, b) => a - b), json.length];
        const pieces = places.slice(1).map((end, i) => json.slice(places[i], end));
        const more = indexed ? { index: 3 } : {};
        const [call] = join([
          { ...more, id: 'a', function: { name: 'f' } },
          ...pieces.map((text) => ({ ...more, function: { arguments: text } })),
        ]);
        expect(call?.arguments).toBe(json);
      }),
    );
  });

  it('joins 20 000 fragments that all repeat name and id, with and without an index', () => {
    for (const more of [{ index: 0 }, {}]) {
      const fragments = Array.from({ length: 20_000 }, (_, i) => ({
        ...more,
        id: 'a',
        function: { name: 'f', arguments: i === 0 ? '{"t":"' : i === 19_999 ? '"}' : '}' },
      }));
      expect(join(fragments).map((call) => call.arguments.length)).toEqual([20_006]);
    }
  });
});
