import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstBytes, lastBytes, openLog, plain } from '../../src/process/capture.js';

const fragments = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });

it('keeps the first and the last bytes of a stream, however it is cut', () => {
  fc.assert(
    fc.property(fragments, fc.integer({ min: 1, max: 100 }), (parts, bound) => {
      const first = firstBytes(bound);
      const last = lastBytes(bound);
      for (const part of parts) {
        first.push(part);
        last.push(part);
      }
      const whole = Buffer.concat(parts);
      expect(Buffer.compare(first.bytes(), whole.subarray(0, bound))).toBe(0);
      expect(Buffer.compare(last.bytes(), whole.subarray(Math.max(0, whole.length - bound)))).toBe(0);
      expect(first.truncated()).toBe(whole.length > bound);
    }),
  );
});

it('shows no half character at the start of the tail', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'capture-')), 'new', 'stderr.log');
  const log = openLog(path, plain());
  log.push(Buffer.from(`量${'x'.repeat(4_095)}`));
  log.close();
  log.close();
  expect(log.tail()).toBe('x'.repeat(4_095));
  expect(readFileSync(path, 'utf8')).toHaveLength(4_096);
});
