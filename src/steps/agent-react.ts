/** `adapter: react`: a loop with tools, until `resolve` is accepted. */
import { runAgent } from '../agent/loop.js';
import { systemText } from '../agent/prompt.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { JsonObject } from '../core/json.js';
import type { KindResult } from '../core/kind.js';
import type { ChosenModel } from '../core/model.js';
import { wrapForTool } from '../core/schema.js';
import { toolsFor } from '../tools/registry.js';
import { resolveTool } from '../tools/resolve.js';
import { briefOf, readsOf } from './agent-brief.js';
import { type AgentConfig, DEAD_LOOP_WINDOW, IDLE_TIMEOUT_MS, MAX_ROUNDS } from './agent-config.js';
import { pickModel } from './agent-model.js';

export async function runReact(config: AgentConfig, context: StepContext): Promise<KindResult> {
  const { step, folders } = context;
  const schema = wrapForTool(step.output?.json ?? true);
  const tools = toolsFor(config.tools ?? [], context.tools);
  const brief = briefOf(config, (instructions) => systemText(instructions, step.artifacts), 'shown', context);
  const asked = await pickModel(config, brief.images, context);
  refusePlaceholderFiles(asked.model, context);
  const accept = async (args: JsonObject) => {
    const value = schema.unwrap(args);
    const complaints = await context.judge(value);
    return complaints.length === 0 ? { value } : { complaints };
  };
  const answer = await runAgent(
    {
      ...asked,
      system: brief.system,
      prompt: brief.prompt,
      images: brief.images,
      tools,
      resolve: resolveTool(schema.parameters, accept),
      maxRounds: config.max_rounds ?? MAX_ROUNDS,
      deadLoopWindow: config.dead_loop_window ?? DEAD_LOOP_WINDOW,
      idleTimeoutMs: step.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      key: context.stepKey,
      transcript: folders.transcript,
    },
    context,
  ).finally(() => brief.written);
  return { type: 'output', value: answer.value, reads: readsOf([...brief.reads, ...answer.reads], context) };
}

/** The sketch calls no tool that writes: a step that must leave files would end only after many rounds. */
function refusePlaceholderFiles(model: ChosenModel, { step }: StepContext): void {
  if (!model.placeholder || step.artifacts.length === 0) return;
  throw new Fault(
    'provider.refused',
    `step "${step.id}" must leave files (${step.artifacts.join(', ')}), and sketch, the stand-in for a model, writes none`,
    { hint: 'Run it with a language model: --model provider/model-id; or save the output with `save` instead.' },
  );
}
