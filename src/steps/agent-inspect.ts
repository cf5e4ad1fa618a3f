/** What check, keys, dry-run and consent know of an agent before anything runs. */

import { answerForm } from '../agent/answer-form.js';
import { MAX_CALLS } from '../agent/one-call.js';
import type { Inspection, Look } from '../core/kind.js';
import { parseToolGrant } from '../tools/registry.js';
import { type Adapter, type AgentConfig, MAX_ROUNDS, PROMPT_FILE } from './agent-config.js';
import { imageNamed } from './agent-images.js';
import { checkGrants } from './agent-tools.js';

/** Keys that mean something to these adapters only. */
const ONLY: Readonly<Record<string, Adapter>> = {
  tools: 'react',
  max_rounds: 'react',
  dead_loop_window: 'react',
  command: 'command',
  prompt_as: 'command',
};

export function inspectAgent(config: AgentConfig, look: Look): Inspection {
  if (config.instructions !== undefined && config.skill !== undefined) {
    look.problem(['skill'], '`instructions` and `skill` exclude each other', 'Keep one of the two.');
  }
  const skill = config.skill === undefined ? undefined : look.findSkill(config.skill);
  if (config.skill !== undefined && !skill) look.problem(['skill'], `there is no skill "${config.skill}"`);
  const adapter = config.adapter ?? 'react';
  for (const key of ['adapter', 'prompt_as']) {
    if (typeof config[key] !== 'string' || !config[key].includes('${{')) continue;
    look.problem([key], `\`${key}\` is never templated`, 'Write one of its words.');
  }
  checkKeys(config, adapter, look);
  if (adapter === 'react') checkGrants(config.tools ?? [], skill, look);
  const asks = adapter !== 'command' || answerForm(look.output).type === 'json';
  return {
    files: [...(skill?.file ? [skill.file] : []), ...(skill?.notes ? [skill.notes.file] : [])],
    tools: adapter === 'react' ? (config.tools ?? []) : [],
    models: asks ? [config.model ?? 'default'] : [],
    ...(config.fallback && asks ? { fallback: config.fallback } : {}),
    ...(adapter !== 'command' && showsImages(config) ? { images: true } : {}),
    ...(asks ? { continues: true } : {}),
    maxCalls: adapter === 'react' ? (config.max_rounds ?? MAX_ROUNDS) : asks ? MAX_CALLS : 0,
    startsProcess: adapter === 'command' || (adapter === 'react' && callsProcesses(config.tools ?? [], look)),
  };
}

function checkKeys(config: AgentConfig, adapter: Adapter, look: Look): void {
  for (const [key, only] of Object.entries(ONLY)) {
    if (config[key] === undefined || only === adapter) continue;
    look.problem([key], `\`${key}\` means nothing with adapter: ${adapter}`, `Remove it, or write adapter: ${only}.`);
  }
  if (adapter === 'llm' && look.artifacts.length > 0) {
    const hint = 'Use adapter: react with write_file, or `save` the output.';
    const files = look.artifacts.join(', ');
    look.problem(['adapter'], `\`adapter: llm\` has no tool to write what the step must leave: ${files}`, hint);
  }
  if (adapter !== 'command') return;
  if (config.command === undefined) {
    const hint = 'Write command: with program and arguments as a list, e.g. [claude, -p].';
    look.problem(['adapter'], '`adapter: command` needs `command`', hint);
  }
  const at = Array.isArray(config.command) ? config.command.indexOf(PROMPT_FILE) : -1;
  if (at >= 0 && config.prompt_as !== 'file') {
    const hint = 'Write prompt_as: file beside it.';
    look.problem(['command', at], `${PROMPT_FILE} is replaced only with prompt_as: file`, hint);
  }
}

function callsProcesses(grants: readonly string[], { tools }: Look): boolean {
  const names = grants.map((grant) => parseToolGrant(grant)?.name);
  return tools.some(({ spec, effect }) => effect === 'process' && names.includes(spec.name));
}

/** One expression may stand for all of them, whose endings nobody knows. */
function showsImages({ files }: AgentConfig): boolean {
  return Array.isArray(files) && files.some((file) => typeof file === 'string' && imageNamed(file) !== undefined);
}
