/** The JSON text of a Chat Completions request, made so that each request is the last one plus something at its end. */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import type { ResponseFormatJSONSchema } from 'openai/resources/shared';
import { isObject, type JsonObject } from '../core/json.js';
import type { AnswerFormat, Image, Message, ModelRequest, ToolCall, ToolSpec } from '../core/model.js';
import { type GrowingBytes, growingBytes } from './growing-bytes.js';
import type { Quirk } from './quirks.js';

export interface RequestWriter {
  write(request: ModelRequest, quirks: ReadonlySet<Quirk>): RequestText;
}

/** JSON as UTF-8, in pieces that no later request changes. */
export interface RequestText {
  readonly pieces: readonly Uint8Array[];
  readonly characters: number;
}

/** A conversation, as far as it was written. */
interface Written {
  /** All before its first message. */
  readonly opening: string;
  readonly echo: boolean;
  readonly messages: Message[];
  /** Where each of the messages ends. */
  readonly ends: { readonly bytes: number; readonly characters: number }[];
  readonly text: GrowingBytes;
}

/** Keys that this runner decides, whatever the parameters say. */
const OWN_KEYS = new Set(['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options', 'n']);

const LONGEST_NAME = 64;

const CLOSING = ']}';
const CLOSING_BYTES = Buffer.from(CLOSING);

/** Writes of each conversation only what is new in it: a history of n rounds costs n texts, not n². */
export function createRequestWriter(): RequestWriter {
  const conversations = new WeakMap<Message, Written>();
  const toolTexts = new WeakMap<readonly ToolSpec[], string>();

  function toolsText(tools: readonly ToolSpec[]): string {
    const text = toolTexts.get(tools) ?? JSON.stringify(tools.map(toolToWire));
    toolTexts.set(tools, text);
    return text;
  }

  function openingOf(request: ModelRequest, quirks: ReadonlySet<Quirk>): string {
    const head: Record<string, unknown> = { model: request.model, stream: true };
    if (!quirks.has('no_stream_options')) head.stream_options = { include_usage: true };
    Object.assign(head, parametersToWire(request.parameters, quirks));
    const form = quirks.has('no_response_format') ? undefined : formatToWire(request.format);
    if (form) head.response_format = form;
    const fields = [JSON.stringify(head).slice(1, -1)];
    if (request.tools.length > 0) {
      fields.push(`"tools":${toolsText(request.tools)}`);
      const choice = request.toolChoice === 'required' && !quirks.has('auto_choice_only') ? 'required' : 'auto';
      fields.push(`"tool_choice":"${choice}"`);
    }
    const system = request.system === '' ? '' : JSON.stringify({ role: 'system', content: request.system });
    return `{${fields.join(',')},"messages":[${system}`;
  }

  return {
    write(request, quirks) {
      const { messages, system } = request;
      const [first] = messages;
      const opening = openingOf(request, quirks);
      if (!first) return { pieces: [Buffer.from(opening + CLOSING)], characters: opening.length + CLOSING.length };
      const echo = quirks.has('echo_reasoning');
      const known = conversations.get(first);
      const written = known && isOneOf(known, opening, echo, messages) ? known : begin(opening, echo);
      conversations.set(first, written);
      for (const message of messages.slice(written.messages.length)) {
        add(written, message, written.messages.length > 0 || system !== '');
      }
      const { bytes, characters } = written.ends[messages.length - 1] as Written['ends'][number];
      return { pieces: [written.text.upTo(bytes), CLOSING_BYTES], characters: characters + CLOSING.length };
    },
  };
}

/** Whether one of the two begins with the other. */
function isOneOf(written: Written, opening: string, echo: boolean, messages: readonly Message[]): boolean {
  if (written.opening !== opening || written.echo !== echo) return false;
  const shared = Math.min(messages.length, written.messages.length);
  for (let at = 0; at < shared; at++) if (messages[at] !== written.messages[at]) return false;
  return true;
}

function begin(opening: string, echo: boolean): Written {
  const text = growingBytes();
  text.append(opening);
  return { opening, echo, messages: [], ends: [], text };
}

function add(written: Written, message: Message, isNext: boolean): void {
  const { ends, text, opening } = written;
  const json = (isNext ? ',' : '') + JSON.stringify(toWire(message, written.echo));
  text.append(json);
  const before = ends.at(-1)?.characters ?? opening.length;
  ends.push({ bytes: text.length, characters: before + json.length });
  written.messages.push(message);
}

function parametersToWire(parameters: JsonObject, quirks: ReadonlySet<Quirk>): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parameters)) {
    if (OWN_KEYS.has(key)) continue;
    if (key === 'parallel_tool_calls' && quirks.has('no_parallel_key')) continue;
    if (key === 'response_format' && quirks.has('no_response_format')) continue;
    wire[key === 'max_tokens' && quirks.has('max_completion_tokens') ? 'max_completion_tokens' : key] = value;
  }
  return wire;
}

/** Not strict: a subset of JSON Schema would not do, and what comes is checked here. Names may hold only these letters. */
function formatToWire(format: AnswerFormat | undefined): ResponseFormatJSONSchema | undefined {
  if (!format || !isObject(format.schema)) return undefined;
  const name = format.name.replace(/[^\w-]/g, '_').slice(0, LONGEST_NAME) || 'answer';
  return { type: 'json_schema', json_schema: { name, schema: { ...format.schema }, strict: false } };
}

function toolToWire({ name, description, parameters }: ToolSpec): ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

function toWire(message: Message, echoReasoning: boolean): ChatCompletionMessageParam {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.images?.length ? partsOf(message.text, message.images) : message.text };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant': {
      const calls = message.calls.map(callToWire);
      const wire: ChatCompletionAssistantMessageParam & { reasoning_content?: string } = {
        role: 'assistant',
        content: message.text === '' && calls.length > 0 ? null : message.text,
      };
      if (echoReasoning && calls.length > 0) wire.reasoning_content = message.reasoning ?? '';
      if (calls.length > 0) wire.tool_calls = calls;
      return wire;
    }
  }
}

function partsOf(text: string, images: readonly Image[]): ChatCompletionContentPart[] {
  const seen = images.map(({ mediaType, base64 }) => {
    return { type: 'image_url' as const, image_url: { url: `data:${mediaType};base64,${base64}` } };
  });
  return text === '' ? seen : [{ type: 'text', text }, ...seen];
}

function callToWire({ id, name, arguments: text, extra = {} }: ToolCall) {
  const { function: inside, ...outside } = extra;
  return {
    ...outside,
    id,
    type: 'function' as const,
    function: { ...(isObject(inside) ? inside : {}), name, arguments: text },
  };
}
