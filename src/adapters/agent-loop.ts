/** createAgentLoop(): a conversation with tools that ends when the model answers in words. */
import { converse } from '../agent/converse.js';
import { modelLine } from '../agent/model-line.js';
import type { Message } from '../core/model.js';
import type { Tool } from '../core/tool.js';
import { aloneWith, type CallOptions } from './context.js';
import { type ModelOptions, modelOf } from './model-of.js';

const MAX_ROUNDS = 10;
const DEAD_LOOP_WINDOW = 3;
const IDLE_TIMEOUT_MS = 120_000;

export interface AgentLoopOptions extends ModelOptions {
  /** A registry, or a list. */
  readonly tools: Iterable<Tool>;
  readonly system?: string;
  /** Model calls at most for one message; 10. */
  readonly maxRounds?: number;
  /** What is sent for a new message; the history with the message behind it, unless this says otherwise. */
  readonly buildMessages?: (history: readonly Message[], userMessage: string) => readonly Message[];
}

export interface AgentLoop {
  /** All that was said, whole rounds only. */
  readonly history: readonly Message[];
  /** Rejects with a Fault; the history is whole then, too. */
  run(userMessage: string, options?: CallOptions): Promise<AgentReply>;
}

export interface AgentReply {
  readonly text: string;
  /** Why it ended: with an answer, at the model's length limit, or with a refusal. */
  readonly stopped: 'answered' | 'cut' | 'refused';
  /** Model calls. */
  readonly rounds: number;
}

export function createAgentLoop(options: AgentLoopOptions): AgentLoop {
  const { system = '', maxRounds = MAX_ROUNDS, buildMessages = plainly } = options;
  const tools = [...options.tools];
  const model = modelOf(options);
  const history: Message[] = [];
  return {
    history,
    async run(userMessage, call = {}) {
      const sent = [...buildMessages([...history], userMessage)];
      history.push({ role: 'user', text: userMessage });
      const alone = aloneWith(undefined, call);
      try {
        const { type, text, rounds } = await converse(
          {
            system,
            tools,
            line: modelLine(model, [], async () => model),
            history: {
              messages: () => sent,
              add(messages) {
                sent.push(...messages);
                history.push(...messages);
              },
              makeRoom: async () => undefined,
              makesRoomAfter: async () => false,
            },
            maxRounds,
            deadLoopWindow: DEAD_LOOP_WINDOW,
            idleTimeoutMs: IDLE_TIMEOUT_MS,
          },
          alone.context,
        );
        return { text, stopped: type, rounds };
      } finally {
        alone.close();
      }
    },
  };
}

const plainly = (history: readonly Message[], userMessage: string): readonly Message[] => [
  ...history,
  { role: 'user', text: userMessage },
];
