/** Chat Completions chunks, one after another, into one whole reply. */
import { Fault } from '../core/faults.js';
import { isObject, type JsonObject } from '../core/json.js';
import type { Delta, ModelReply, Usage } from '../core/model.js';
import { createCallJoiner } from './calls.js';
import type { SseEvent } from './sse.js';
import { createThinkFilter, type Parted, partHeadless } from './think.js';
import { errorFrameFault, firstLine, parseJson, streamFault, upstreamError } from './wire-faults.js';

export interface Assembler {
  /** Throws a `provider.*` fault for an error frame or a frame that cannot be read. */
  push(event: SseEvent): void;
  /** A chunk, or a whole `chat.completion` of a server that cannot stream. */
  pushChunk(value: unknown): void;
  /** `open`: no terminal signal yet. `finished`: only usage may still come. `closed`: nothing more will come that matters. */
  state(): 'open' | 'finished' | 'closed';
  /** The reply, if the stream ended well: a terminal signal and at least one choice. */
  finish(): ModelReply;
}

export interface AssemblerOptions {
  /** For people, e.g. the host. */
  readonly label: string;
  /** Makes an id unique among the calls of this conversation. */
  readonly uniqueId: (proposed: string | undefined) => string;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
}

export function createAssembler({ label, uniqueId, onDelta }: AssemblerOptions): Assembler {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls = createCallJoiner();
  const think = createThinkFilter();
  let usage: Usage | undefined;
  let finishReason: string | undefined;
  let usageIsFinal = false;
  let done = false;
  let sawChoice = false;
  let refused = false;

  function addReasoning(piece: string): void {
    if (piece === '') return;
    reasoning.push(piece);
    onDelta?.({ type: 'reasoning', text: piece });
  }

  function addParted(parted: Parted): void {
    addReasoning(parted.reasoning);
    if (parted.text === '') return;
    text.push(parted.text);
    onDelta?.({ type: 'text', text: parted.text });
  }

  function pushDelta(delta: JsonObject): void {
    for (const field of REASONING_FIELDS) {
      const piece = delta[field];
      if (typeof piece === 'string' && piece !== '') {
        addReasoning(piece);
        break;
      }
    }
    const content = contentText(delta.content);
    if (content !== '') addParted(think.push(content));
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      refused = true;
      addParted({ text: delta.refusal, reasoning: '' });
    }
    const fragments = delta.tool_calls;
    if (Array.isArray(fragments)) for (const fragment of fragments) calls.push(fragment);
    else if (isObject(fragments)) calls.push(fragments);
  }

  function pushChunk(value: unknown): void {
    const error = upstreamError(value);
    if (error) throw streamFault(error, label);
    if (!isObject(value)) return;
    // Some servers put a running count into every chunk: the last one counts.
    usage = readUsage(value.usage) ?? usage;
    for (const choice of Array.isArray(value.choices) ? value.choices : []) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue;
      sawChoice = true;
      const delta = choice.delta ?? choice.message;
      if (isObject(delta)) pushDelta(delta);
      if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') finishReason = choice.finish_reason;
    }
    if (finishReason !== undefined && isObject(value.usage)) usageIsFinal = true;
  }

  return {
    push({ event, data }) {
      if (event === 'error') throw errorFrameFault(data, label);
      if (!data.startsWith('{')) {
        if (data.trim() === '[DONE]') {
          done = true;
          return;
        }
        // Behind a proxy a comment may come as data: `data: : keepalive`.
        if (/^\s*(:[^{]*)?$/.test(data)) return;
      }
      if (done) return;
      const value = parseJson(data);
      if (value === undefined) {
        throw new Fault('provider.protocol', `${label} sent a frame that is not JSON: ${firstLine(data)}`);
      }
      pushChunk(value);
    },
    pushChunk,
    state() {
      if (done || usageIsFinal) return 'closed';
      return finishReason === undefined ? 'open' : 'finished';
    },
    finish() {
      if (!sawChoice) throw new Fault('provider.protocol', `${label} sent an empty response: no choice in it.`);
      if (finishReason === undefined && !done) {
        throw new Fault('provider.protocol', `The stream of ${label} ended early: no finish_reason, no [DONE].`);
      }
      if (finishReason !== undefined && BROKEN_OFF.has(finishReason)) {
        throw new Fault('provider.overloaded', `${label} broke its answer off: finish_reason "${finishReason}".`);
      }
      addParted(think.end());
      const whole = calls.finish(uniqueId);
      const headless = reasoning.length === 0 ? partHeadless(text.join('')) : undefined;
      if (headless) reasoning.push(headless.reasoning);
      return {
        text: headless?.text ?? text.join(''),
        calls: whole,
        finish: finishOf(finishReason, whole.length > 0, refused),
        ...(reasoning.length > 0 ? { reasoning: reasoning.join('') } : {}),
        ...(usage ? { usage } : {}),
      };
    },
  };
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;
/** What OpenRouter, vLLM, DeepSeek and GLM say of an answer that they did not finish. */
const BROKEN_OFF = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);
const CUT = new Set(['length', 'max_tokens', 'model_context_window_exceeded']);
const REFUSALS = new Set(['content_filter', 'refusal', 'sensitive']);

/** By the calls that are there; the server's word counts only for what calls cannot tell. */
function finishOf(reason: string | undefined, hasCalls: boolean, refused: boolean): ModelReply['finish'] {
  if (CUT.has(reason ?? '')) return 'length';
  if (refused || REFUSALS.has(reason ?? '')) return 'refusal';
  return hasCalls ? 'calls' : 'stop';
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens, prompt_tokens_details: details } = value;
  // One of the two alone is no count of the call: what is missing is unknown, not 0.
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  const told = { ...value, ...(isObject(details) ? details : {}) };
  const written = firstCount(told, ['cache_write_tokens', 'cache_creation_tokens', 'cache_creation_input_tokens']);
  return {
    inputTokens,
    outputTokens,
    cachedTokens: firstCount(told, ['cached_tokens', 'prompt_cache_hit_tokens']),
    ...(written > 0 ? { cacheWrittenTokens: written } : {}),
  };
}

/** Each server has its own name for it. */
function firstCount(told: JsonObject, names: readonly string[]): number {
  return names.map((name) => told[name]).find((count) => typeof count === 'number') ?? 0;
}
