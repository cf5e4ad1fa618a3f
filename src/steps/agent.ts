/** A sub-agent: instructions, a prompt, what it may use; its answer is held against the step's `output`. */
import type { KindResult, StepKind } from '../core/kind.js';
import { runCommand } from './agent-command.js';
import { AGENT_SCHEMA, type AgentConfig } from './agent-config.js';
import { inspectAgent } from './agent-inspect.js';
import { runLlm } from './agent-llm.js';
import { runReact } from './agent-react.js';

const ADAPTERS = { react: runReact, llm: runLlm, command: runCommand };

export const agent: StepKind = {
  name: 'agent',
  schema: AGENT_SCHEMA,
  verbatim: ['instructions', 'skill', 'tools', 'adapter', 'fallback', 'prompt_as'],
  textFiles: ['instructions', 'prompt'],
  unkeyed: ['max_rounds', 'fallback'],
  timeoutMs: 10 * 60_000,
  output: 'required',
  fence: false,
  continues: true,
  inspect: (config, look) => inspectAgent(config as AgentConfig, look),
  async run(config, context): Promise<KindResult> {
    const given = config as AgentConfig;
    return ADAPTERS[given.adapter ?? 'react'](given, context);
  },
};
