/** What the scripts of now and system-health print. */
import { describe, expect, it } from 'vitest';
import { runScript } from './script.js';

const now = (question: string, env: Record<string, string> = { TZ: 'UTC' }) =>
  JSON.parse(
    runScript('now/scripts/now.mjs', question === '' ? [] : [question], { env: { ...env, PIPELINE_OUTPUT: 'x' } })
      .stdout,
  );

describe('now.mjs', () => {
  it.each([
    ['what time is it in Tokyo', 'Asia/Tokyo', '+09:00'],
    ['time in new york?', 'America/New_York', undefined],
    ['Asia/Kolkata', undefined, '+05:30'],
    ['现在北京几点', 'Asia/Shanghai', '+08:00'],
    ['now in UTC', 'UTC', '+00:00'],
  ])('understands the place in "%s"', (question, zone, offset) => {
    const told = now(question);
    if (zone !== undefined) expect(told.zone).toBe(zone);
    if (offset !== undefined) expect(told.offset).toBe(offset);
  });

  it("takes the machine's own zone when no place is named, in any language", () => {
    for (const question of ['', '现在几点', 'what time is it'])
      expect(now(question, { TZ: 'Asia/Tokyo' }).zone).toBe('Asia/Tokyo');
  });

  it('tells one moment in all its fields', () => {
    const told = now('Tokyo');
    expect(Math.floor(Date.parse(told.iso) / 1000)).toBe(told.unix_seconds);
    expect(Math.floor(Date.parse(told.utc) / 1000)).toBe(told.unix_seconds);
    expect(told.text).toContain(told.iso.slice(0, 10));
  });

  it('takes the question from the environment of a pipeline', () => {
    const ran = runScript('now/scripts/now.mjs', [], { env: { PIPELINE_QUERY: 'time in Tokyo', TZ: 'UTC' } });
    expect(ran.stdout).toContain('Asia/Tokyo');
  });
});

describe('health.mjs', () => {
  it('measures load, memory, disk and uptime', () => {
    const { stdout, code } = runScript('system-health/scripts/health.mjs', [], { env: { PIPELINE_OUTPUT: 'x' } });
    const health = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(health.memory.available_bytes).toBeLessThanOrEqual(health.memory.total_bytes);
    expect(health.disk.total_bytes).toBeGreaterThan(0);
    expect(health.load.cores).toBeGreaterThan(0);
    for (const word of ['load', 'memory', 'disk', 'uptime']) expect(health.report).toContain(`| ${word}`);
  });

  it('names what is out of bounds', () => {
    const { stdout } = runScript('system-health/scripts/health.mjs', ['--memory=0.001', '--load=1000', '--disk=100']);
    expect(stdout).toMatch(/^System health: attention: .*memory/);
    expect(stdout).not.toMatch(/attention:.*(load|disk)/);
  });

  it.each(['--memory', '--memory=-1', '--disk=much', '--wat=1'])('refuses %s with exit code 2', (word) => {
    expect(runScript('system-health/scripts/health.mjs', [word]).code).toBe(2);
  });
});
