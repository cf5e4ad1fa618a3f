/** createReactAdapter(): an agent with tools, whose answer is what it hands to `resolve`. */
import { runAgent } from '../agent/loop.js';
import { systemText } from '../agent/prompt.js';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { JsonObject } from '../core/json.js';
import type { ToolSpec } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { resolveTool } from '../tools/resolve.js';
import { aloneWith } from './context.js';
import { asked, type ModelOptions } from './model-of.js';
import { type AdapterFn, imagesOf, objectSchema, promptOf } from './role.js';

const MAX_ROUNDS = 10;
const DEAD_LOOP_WINDOW = 3;
const IDLE_TIMEOUT_MS = 120_000;

export interface ReactAdapterOptions extends ModelOptions {
  /** Tools, or only what a model is told of them; then `toolHandler` performs their calls. */
  readonly tools?: Iterable<Tool | ToolSpec>;
  readonly toolHandler?: (name: string, input: JsonObject, context: StepContext) => Promise<string> | string;
  /** Model calls at most; 10. */
  readonly maxRounds?: number;
  /** A folder in which the transcript stays; else it is removed, or named by the fault that it ended with. Absolute. */
  readonly dir?: string;
}

/**
 * No further model call makes the structure: the schema is that of the tool `resolve`. An invalid answer goes back with its problems, a text
 * without a call is reminded of `resolve` three times. Rejects with a Fault: `agent.rounds`, `agent.no_resolve`, `provider.*` and the like.
 */
export function createReactAdapter(options: ReactAdapterOptions): AdapterFn {
  const tools = [...(options.tools ?? [])].map((tool) => performed(tool, options));
  if (tools.some(({ spec }) => spec.name === 'resolve')) {
    throw new TypeError('No tool can be called "resolve": by that name an agent hands in its answer.');
  }
  return (prompt, source) => {
    const schema = objectSchema(source);
    return async (thread, call = {}) => {
      const alone = aloneWith(schema, call, options.dir);
      try {
        const { value, reads } = await runAgent(
          {
            ...asked(options),
            system: systemText(prompt, alone.context.step.artifacts),
            prompt: promptOf(thread),
            images: imagesOf(thread),
            tools,
            resolve: resolveTool(schema, async (answer) => {
              const complaints = await alone.context.judge(answer);
              return complaints.length === 0 ? { value: answer } : { complaints };
            }),
            deadLoopWindow: DEAD_LOOP_WINDOW,
            maxRounds: options.maxRounds ?? MAX_ROUNDS,
            idleTimeoutMs: IDLE_TIMEOUT_MS,
            key: 'agent',
            transcript: alone.context.folders.transcript,
          },
          alone.context,
        );
        call.onReads?.(reads);
        alone.close();
        return value as never;
      } catch (error) {
        throw call.step ? error : keeping(error, alone.context.folders.transcript);
      }
    };
  };
}

/** A fault of the agent's own says where its conversation is. */
function keeping(error: unknown, transcript: string): unknown {
  if (!(error instanceof Fault) || !error.data.code.startsWith('agent.')) return error;
  const { code, message, ...more } = error.data;
  return new Fault(code, message, { ...more, hint: `${more.hint ?? ''} Its transcript is ${transcript}`.trim() });
}

function performed(tool: Tool | ToolSpec, { toolHandler }: ReactAdapterOptions): Tool {
  if ('spec' in tool) return tool;
  if (!toolHandler) throw new TypeError(`Nothing performs the tool "${tool.name}": give a toolHandler.`);
  return {
    spec: tool,
    effect: 'process',
    execute: async (args, context) => ({ type: 'text', text: await toolHandler(tool.name, args, context) }),
  };
}
