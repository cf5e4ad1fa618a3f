import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chatContext } from '../../src/chat/context.js';
import { shellCommandTool } from '../../src/chat/shell-command.js';
import { systemClock } from '../../src/core/clock.js';
import { createProcesses } from '../../src/process/run.js';
import { type View, viewOf } from '../../src/sandbox/view.js';

it('lets a command see the project, of the runs only its own folder, and change neither the configuration nor what was agreed to', async () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'pipeline-view-')));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const folder = join(project, 'skill_run/.chat/one');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(project, '.git'));
  for (const name of ['pipeline.config.yaml', 'skills-lock.json', '.env', 'a.txt'])
    writeFileSync(join(project, name), '');
  const views: View[] = [];
  const context = chatContext(
    {
      project,
      environment: { PATH: process.env.PATH },
      models: { pick: () => Promise.reject(new Error('no model')) },
      processes: createProcesses({ marker: 'chat-view' }),
      sandbox: {
        type: 'on',
        name: 'looking',
        async confine(argv, step) {
          views.push(await viewOf(step));
          return { argv, env: {} };
        },
      },
      clock: systemClock,
      random: Math.random,
      newId: () => '1',
      redactor: undefined,
      ask: undefined,
      findSkill: () => undefined,
    },
    folder,
    new AbortController().signal,
    { emit: () => undefined, onText: () => undefined },
  );
  await shellCommandTool.execute({ command: 'true' }, context);
  expect(views).toMatchObject([
    {
      write: [project],
      read: [],
      run: folder,
      work: folder,
      hidden: {
        files: [join(project, '.env')],
        folders: [join(project, 'skill_run')],
      },
    },
  ]);
  expect([...(views[0]?.hidden.fixed ?? [])].sort()).toEqual(
    ['.git', 'pipeline.config.yaml', 'skills-lock.json'].map((name) => join(project, name)),
  );
});
