import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatContext } from '../../src/chat/context.js';
import { shellCommandTool } from '../../src/chat/shell-command.js';
import { systemClock } from '../../src/core/clock.js';
import type { ConfinedStep, Question, Sandbox } from '../../src/core/context.js';
import { Fault } from '../../src/core/faults.js';
import type { JsonObject } from '../../src/core/json.js';
import { createProcesses } from '../../src/process/run.js';

function shell(sandbox: Sandbox, answer?: string) {
  const project = mkdtempSync(join(tmpdir(), 'pipeline-shell-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const folder = join(project, 'skill_run/.chat/one');
  mkdirSync(folder, { recursive: true });
  const asked: Question[] = [];
  const context = chatContext(
    {
      project,
      environment: { PATH: process.env.PATH, MY_SETTING: 'x' },
      models: { pick: () => Promise.reject(new Error('no model')) },
      processes: createProcesses({ marker: 'chat-test' }),
      sandbox,
      clock: systemClock,
      random: Math.random,
      newId: () => '1',
      redactor: undefined,
      ask:
        answer === undefined
          ? undefined
          : async (question) => {
              asked.push(question);
              return { choice: answer, comment: '' };
            },
      findSkill: () => undefined,
    },
    folder,
    new AbortController().signal,
    { emit: () => undefined, onText: () => undefined },
  );
  const run = (command: string, more: JsonObject = {}) => shellCommandTool.execute({ command, ...more }, context);
  return { run, asked, project };
}

const NONE: Sandbox = { type: 'none', reason: 'bubblewrap is not installed', hint: '' };

/** A sandbox that notes what it is asked for, and confines nothing. */
function noting(steps: ConfinedStep[], refuses = false): Sandbox {
  return {
    type: 'on',
    name: 'noting',
    async confine(argv, step) {
      steps.push(step);
      if (refuses) throw new Fault('step.path', 'too many files to be looked through');
      return { argv, env: {} };
    },
  };
}

describe('run_shell_command', () => {
  it('runs with sh -c in the project, in the sandbox, which may write the project', async () => {
    const steps: ConfinedStep[] = [];
    const { run, project, asked } = shell(noting(steps), 'run it once');
    expect(await run('pwd; echo "$MY_SETTING-$((2+3))"')).toEqual({
      type: 'text',
      text: `exit code 0\nstdout:\n${project}\n-5`,
    });
    expect(steps[0]?.permissions).toMatchObject({ write: [project], network: false });
    expect(steps[0]?.folders.work).toBe(join(project, 'skill_run/.chat/one'));
    expect(asked).toEqual([]);
  });

  it('gives back what a failing command printed, so that another way can be tried', async () => {
    const { run } = shell({ type: 'off' });
    const result = await run('echo half; echo why >&2; exit 3');
    expect(result).toMatchObject({ type: 'error' });
    expect('text' in result && result.text).toBe(
      'run_shell_command: the command ended with exit code 3.\nstdout:\nhalf\nstderr:\nwhy',
    );
  });

  it('ends a command after timeout_seconds', async () => {
    const { run } = shell({ type: 'off' });
    expect(await run('sleep 60', { timeout_seconds: 1 })).toMatchObject({
      type: 'error',
      text: expect.stringContaining('ended after 1 s'),
    });
    expect(shellCommandTool.spec.parameters).toMatchObject({
      properties: { timeout_seconds: { description: expect.stringContaining('10 unless given') } },
    });
  });

  it('runs nothing where there is no sandbox and nobody to approve it', async () => {
    const { run } = shell(NONE);
    expect(await run('echo x > made')).toMatchObject({
      type: 'error',
      text: expect.stringContaining('nobody is at a terminal to approve the command. Nothing was run.'),
    });
  });

  it('asks a person for each command that the sandbox cannot take, shows the command, and obeys a no', async () => {
    const yes = shell(NONE, 'run it once');
    expect(await yes.run('echo one')).toMatchObject({ type: 'text' });
    expect(await yes.run('echo two')).toMatchObject({ type: 'text' });
    expect(yes.asked.map(({ ask }) => ask.split('\n')[0])).toEqual(['echo one', 'echo two']);
    const no = shell(NONE, 'no');
    expect(await no.run('echo one')).toMatchObject({
      type: 'error',
      text: expect.stringContaining('did not approve this command. Nothing was run.'),
    });
  });

  it('asks also when the sandbox refuses, or the model wants out of it', async () => {
    const refusing = shell(noting([], true), 'no');
    await refusing.run('true');
    expect(refusing.asked[0]?.ask).toContain('the sandbox refuses it: too many files');
    const steps: ConfinedStep[] = [];
    const wanting = shell(noting(steps), 'run it once');
    expect(await wanting.run('echo out', { outside_sandbox: true })).toMatchObject({ type: 'text' });
    expect(wanting.asked).toHaveLength(1);
    expect(steps).toEqual([]);
  });
});
