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
import type { Quirk } from './quirks.js';

export interface RequestWriter {
  write(request: ModelRequest, quirks: ReadonlySet<Quirk>): string;
}

/** Keys that this runner decides, whatever the parameters say. */
const OWN_KEYS = new Set(['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options', 'n']);

const LONGEST_NAME = 64;

/** Remembers the JSON of messages and tools it has written: a history of n rounds costs n texts, not n². */
export function createRequestWriter(): RequestWriter {
  const plain = new WeakMap<Message, string>();
  const withReasoning = new WeakMap<Message, string>();
  const toolTexts = new WeakMap<readonly ToolSpec[], string>();

  function messageText(message: Message, echo: boolean): string {
    const texts = echo ? withReasoning : plain;
    let text = texts.get(message);
    if (text === undefined) {
      text = JSON.stringify(toWire(message, echo));
      texts.set(message, text);
    }
    return text;
  }

  function toolsText(tools: readonly ToolSpec[]): string {
    let text = toolTexts.get(tools);
    if (text === undefined) {
      text = JSON.stringify(tools.map(toolToWire));
      toolTexts.set(tools, text);
    }
    return text;
  }

  return {
    write(request, quirks) {
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
      const echo = quirks.has('echo_reasoning');
      const messages = request.messages.map((message) => messageText(message, echo));
      if (request.system !== '') messages.unshift(JSON.stringify({ role: 'system', content: request.system }));
      return `{${fields.join(',')},"messages":[${messages.join(',')}]}`;
    },
  };
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
