import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anchorOf } from '../../src/report/anchors.js';

it('gives each path an id of its own, which an address can name as it is', () => {
  expect([anchorOf('step', 'rounds/2/audit'), anchorOf('file', 'a b.md')]).toEqual([
    'step-rounds.2.audit',
    'file-a:20:b~md',
  ]);
  const path = fc.string({ unit: fc.constantFrom('a', '/', '.', '~', ':', '2', '-', ' ', '\u00e9', '<', '%') });
  fc.assert(
    fc.property(path, path, (one, other) => {
      expect(anchorOf('file', one) === anchorOf('file', other)).toBe(one === other);
      expect(anchorOf('file', one)).toMatch(/^[A-Za-z0-9_.~:-]+$/);
      expect(decodeURIComponent(anchorOf('file', one))).toBe(anchorOf('file', one));
    }),
  );
});
