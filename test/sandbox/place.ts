/** A step with real folders, real processes, and the sandbox that this machine has. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.js';
import type { Sandbox, StepContext } from '../../src/core/context.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';
import { createProcesses } from '../../src/process/run.js';
import { detectSandbox } from '../../src/sandbox/detect.js';
import { shellTool } from '../../src/tools/shell.js';
import { type Place, place } from '../tools/context.js';

export const SANDBOX = await detectSandbox({
  platform: process.platform,
  env: process.env,
  processes: createProcesses({ marker: 'test-detect' }),
});
export const WORKS = SANDBOX.type === 'on';

export interface Step extends Place {
  readonly context: StepContext;
  /** What the tool `shell` says to a command; after `error: ` if it is an error. */
  shell(command: string, more?: JsonObject, tool?: Tool): Promise<string>;
  put(path: string, content?: string): string;
}

/** @param grants paths in `base`, as in `place` */
export function step(
  grants: {
    read?: string[];
    write?: string[];
    readable?: string[];
    network?: boolean;
    env?: string[];
    sandbox?: Sandbox;
    environment?: Readonly<Record<string, string>>;
    signal?: AbortSignal;
  } = {},
): Step {
  const here = place(grants);
  onTestFinished(() => rmSync(here.base, { recursive: true, force: true }));
  const { network = false, env = [], sandbox = SANDBOX, environment = {}, signal } = grants;
  const context = {
    ...here.context,
    path: 'a',
    query: 'a query',
    folders: {
      ...here.context.folders,
      inputs: join(here.run, '.steps/inputs.json'),
      stdout: join(here.run, '.steps/a/stdout.log'),
      stderr: join(here.run, '.steps/a/stderr.log'),
    },
    permissions: { ...here.context.permissions, network, env },
    environment: { PATH: process.env.PATH, HOME: join(here.base, 'home'), LANG: 'C.UTF-8', ...environment },
    sandbox,
    processes: createProcesses({ marker: 'test-step' }),
    clock: systemClock,
    signal: signal ?? new AbortController().signal,
  } as unknown as StepContext;
  const put = (path: string, content = '') => {
    const target = join(here.base, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    return target;
  };
  put('project/skill_run/essay/tea/.steps/inputs.json', '{"query":"a query"}');
  put('home/canary', 'canary');
  return {
    ...here,
    context,
    put,
    async shell(command, more = {}, tool = shellTool) {
      const result = await tool.execute({ command, ...more }, context);
      if (result.type === 'resolved') return 'resolved';
      return result.type === 'error' ? `error: ${result.text}` : result.text;
    },
  };
}
