/** The events of a Messages stream, one after another, into one whole reply. */
import type { RawMessageStreamEvent, StopReason } from '@anthropic-ai/sdk/resources/messages';
import { Fault } from '../core/faults.js';
import { isObject, type JsonObject } from '../core/json.js';
import type { Delta, ModelReply, ToolCall, Usage } from '../core/model.js';
import type { SseEvent } from './sse.js';
import { errorFrameFault, firstLine, parseJson, streamFault, upstreamError } from './wire-faults.js';

export interface MessageAssembler {
  /** Throws a `provider.*` fault for an error event or an event that cannot be read. */
  push(event: SseEvent): void;
  /** `open`: no terminal signal yet. `finished`: the reason to stop is known, its end not yet said. `closed`: it is over. */
  state(): 'open' | 'finished' | 'closed';
  /** The reply, if the stream ended well. */
  finish(): ModelReply;
  /** What a reply that was paused said so far, in the API's own words; undefined if it was not. */
  paused(): readonly JsonObject[] | undefined;
}

export interface MessageAssemblerOptions {
  /** For people, e.g. the host. */
  readonly label: string;
  /** Makes an id unique among the calls of this conversation. */
  readonly uniqueId: (proposed: string | undefined) => string;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
}

/** A content block: as it began, and what was added to each of its fields. */
interface Block {
  readonly begun: JsonObject;
  readonly added: Record<'text' | 'thinking' | 'signature' | 'partial_json', string[]>;
}

type Counts = Partial<Record<CountName, number>>;
type CountName = (typeof INPUT_COUNTS)[number] | 'output_tokens';

const INPUT_COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;
/** The account is used up, whatever the status: the API has no word of its own for two of these. */
const EXHAUSTED =
  /billing_error|spend_limit_reached|credit balance is too low|specified (workspace )?API usage limits/i;

export function isExhausted(words: string): boolean {
  return EXHAUSTED.test(words);
}

export function createMessageAssembler({ label, uniqueId, onDelta }: MessageAssemblerOptions): MessageAssembler {
  const blocks: Block[] = [];
  const byIndex = new Map<unknown, Block>();
  const counts: Counts = {};
  let begun = false;
  let stopReason: string | undefined;
  let explanation = '';
  let stopped = false;

  function begin(index: unknown, content: unknown): void {
    if (!isObject(content)) return;
    const block: Block = { begun: content, added: { text: [], thinking: [], signature: [], partial_json: [] } };
    blocks.push(block);
    byIndex.set(index, block);
    show('text', content.text);
    show('thinking', content.thinking);
  }

  function add(index: unknown, delta: unknown): void {
    const block = byIndex.get(index);
    if (!block) throw new Fault('provider.protocol', `${label} sent a piece of a content block that it never began.`);
    if (!isObject(delta)) return;
    for (const [field, pieces] of Object.entries(block.added)) {
      const piece = delta[field];
      if (typeof piece === 'string') pieces.push(piece);
      show(field, piece);
    }
  }

  function show(field: string, piece: unknown): void {
    if (typeof piece !== 'string' || piece === '') return;
    if (field === 'text') onDelta?.({ type: 'text', text: piece });
    if (field === 'thinking') onDelta?.({ type: 'reasoning', text: piece });
  }

  function count(usage: unknown, names: readonly CountName[]): void {
    if (!isObject(usage)) return;
    for (const name of names) if (typeof usage[name] === 'number') counts[name] = usage[name];
  }

  function take(event: JsonObject): void {
    switch (event.type as RawMessageStreamEvent['type']) {
      case 'message_start':
        begun = true;
        if (isObject(event.message)) count(event.message.usage, INPUT_COUNTS);
        return;
      case 'content_block_start':
        begin(event.index, event.content_block);
        return;
      case 'content_block_delta':
        add(event.index, event.delta);
        return;
      case 'message_delta':
        // Counts are totals so far; the output's is final only here.
        count(event.usage, [...INPUT_COUNTS, 'output_tokens']);
        if (!isObject(event.delta)) return;
        if (typeof event.delta.stop_reason === 'string') stopReason = event.delta.stop_reason;
        if (isObject(event.delta.stop_details)) explanation = textOf(event.delta.stop_details.explanation);
        return;
      case 'message_stop':
        stopped = true;
        return;
      default:
      // The end of a block says nothing that its message's end does not; pings and events to come are only signs of life.
    }
  }

  return {
    push({ event, data }) {
      const value = parseJson(data);
      const error = upstreamError(value);
      if (error && isExhausted([...error.words, error.message].join(' '))) {
        throw new Fault('provider.exhausted', `${label} reported an error in its answer: ${firstLine(error.message)}`);
      }
      if (error) throw streamFault(error, label);
      if (event === 'error') throw errorFrameFault(data, label);
      if (isObject(value)) take(value);
      else if (data.trim() !== '' && data.trim() !== '[DONE]')
        throw new Fault('provider.protocol', `${label} sent an event that is not a JSON object: ${firstLine(data)}`);
    },
    state() {
      if (stopped) return 'closed';
      return stopReason === undefined ? 'open' : 'finished';
    },
    finish() {
      if (!begun) throw new Fault('provider.protocol', `${label} sent an empty response: no message in it.`);
      if (!stopped && stopReason === undefined) {
        throw new Fault('provider.protocol', `The stream of ${label} ended early: no message_stop.`);
      }
      return replyOf(blocks.map(wholeBlock), stopReason, explanation, uniqueId, usageOf(counts));
    },
    paused() {
      const whole = blocks.map(wholeBlock);
      // A call of ours goes on with its result.
      const isPause = stopReason === ('pause_turn' satisfies StopReason) && !whole.some(isCall);
      return isPause ? whole.filter(isWorthKeeping) : undefined;
    },
  };
}

