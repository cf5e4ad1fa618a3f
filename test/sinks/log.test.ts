import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { logSink } from '../../src/sinks/log.js';
import { project } from '../support/project.js';

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

it('goes on below the lines of earlier runs', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'pipeline.log');
  for (const slug of ['one', 'two']) {
    const sink = logSink(file, slug, () => undefined);
    sink.write({ type: 'call_lost', path: 'a', estimatedTokens: 9, seq: 1, at: '2030-01-02T03:04:05.678Z' });
    await sink.close?.();
  }
  expect(readFileSync(file, 'utf8')).toMatch(/^\S+ one call_lost .*\n\S+ two call_lost .*\n$/);
});

it('that cannot be written is said, and stops nothing', async () => {
  const place = project({
    'pipeline.yaml': 'version: 1\nname: t\nsteps: [{ id: a, set: { x: 1 } }]\nresult: ${{ steps.a.output.x }}\n',
  });
  mkdirSync(join(place.dir, 'skill_run/t/pipeline.log'), { recursive: true });
  const ran = await place.run();
  expect(ran).toMatchObject({ status: 'done', result: 1 });
  const said = JSON.stringify([ran.events, ran]);
  expect(said).toContain('pipeline.log cannot be written: ');
});
