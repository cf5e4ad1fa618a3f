import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { logSink } from '../../src/sinks/log.js';

it('writes a line for a model that took over and for a call that was lost', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'pipeline.log');
  const sink = logSink(file, 'q', () => undefined);
  const at = '2030-01-02T03:04:05.678Z';
  const fault = { code: 'provider.overloaded', message: 'busy' } as const;
  sink.write({ type: 'fallback', path: 'a', from: 'one/m', to: 'two/n', fault, seq: 1, at });
  sink.write({ type: 'call_lost', path: 'a', estimatedTokens: 9, seq: 2, at });
  await sink.close?.();
  expect(readFileSync(file, 'utf8')).toBe(
    [
      `${at} q fallback {"path":"a","from":"one/m","to":"two/n","fault":{"code":"provider.overloaded","message":"busy"}}\n`,
      `${at} q call_lost {"path":"a","estimatedTokens":9}\n`,
    ].join(''),
  );
});
