/** A sub-agent: instructions, a prompt, what it may use; its answer is held against the step's `output`. */
import type { KindResult, StepKind } from '../core/kind.js';
import { runCommand } from './agent-command.js';
import { AGENT_SCHEMA, type AgentConfig, type CommandConfig } from './agent-config.js';
import { inspectAgent } from './agent-inspect.js';
import { runLlm } from './agent-llm.js';
import { runReact } from './agent-react.js';

type RunConfig = CommandConfig | (AgentConfig & { readonly adapter?: 'react' | 'llm' });

export const agent: StepKind = {
  name: 'agent',
  schema: AGENT_SCHEMA,
  verbatim: ['instructions', 'skill', 'tools', 'adapter', 'fallback', 'prompt_as'],
  textFiles: ['instructions', 'prompt'],
  unkeyed: ['max_rounds', 'fallback'],
  timeoutMs: 10 * 60_000,
  output: 'required',
  fence: false,
  inspect: (config, look) => inspectAgent(config as AgentConfig, look),
  async run(config, context): Promise<KindResult> {
    const given = config as RunConfig;
    switch (given.adapter) {
      case 'command':
        return runCommand(given, context);
      case 'llm':
        return runLlm(given, context);
      default:
        return runReact(given, context);
    }
  },
};
