/** The embedded model that needs no network: deterministic placeholder answers that drive the real loop. */
import { isObject, type JsonObject, sha256 } from '../core/json.js';
import type { Message, ModelReply, ModelRequest, Provider, ToolCall, ToolSpec } from '../core/model.js';
import { type PromptText, pathsIn, readPrompt } from './prompt-text.js';
import { flatten, strings } from './sketch-schema.js';
import { sketchValue } from './sketch-values.js';

/** A request does not say what a tool does; these are known to change nothing. */
const READ_ONLY = new Set(['list_files', 'read_file', 'search_files']);
/** Offered by chats alone, where a person talks: nothing is looked at there that they did not ask for. */
const OF_A_CHAT = 'skills_list';
/** Refused this often, the answer stays as it is, and the loop's own bounds end it. */
const MAX_VARIANTS = 3;

export function sketchProvider(): Provider {
  return {
    name: 'sketch',
    placeholder: true,
    async complete(request, { signal, onDelta }) {
      signal.throwIfAborted();
      const reply = answer(request);
      if (reply.text !== '') onDelta?.({ type: 'text', text: reply.text });
      return { ...reply, usage: usageOf(request, reply) };
    },
  };
}

function answer(request: ModelRequest): Omit<ModelReply, 'usage'> {
  if (request.tools.some(({ name }) => name === OF_A_CHAT)) return talk(request);
  const prompt = readPrompt(userText(request) || request.system);
  const called = new Set(
    request.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])).map(({ name }) => name),
  );
  const nextId = idMaker(request);
  const looks = request.tools
    .filter((tool) => READ_ONLY.has(tool.name) && !called.has(tool.name))
    .flatMap((tool) => lookWith(tool, prompt))
    .map(({ name, args }): ToolCall => ({ id: nextId(), name, arguments: JSON.stringify(args) }));
  if (looks.length > 0) return { text: '', calls: looks, finish: 'calls' };

  const { format } = request;
  if (format && request.tools.length === 0) {
    const given = request.messages.filter(({ role }) => role === 'assistant').length;
    const value = sketchValue(format.schema, { prompt, variant: Math.min(given, MAX_VARIANTS) });
    return { text: JSON.stringify(value), calls: [], finish: 'stop' };
  }
  const resolve = request.tools.find((tool) => tool.name === 'resolve');
  if (!resolve) return placeholder(request);
  const value = sketchValue(resolve.parameters, {
    prompt,
    variant: Math.min(refusals(request.messages), MAX_VARIANTS),
  });
  return { text: '', calls: [{ id: nextId(), name: 'resolve', arguments: JSON.stringify(value) }], finish: 'calls' };
}

function placeholder({ messages, system }: ModelRequest): Omit<ModelReply, 'usage'> {
  const { lead } = readPrompt(messages[lastUser(messages)]?.text ?? system);
  return { text: `Placeholder answer without a language model: ${lead}.`, calls: [], finish: 'stop' };
}

/** In a chat: the pipeline that the last message says to call is called, once, and what it gave is said. */
function talk(request: ModelRequest): Omit<ModelReply, 'usage'> {
  const { messages, tools } = request;
  const at = lastUser(messages);
  const result = messages.slice(at + 1).findLast((message) => message.role === 'tool');
  if (result) {
    const text = `Without a language model, here is only what ${result.name} gave:\n\n${result.text}`;
    return { text, calls: [], finish: 'stop' };
  }
  const said = messages[at]?.text ?? '';
  const name = TO_CALL.exec(said)?.[1];
  if (!tools.some((tool) => tool.name === name)) return placeholder(request);
  const query = ASKED.exec(said)?.[1]?.trim() ?? '';
  const call = { id: idMaker(request)(), name: name as string, arguments: JSON.stringify({ query }) };
  return { text: '', calls: [call], finish: 'calls' };
}

/** As a chat writes what stands for `/<skill> <words>`. */
const TO_CALL = /\bcall (run_\w+_pipeline) with the query\b/;
const ASKED = /^What is asked: ([\s\S]*?)(?:\nContract of this skill:|$(?![\s\S]))/m;

function lastUser(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

/** A call of the tool with what the prompt offers for it; none if it needs a file or a name that the prompt does not have. */
function lookWith(tool: ToolSpec, prompt: PromptText): { name: string; args: JsonObject }[] {
  const schema = flatten(tool.parameters, tool.parameters);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = strings(schema.required);
  const args: Record<string, unknown> = {};
  if (tool.name === 'read_file') {
    const path = pathsIn(prompt.text)[0];
    if (path === undefined) return [];
    args.path = path;
  }
  if (tool.name === 'search_files') args[required.find((name) => name !== 'path') ?? 'pattern'] = keyword(prompt.lead);
  if (tool.name === 'list_files' && required.includes('path')) args.path = '.';
  const rest = required.filter((name) => args[name] === undefined);
  const filled = sketchValue({ ...schema, properties: pick(properties, rest), required: rest }, { prompt, variant: 0 });
  return [{ name: tool.name, args: { ...(filled as JsonObject), ...(args as JsonObject) } }];
}

function pick(properties: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]])),
  );
}

/** The longest word, without what a regular expression would read as its own. */
function keyword(lead: string): string {
  const words = lead.match(/[\p{L}\p{N}]+/gu) ?? ['the'];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest));
}

function refusals(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'tool' && message.name === 'resolve' && message.error).length;
}

function userText({ messages }: ModelRequest): string {
  return messages.find((message) => message.role === 'user')?.text ?? '';
}

/** Differs between conversations, as ids must within a run. */
function idMaker(request: ModelRequest): () => string {
  const stem = sha256(`${request.system}\n${userText(request)}`).slice(0, 8);
  let count = request.messages.reduce(
    (sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0),
    0,
  );
  return () => `sketch_${stem}_${++count}`;
}

/** Four characters a token, the usual rule of thumb, so that limits and displays have something true to work on. */
function usageOf(
  request: ModelRequest,
  reply: Omit<ModelReply, 'usage'>,
): { inputTokens: number; outputTokens: number; cachedTokens: number } {
  const input = request.system.length + request.messages.reduce((sum, message) => sum + charactersOf(message), 0);
  const output = reply.text.length + reply.calls.reduce((sum, call) => sum + call.arguments.length, 0);
  return { inputTokens: Math.ceil(input / 4), outputTokens: Math.ceil(output / 4), cachedTokens: 0 };
}

function charactersOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.text.length + message.calls.reduce((sum, call) => sum + call.arguments.length, 0);
}
