/** A model in the program: it answers what a test says, one answer after another, and keeps what it was asked. */
import type { Json } from '../../src/core/json.js';
import type { ChosenModel, ModelReply, ModelRequest, Provider } from '../../src/core/model.js';

export type Turn =
  | Partial<ModelReply>
  | Error
  | ((request: ModelRequest, signal: AbortSignal) => Promise<Partial<ModelReply>>);

export interface Voice extends Provider {
  readonly requests: ModelRequest[];
}

/** Its last turn is given ever after. */
export function voice(turns: readonly Turn[]): Voice {
  const requests: ModelRequest[] = [];
  return {
    name: 'voice',
    requests,
    async complete(request, { signal, onDelta }) {
      const turn = turns[Math.min(requests.push(request), turns.length) - 1];
      if (turn instanceof Error) throw turn;
      const said = typeof turn === 'function' ? await turn(request, signal) : turn;
      signal.throwIfAborted();
      const reply: ModelReply = { text: '', calls: [], finish: said?.calls?.length ? 'calls' : 'stop', ...said };
      if (reply.text !== '') onDelta?.({ type: 'text', text: reply.text });
      return reply;
    },
  };
}

let count = 0;

/** A turn of one call. */
export function calling(...calls: readonly (readonly [name: string, args: Json])[]): Partial<ModelReply> {
  return {
    calls: calls.map(([name, args]) => ({
      id: `call_${++count}`,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
  };
}

export function chosen(provider: Provider, more: Partial<ChosenModel> = {}): ChosenModel {
  return { provider, model: 'm', label: 'voice/m', host: '', parameters: {}, placeholder: false, ...more };
}
