/** What stands under the key `agent`. */
import type { JsonObject } from '../core/json.js';

export interface AgentConfig extends JsonObject {
  readonly instructions?: string;
  readonly skill?: string;
  readonly prompt: string;
  readonly tools?: readonly string[];
  readonly files?: readonly string[];
  readonly model?: string;
  readonly fallback?: readonly string[];
  readonly max_rounds?: number;
  readonly dead_loop_window?: number;
  readonly adapter?: Adapter;
  readonly command?: readonly string[];
  readonly prompt_as?: 'stdin' | 'file';
}

/** As it runs: the check has seen that an agent with this adapter has a command. */
export interface CommandConfig extends AgentConfig {
  readonly adapter: 'command';
  readonly command: readonly string[];
}

export type Adapter = 'react' | 'llm' | 'command';

export const MAX_ROUNDS = 40;
export const DEAD_LOOP_WINDOW = 3;
/** Of a model's stream, unless the step says otherwise. */
export const IDLE_TIMEOUT_MS = 2 * 60_000;

/** The item of `command` in whose place the path of the prompt is put. */
export const PROMPT_FILE = '{prompt_file}';

/** Sampling parameters go to the model as they are. */
const SAMPLING = {
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Sampling temperature.' },
  top_p: { type: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling.' },
  max_tokens: { type: 'integer', minimum: 1, description: 'Longest answer of one call, in tokens.' },
  seed: { type: 'integer', description: 'Sampling seed, where the provider has one.' },
  frequency_penalty: { type: 'number', minimum: -2, maximum: 2, description: 'As the provider defines it.' },
  presence_penalty: { type: 'number', minimum: -2, maximum: 2, description: 'As the provider defines it.' },
  reasoning_effort: { enum: ['minimal', 'low', 'medium', 'high'], description: 'For models that reason.' },
} as const satisfies JsonObject;

export const SAMPLING_KEYS = Object.keys(SAMPLING);

export const AGENT_SCHEMA: JsonObject = {
  type: 'object',
  description:
    'A sub-agent with a history of its own; it ends by calling `resolve` with an answer that matches `output`.',
  properties: {
    instructions: {
      type: 'string',
      description: 'Who it is and what to do: a file (.md, .txt) or text. Never templated.',
    },
    skill: { type: 'string', description: 'A skill whose SKILL.md body is the instructions.' },
    prompt: { type: 'string', description: 'What it is given: text, or a file (.md, .txt); may hold ${{ }}.' },
    tools: { type: 'array', items: { type: 'string' }, description: 'The tools it may call; none unless listed.' },
    files: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Files of the run or the skill folder that are added to the prompt: text, 256 KB of each, and images (.png, .jpg, .gif, .webp) for a model that sees.',
    },
    model: { type: 'string', description: 'A role (`default`, `judge`) or `provider/model-id`.' },
    fallback: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      description: 'Models that take its place, in this order, when its service fails: roles or `provider/model-id`s.',
    },
    max_rounds: { type: 'integer', minimum: 1, maximum: 10000, description: 'Model calls at most (40).' },
    dead_loop_window: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'Equal rounds that stop it (3); 0 switches the guard off.',
    },
    adapter: {
      enum: ['react', 'llm', 'command'],
      description:
        "How it works: react, a loop with tools; llm, one call without tools; command, another agent's program.",
    },
    command: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description: 'For adapter command: program and arguments, each as it is, no shell. Items may hold ${{ }}.',
    },
    prompt_as: {
      enum: ['stdin', 'file'],
      description:
        'For adapter command: how it gets the prompt; with file, the item {prompt_file} is its path (stdin).',
    },
    ...SAMPLING,
  },
  required: ['prompt'],
  additionalProperties: false,
};
