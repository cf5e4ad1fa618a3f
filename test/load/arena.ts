/** What the tests of this folder load with: the real kinds, a project of files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { StepKind } from '../../src/core/kind.js';
import type { Problem } from '../../src/core/problems.js';
import type { Tool } from '../../src/core/tool.js';
import { type LoadOptions, loadPlan } from '../../src/load/load.js';
import { end } from '../../src/steps/end.js';
import { set } from '../../src/steps/set.js';
import { shell } from '../../src/steps/shell.js';

/** An agent as this folder sees it: its keys, and a look at its tools and skill. */
const agent: StepKind = {
  name: 'agent',
  schema: {
    type: 'object',
    properties: {
      instructions: { type: 'string' },
      skill: { type: 'string' },
      prompt: { type: 'string' },
      tools: { type: 'array', items: { type: 'string' } },
      model: { type: 'string' },
      max_rounds: { type: 'integer', minimum: 1, maximum: 10_000 },
      temperature: { type: 'number', minimum: 0, maximum: 2 },
      adapter: { enum: ['react', 'llm'] },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  verbatim: ['instructions', 'skill', 'tools', 'adapter'],
  textFiles: ['instructions', 'prompt'],
  timeoutMs: 600_000,
  idleTimeoutMs: 120_000,
  output: 'required',
  fence: false,
  inspect(config, look) {
    const { tools = [], skill } = config as { tools?: readonly string[]; skill?: string };
    tools.forEach((tool, index) => {
      const name = tool.replace(/\(.*\)$/, '');
      if (!look.tools.some(({ spec }) => spec.name === name))
        look.problem(['tools', index], `There is no tool "${name}".`);
    });
    if (skill !== undefined && !look.findSkill(skill)) look.problem(['skill'], `There is no skill "${skill}".`);
    return { files: [], tools, models: ['default'], maxCalls: 40, startsProcess: false };
  },
  run: async () => ({ type: 'output', value: null }),
};

export const KINDS: readonly StepKind[] = [agent, shell, set, end];
const TOOL_NAMES = ['read_file', 'write_file', 'patch_file', 'list_files', 'search_files', 'shell'];
const TOOLS = TOOL_NAMES.map(
  (name): Tool => ({
    spec: { name, description: name, parameters: { type: 'object' } },
    effect: 'none',
    execute: async () => ({ type: 'text', text: '' }),
  }),
);

export const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');

/** A folder of files that is gone after the test. Absolute. */
export function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'load-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), content);
  }
  return dir;
}

export function load(target: string, projectDir: string, more: Partial<LoadOptions> = {}) {
  return loadPlan(target, { projectDir, kinds: KINDS, tools: TOOLS, roles: [], ...more });
}

/** A project with one pipeline, and files beside it. */
export async function loadText(
  yaml: string,
  files: Readonly<Record<string, string>> = {},
  more: Partial<LoadOptions> = {},
) {
  const beside = Object.entries(files).map(([name, content]) => [`skills/one/${name}`, content] as const);
  const dir = folder({ 'skills/one/pipeline.yaml': yaml, ...Object.fromEntries(beside) });
  return load('one', dir, more);
}

/** `rule line:column` of each. */
export function places(problems: readonly Problem[]): string[] {
  return problems.map(({ rule, at }) => `${rule} ${at.line}:${at.column}`);
}
