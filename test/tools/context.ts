/** The part of a step's context that the file tools touch, over real folders. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepContext } from '../../src/core/context.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';

export interface Place {
  readonly context: StepContext;
  readonly base: string;
  readonly work: string;
  readonly run: string;
  readonly skill: string;
  readonly project: string;
  call(tool: Tool, args: JsonObject): Promise<string>;
}

/** `call` gives the result's text, after `error: ` if it is one. */
export function place(grants: { read?: string[]; write?: string[]; readable?: string[] } = {}): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tools-')));
  const project = join(base, 'project');
  const run = join(project, 'skill_run/essay/tea');
  const folders = {
    project,
    run,
    step: join(run, '.steps/a'),
    work: join(run, '.steps/a/work'),
    skill: join(project, 'skills/essay'),
  };
  for (const dir of Object.values(folders)) mkdirSync(dir, { recursive: true });
  const within = (paths: readonly string[] = []) => paths.map((path) => join(base, path));
  const permissions = { read: within(grants.read), write: within(grants.write), env: [], network: false };
  const context = {
    folders,
    permissions,
    readable: within(grants.readable),
    held: new Map(),
  } as unknown as StepContext;
  return {
    context,
    base,
    work: folders.work,
    run,
    skill: folders.skill,
    project,
    async call(tool, args) {
      const result = await tool.execute(args, context);
      if (result.type === 'resolved') return JSON.stringify(result.value);
      return result.type === 'error' ? `error: ${result.text}` : result.text;
    },
  };
}
