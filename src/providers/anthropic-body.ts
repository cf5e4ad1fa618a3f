/** The JSON text of a Messages request: what is stable comes first, marked for the server's prompt cache. */
import type {
  ImageBlockParam,
  JSONOutputFormat,
  OutputConfig,
  ThinkingConfigParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { AnswerFormat, Image, Message, ModelRequest, ToolCall, ToolSpec } from '../core/model.js';
import { parseJson } from './wire-faults.js';

/** What a model was found not to take; each is asked about once and then remembered. */
export type Quirk = 'auto_choice_only' | 'thinking_by_budget' | 'no_format';

export interface MessagesWriter {
  /** @param format what `formatToWire` made of that of the request */
  write(request: ModelRequest, quirks: ReadonlySet<Quirk>, format?: JSONOutputFormat): string;
}

interface Turn {
  readonly role: 'user' | 'assistant';
  /** The JSON text of each content block; results of tools stand before text, as the API demands. */
  readonly blocks: string[];
  results: number;
}

/** The API has no default for it, and all current models may write this much. */
const MAX_TOKENS = 32_000;
const CACHE_MARK = ',"cache_control":{"type":"ephemeral"}}';
/** A mark finds what an earlier request cached only this many blocks before it. */
const CACHE_REACH_BLOCKS = 18;
/** Of `max_tokens`, what a model may think that cannot measure that itself. */
const THINKING_SHARE: Readonly<Record<string, number>> = { low: 0.125, medium: 0.3, high: 0.6, xhigh: 0.7, max: 0.8 };
const LEAST_THINKING_TOKENS = 1_024;
/** The API refuses text of nothing but white space. */
const NO_TEXT = '(empty)';

/** Remembers the JSON of messages and tools it has written: a history of n rounds costs n texts, not n². */
export function createMessagesWriter(): MessagesWriter {
  const texts = new WeakMap<Message | ToolSpec, readonly string[]>();

  function remembered<T extends Message | ToolSpec>(value: T, write: (value: T) => readonly string[]) {
    const known = texts.get(value) ?? write(value);
    texts.set(value, known);
    return known;
  }

  function turnsOf(messages: readonly Message[]): Turn[] {
    const turns: Turn[] = [];
    for (const message of messages) {
      const blocks = remembered(message, blocksOf);
      const role = message.role === 'assistant' ? 'assistant' : 'user';
      if (blocks.length === 0) continue;
      const last = turns.at(-1);
      const turn: Turn = last?.role === role ? last : { role, blocks: [], results: 0 };
      if (turn !== last) turns.push(turn);
      if (message.role === 'tool') turn.blocks.splice(turn.results++, 0, ...blocks);
      else turn.blocks.push(...blocks);
    }
    return turns;
  }

  return {
    write({ model, system, messages, tools, toolChoice, parameters }, quirks, format) {
      const wire = parametersToWire(parameters, quirks);
      const output = isObject(wire.output_config) ? wire.output_config : {};
      const isFormed = format !== undefined && !quirks.has('no_format');
      const asked = isFormed ? { ...wire, output_config: { ...output, format } } : wire;
      const fields = [JSON.stringify({ model, ...asked, stream: true }).slice(1, -1)];
      if (tools.length > 0) {
        const forced = toolChoice === 'required' && !quirks.has('auto_choice_only') && !thinks(wire);
        fields.push(`"tool_choice":{"type":"${forced ? 'any' : 'auto'}"}`);
        const specs = tools.flatMap((tool) => remembered(tool, (spec) => [JSON.stringify(toolToWire(spec))]));
        fields.push(`"tools":[${withMark(specs).join(',')}]`);
      }
      if (system !== '') fields.push(`"system":[${mark(textBlock(system))}]`);
      const turns = markTurns(turnsOf(messages));
      const wired = turns.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks.join(',')}]}`);
      return `{${fields.join(',')},"messages":[${wired.join(',')}]}`;
    },
  };
}

/** The request's end, so that the next one finds it; and the end of the last request, where the way back to it is too long. */
function markTurns(turns: readonly Turn[]): Pick<Turn, 'role' | 'blocks'>[] {
  const added = turns.slice(-2).reduce((sum, { blocks }) => sum + blocks.length, 0);
  const marked = new Set([turns.length - 1, ...(added > CACHE_REACH_BLOCKS ? [turns.length - 3] : [])]);
  return turns.map((turn, at) => (marked.has(at) ? { role: turn.role, blocks: withMark(turn.blocks) } : turn));
}

function withMark(blocks: readonly string[]): string[] {
  return [...blocks.slice(0, -1), ...blocks.slice(-1).map(mark)];
}

function mark(block: string): string {
  return block.slice(0, -1) + CACHE_MARK;
}

function parametersToWire(parameters: JsonObject, quirks: ReadonlySet<Quirk>): JsonObject {
  const { model, messages, system, tools, tool_choice, stream, stop, reasoning_effort: effort, ...others } = parameters;
  const maxTokens = typeof others.max_tokens === 'number' ? others.max_tokens : MAX_TOKENS;
  return {
    max_tokens: maxTokens,
    ...(stop === undefined || stop === null ? {} : { stop_sequences: Array.isArray(stop) ? stop : [stop] }),
    ...others,
    ...(typeof effort === 'string' ? effortToWire(effort, maxTokens, others.output_config, quirks) : {}),
    ...(others.thinking === undefined ? {} : { thinking: others.thinking }),
  };
}

/** Current models weigh their thinking by an effort; earlier ones take a number of tokens. */
function effortToWire(
  effort: string,
  maxTokens: number,
  outputConfig: unknown,
  quirks: ReadonlySet<Quirk>,
): JsonObject & { readonly thinking: JsonObject } {
  const level = effort === 'minimal' ? 'low' : effort;
  if (level === 'none') return { thinking: { type: 'disabled' } satisfies ThinkingConfigParam };
  if (quirks.has('thinking_by_budget')) {
    const budget = Math.floor(maxTokens * (THINKING_SHARE[level] ?? 0.3));
    const budget_tokens = Math.max(LEAST_THINKING_TOKENS, budget);
    return { thinking: { type: 'enabled', budget_tokens } satisfies ThinkingConfigParam };
  }
  const output_config = { ...(isObject(outputConfig) ? outputConfig : {}), effort: level as Effort };
  return { thinking: { type: 'adaptive' } satisfies ThinkingConfigParam, output_config };
}

type Effort = NonNullable<OutputConfig['effort']>;

/** A forced call and thinking exclude each other. */
function thinks({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking.type !== 'disabled';
}

/**
 * The API takes a part of JSON Schema, in which every object is closed: the client library writes the schema so. Undefined where that
 * would forbid what the author allows.
 */
export async function formatToWire(format: AnswerFormat | undefined): Promise<JSONOutputFormat | undefined> {
  if (!format || !isObject(format.schema) || hasFreeNames(format.schema)) return undefined;
  const { transformJSONSchema } = await import('@anthropic-ai/sdk/lib/transform-json-schema');
  try {
    return { type: 'json_schema', schema: transformJSONSchema(format.schema) as JSONOutputFormat['schema'] };
  } catch {
    return undefined;
  }
}

/** Whether an object may have fields whose names the schema does not say. */
function hasFreeNames(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(hasFreeNames);
  if (!isObject(schema)) return false;
  if (schema.patternProperties !== undefined || (schema.additionalProperties ?? false) !== false) return true;
  if (schema.type === 'object' && !isObject(schema.properties)) return true;
  return Object.values(schema).some(hasFreeNames);
}

function toolToWire({ name, description, parameters }: ToolSpec): Tool {
  return { name, description, input_schema: { ...parameters, type: 'object' } as Tool.InputSchema };
}

function blocksOf(message: Message): readonly string[] {
  switch (message.role) {
    case 'user':
      return userBlocks(message.text, message.images ?? []);
    case 'tool': {
      const { callId, text, error } = message;
      const result = { type: 'tool_result', tool_use_id: idToWire(callId), content: text };
      return [JSON.stringify(error ? { ...result, is_error: true } : result)];
    }
    case 'assistant':
      return assistantBlocks(message);
  }
}

/** Images first, as the API advises. */
function userBlocks(text: string, images: readonly Image[]): string[] {
  const seen = images.map(({ mediaType, base64 }) => {
    const source = { type: 'base64', media_type: mediaType, data: base64 } as const;
    return JSON.stringify({ type: 'image', source } satisfies ImageBlockParam);
  });
  return seen.length > 0 && text.trim() === '' ? seen : [...seen, textBlock(text)];
}

/** In the order in which the server gave them, its thinking word for word. A turn that said nothing has none. */
function assistantBlocks({ text, calls, blocks }: Extract<Message, { role: 'assistant' }>): string[] {
  if (!blocks) return [...(text.trim() === '' ? [] : [textBlock(text)]), ...calls.map(callToWire)];
  return blocks.flatMap((block) => {
    if (block.type !== 'tool_use') return [JSON.stringify(block)];
    return calls.filter(({ id }) => id === block.id).map(callToWire);
  });
}

function textBlock(text: string): string {
  return JSON.stringify({ type: 'text', text: text.trim() === '' ? NO_TEXT : text });
}

function callToWire({ id, name, arguments: text, extra = {} }: ToolCall): string {
  const input = parseJson(text);
  return JSON.stringify({
    ...extra,
    type: 'tool_use',
    id: idToWire(id),
    name,
    // An input must be an object; the result of such a call says what was wrong with it.
    input: isObject(input) ? input : { INVALID_JSON: text },
  });
}

/** Ids of other servers may hold what this API refuses. */
function idToWire(id: string): string {
  return id.replace(/[^\w-]/g, '_');
}
