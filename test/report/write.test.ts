import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { realFiles } from '../../src/files/layer.js';
import { project } from '../support/project.js';

const one = (step: string) => ({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, ${step} }\n` });
const reportIn = (dir: string) => readFileSync(join(dir, 'report.html'), 'utf8');

describe('report.html', () => {
  it.each([
    ['done', 'set: { x: 1 }'],
    ['failed', "shell: { run: 'exit 3' }"],
    ['refused', 'end: { outcome: no, status: refused, message: not today }'],
    ['waiting', 'gate: { ask: really? }'],
  ])('is there at the end of a run that is %s', async (status, step) => {
    const { dir, files, events } = await project(one(step)).run();
    expect(reportIn(dir)).toContain(`<span class="chip ${status}">${status}</span>`);
    expect(files()).toEqual([]);
    expect(events.at(-1)?.type).toBe('run_ended');
  });

  it('is there at the end of a run that was cancelled, and is written anew by the next session', async () => {
    const it = project(one("shell: { run: 'test -e go || sleep 30', cwd: '${{ project.dir }}' }"));
    const signal = new AbortController();
    const sink = {
      write: ({ type }: { type: string }) =>
        type === 'step_started' && signal.abort(new Fault('run.cancelled', 'stop')),
    };
    const { dir } = await it.run({ signal: signal.signal, sinks: [sink] });
    expect(reportIn(dir)).toContain('<span class="chip cancelled">cancelled</span>');
    expect(reportIn(dir)).toContain('The run was told to stop (exit 130); nothing had failed.');
    expect(reportIn(dir)).toMatch(/1 step cut off at work:<\/p><ul class="plain"><li><a href="#step-a">a<\/a>/);
    expect(reportIn(dir)).not.toContain('What went wrong');
    it.write('go', '');
    await it.run({ resume: true });
    expect(reportIn(dir)).toContain('<span class="chip done">done</span>');
  });

  it('that cannot be written is a notice, and the run is what it was', async () => {
    const files = {
      ...realFiles,
      rename(from: string, to: string) {
        if (to.endsWith('report.html'))
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        realFiles.rename(from, to);
      },
    };
    const { dir, status, exit, events } = await project(one('set: { x: 1 }')).run({ files });
    expect([status, exit]).toEqual(['done', 0]);
    expect(existsSync(join(dir, 'report.html'))).toBe(false);
    expect(events.slice(-2)).toMatchObject([
      { type: 'run_ended' },
      { type: 'notice', text: expect.stringContaining('report.html cannot be written: ENOSPC') },
    ]);
  });

  it('is a name that no step can publish', async () => {
    const made = await project(one("shell: { run: 'echo forged > report.html' }")).run();
    expect(made).toMatchObject({ status: 'failed', fault: { code: 'step.path' } });
    expect(reportIn(made.dir)).not.toContain('forged\n');
    const nested = await project(one("shell: { run: 'mkdir d && echo mine > d/report.html' }")).run();
    expect(nested.files()).toEqual(['d/report.html']);
  });

  it('holds no secret of the environment, wherever a step has left it', async () => {
    const it = project({
      'made.sh': 'printf "sk-%s" live-0123456789',
      ...one('shell: { run: \'echo the key: $(sh "$PIPELINE_PROJECT_DIR/made.sh") >&2; exit 1\' }'),
    });
    const env = { PATH: process.env.PATH, SOME_API_KEY: 'sk-live-0123456789' };
    const { dir } = await it.run({ env });
    expect(reportIn(dir)).toContain('redacted:SOME_API_KEY');
    expect(reportIn(dir)).not.toContain('sk-live-0123456789');
  });
});
