/** A model server with one bad habit, asked by the provider alone, or by a whole run. */
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/context.js';
import { Fault, type FaultData } from '../../src/core/faults.js';
import type { Delta, ModelReply, ModelRequest } from '../../src/core/model.js';
import { openAiProvider } from '../../src/providers/openai.js';
import type { RunRequest } from '../../src/request.js';
import { type Answer, chunk, DONE, type MockReply, type MockRequest, mockServer } from '../support/mock-server.js';
import { project, type Ran, type TestProject } from '../support/project.js';

export interface Serving {
  readonly requests: readonly MockRequest[];
  readonly connections: () => { readonly total: number; readonly open: number };
  readonly url: string;
  readonly deltas: readonly Delta[];
  /** Waits that a run has asked for, in ms; none of them is waited for. */
  readonly waits: readonly number[];
  /** One attempt, with its fault as a value. */
  ask(request?: Partial<ModelRequest>, idleTimeoutMs?: number): Promise<ModelReply | FaultData>;
  run(it: TestProject, request?: Partial<RunRequest>): Promise<Ran>;
}

export async function serving(script: readonly MockReply[] | Answer): Promise<Serving> {
  const server = await mockServer(script);
  onTestFinished(() => server.close());
  const provider = openAiProvider({ name: 'openai', baseUrl: server.url });
  const deltas: Delta[] = [];
  const waits: number[] = [];
  return {
    requests: server.requests,
    connections: server.connections,
    url: server.url,
    deltas,
    waits,
    ask(request = {}, idleTimeoutMs = 10_000) {
      const whole = { ...ASKED, ...request };
      const options = {
        signal: new AbortController().signal,
        idleTimeoutMs,
        onDelta: (delta: Delta) => void deltas.push(delta),
      };
      return provider.complete(whole, options).catch((error: unknown) => {
        if (error instanceof Fault) return error.data;
        throw error;
      });
    },
    run: (it, request = {}) =>
      it.run({
        model: undefined as never,
        env: {
          PATH: process.env.PATH,
          HOME: it.dir,
          OPENAI_BASE_URL: server.url,
          OPENAI_API_KEY: 'k',
          OPENAI_MODEL: 'm',
        },
        clock: hurried(waits),
        ...request,
      }),
  };
}

const ASKED: ModelRequest = {
  model: 'm',
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Hi' }],
  tools: [],
  toolChoice: 'auto',
  parameters: {},
};

/** Longer than any wait between attempts: a time limit, which must stay one. */
const LIMIT_MS = 5 * 60_000;

/** Shorter sleeps are of the transcript, for which nobody waits. */
const RETRIES_FROM_MS = 100;

/** Notes the waits of retries, and lets them pass at once. */
function hurried(waits: number[]): Clock {
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      if (ms >= LIMIT_MS)
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      if (ms >= RETRIES_FROM_MS) waits.push(ms);
      signal?.throwIfAborted();
    },
  };
}

/** One agent `a` that answers with a title; `keys` are added to its config, `lines` to its step. */
export function oneAgent(keys = '', lines = '', files: Readonly<Record<string, string>> = {}): TestProject {
  return project({
    ...files,
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    agent: { prompt: 'A title for \${{ query }}', model: openai/m${keys} }
    output: { type: object, properties: { title: { type: string } }, required: [title], additionalProperties: false }
${lines}result: '\${{ steps.a.output }}'
`,
  });
}

/** A stream of these deltas, ended as servers do. */
export function streamed(deltas: readonly object[], finish = 'stop'): MockReply {
  return { frames: [...deltas.map((delta) => chunk(delta)), chunk({}, finish), DONE] };
}

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export function messagesOf(request: MockRequest | undefined): readonly WireMessage[] {
  return (JSON.parse(request?.body ?? '{"messages":[]}') as { messages: WireMessage[] }).messages;
}

/** As strict servers check it: behind each turn with calls, one result for each of its ids, each id used once. */
export function pairing(request: MockRequest | undefined): 'paired' | string {
  const messages = messagesOf(request);
  const seen = new Set<string>();
  for (const [at, { tool_calls: calls = [] }] of messages.entries()) {
    const results = messages.slice(at + 1, at + 1 + calls.length).map((message) => message.tool_call_id);
    for (const [n, { id }] of calls.entries()) {
      if (seen.has(id)) return `the id ${id} is used twice`;
      seen.add(id);
      if (results[n] !== id) return `no result for ${id}`;
    }
  }
  const answered = messages.filter(({ role }) => role === 'tool').length;
  return answered === seen.size ? 'paired' : 'results without a call';
}