/** The block as the API would have given it at once, except that the input of a call is the text that the model wrote. */
function wholeBlock({ begun, added }: Block): JsonObject {
  const joined = (field: 'text' | 'thinking' | 'signature') => textOf(begun[field]) + added[field].join('');
  switch (begun.type) {
    case 'text':
      return { type: 'text', text: joined('text') };
    case 'thinking':
      return { ...begun, thinking: joined('thinking'), signature: joined('signature') };
    case 'tool_use': {
      const written = added.partial_json.join('');
      return { ...begun, input: written.trim() === '' ? JSON.stringify(begun.input ?? {}) : written };
    }
    case 'server_tool_use': {
      const written = parseJson(added.partial_json.join(''));
      return isObject(written) ? { ...begun, input: written } : begun;
    }
    default:
      return begun;
  }
}

function replyOf(
  content: readonly JsonObject[],
  stopReason: string | undefined,
  explanation: string,
  uniqueId: MessageAssemblerOptions['uniqueId'],
  usage: Usage | undefined,
): ModelReply {
  const texts = content.map((block) => (block.type === 'text' ? textOf(block.text) : ''));
  const reasoning = content.map((block) => (block.type === 'thinking' ? textOf(block.thinking) : '')).join('');
  const used = usage ? { usage } : {};
  const text = texts.join('');
  // What a refusal broke off is no answer, and nothing of it may run.
  if (stopReason === 'refusal') return { text: text || explanation, calls: [], finish: 'refusal', ...used };
  const calls: ToolCall[] = [];
  const kept = content.flatMap((block): JsonObject[] => {
    if (isCall(block)) {
      const call = callOf(block, uniqueId);
      calls.push(call);
      return [{ type: 'tool_use', id: call.id }];
    }
    return isWorthKeeping(block) ? [block] : [];
  });
  return {
    text,
    calls,
    finish: finishOf(stopReason, calls.length > 0),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(kept.some((block) => isThought(block) || isOfService(block)) ? { blocks: kept } : {}),
    ...used,
  };
}

function callOf({ type: _type, id, name, input, ...extra }: JsonObject, uniqueId: (id?: string) => string): ToolCall {
  if (textOf(name) === '') throw new Fault('provider.protocol', 'The model server sent a tool call without a name.');
  const call = { id: uniqueId(textOf(id) || undefined), name: textOf(name), arguments: textOf(input) };
  return Object.keys(extra).length > 0 ? { ...call, extra } : call;
}

/** A thought that was cut off has no signature, and would be refused when it is sent back. */
function isWorthKeeping(block: JsonObject): boolean {
  if (block.type === 'text') return textOf(block.text).trim() !== '';
  if (block.type === 'redacted_thinking' || isOfService(block)) return true;
  return block.type === 'thinking' && block.signature !== '';
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use';
}

/** A tool that ran at the service, and what it gave there: refused when one is sent back without the other. */
function isOfService({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || (typeof type === 'string' && type.endsWith('_tool_result'));
}

function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** By the calls that are there; the server's word counts only for what calls cannot tell. */
function finishOf(reason: string | undefined, hasCalls: boolean): ModelReply['finish'] {
  const cutOff: readonly (StopReason | undefined)[] = ['max_tokens', 'model_context_window_exceeded'];
  if (cutOff.includes(reason as StopReason | undefined)) return 'length';
  return hasCalls ? 'calls' : 'stop';
}

/** `input_tokens` are those that the cache neither gave nor took. */
function usageOf(counts: Counts): Usage | undefined {
  const { input_tokens: input, output_tokens: outputTokens, cache_read_input_tokens: cachedTokens = 0 } = counts;
  if (input === undefined || outputTokens === undefined) return undefined;
  const { cache_creation_input_tokens: written = 0 } = counts;
  const inputTokens = input + cachedTokens + written;
  return { inputTokens, outputTokens, cachedTokens, ...(written > 0 ? { cacheWrittenTokens: written } : {}) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
