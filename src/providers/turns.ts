/** Written turns of a model: which one it is, and the reply or the fault that it stands for. The format is that of `script.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, Fault, type FaultCode } from '../core/faults.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { ModelReply, ModelRequest, ToolCall, Usage } from '../core/model.js';

export interface Turns {
  /**
   * The reply that is due: as many answers as the conversation holds have been given. Undefined when the turns are used up.
   * @param conversation the same for all requests of one agent
   */
  next(
    turns: readonly JsonObject[],
    asked: { readonly conversation: string; readonly request: ModelRequest; readonly signal: AbortSignal },
  ): Promise<ModelReply | undefined>;
}

/** @param source for messages, e.g. `The model script turns.yaml` */
export function createTurns(source: string): Turns {
  const errorsGiven = new Map<string, number>();
  return {
    async next(turns, { conversation, request, signal }) {
      const given = request.messages.filter((message) => message.role === 'assistant').length;
      const place = `${conversation}/${given}`;
      const errors = errorsBefore(turns, given);
      const due = errors[errorsGiven.get(place) ?? 0];
      const turn = due ?? turns.filter((candidate) => candidate.error === undefined)[given];
      if (!turn) return undefined;
      if (typeof turn.delay_ms === 'number') await pause(turn.delay_ms, signal);
      if (due) {
        errorsGiven.set(place, errors.indexOf(due) + 1);
        throw faultOf(due.error, source);
      }
      return replyOf(turn, request, `${conversation.slice(0, 8)}_${given + 1}`, source);
    },
  };
}

/** The errors that stand directly before the answer with this number. */
function errorsBefore(turns: readonly JsonObject[], answer: number): readonly JsonObject[] {
  let passed = 0;
  return turns.filter((turn) => {
    if (turn.error === undefined) passed++;
    return turn.error !== undefined && passed === answer;
  });
}

function replyOf(turn: JsonObject, request: ModelRequest, stem: string, source: string): ModelReply {
  const { resolve } = turn;
  const formed = request.format && resolve !== undefined ? JSON.stringify(resolve) : undefined;
  const resolved = resolve === undefined || formed ? [] : [{ name: 'resolve', arguments: resolve }];
  const written = resolve === undefined ? turn.calls : resolved;
  const calls = (Array.isArray(written) ? written : []).map((call: Json, i) =>
    callOf(call, `script_${stem}_${i + 1}`, source),
  );
  const usage = usageOf(turn.usage);
  return {
    text: formed ?? (typeof turn.text === 'string' ? turn.text : ''),
    calls,
    finish: isFinish(turn.finish) ? turn.finish : calls.length > 0 ? 'calls' : 'stop',
    ...(typeof turn.reasoning === 'string' ? { reasoning: turn.reasoning } : {}),
    ...(usage ? { usage } : {}),
  };
}

function callOf(call: Json, id: string, source: string): ToolCall {
  if (!isObject(call) || typeof call.name !== 'string') throw invalid(source, 'has a call without a "name"');
  const given = call.arguments ?? {};
  return {
    id: typeof call.id === 'string' ? call.id : id,
    name: call.name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
}

function usageOf(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const count = (key: string): number => (typeof usage[key] === 'number' ? usage[key] : 0);
  const written = count('cache_written');
  return {
    inputTokens: count('input'),
    outputTokens: count('output'),
    cachedTokens: count('cached'),
    ...(written > 0 ? { cacheWrittenTokens: written } : {}),
  };
}

function faultOf(error: Json | undefined, source: string): Fault {
  const { code, message, retry_after_ms: retryAfterMs } = isObject(error) ? error : ({} as JsonObject);
  if (typeof code !== 'string' || !(code in FAULTS))
    throw invalid(source, `has an error with the unknown code ${JSON.stringify(code)}`);
  const text = typeof message === 'string' ? message : `${source} says so.`;
  return new Fault(code as FaultCode, text, typeof retryAfterMs === 'number' ? { retryAfterMs } : {});
}

function isFinish(value: Json | undefined): value is ModelReply['finish'] {
  return value === 'stop' || value === 'calls' || value === 'length' || value === 'refusal';
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function invalid(source: string, what: string): Fault {
  return new Fault('config.invalid', `${source} ${what}.`);
}
