/** Anthropic's Messages API. */
import { Fault } from '../core/faults.js';
import { isObject } from '../core/json.js';
import type { ModelReply, ModelRequest, Provider } from '../core/model.js';
import { createMessagesWriter, type Quirk } from './anthropic-body.js';
import { createMessageAssembler, isExhausted, type MessageAssembler } from './anthropic-stream.js';
import { attempt, BODY_LIMIT_BYTES, contentType, hideKey } from './attempt.js';
import { idsBeside } from './call-ids.js';
import { type HttpReply, readText, send } from './http.js';
import type { Watch } from './silence.js';
import { readSse } from './sse.js';
import { firstLine, parseJson, statusFault, streamFault, upstreamError } from './wire-faults.js';

export interface AnthropicOptions {
  /** With or without the `/v1` at its end. */
  readonly baseUrl: string;
  /** Undefined: no key is sent. */
  readonly apiKey?: string;
}

/** After the reason to stop, for a server that neither says message_stop nor hangs up. */
const STOP_WAIT_MS = 1_000;
const API_VERSION = '2026-10-21';
/** The last one that takes the parameters in `SAMPLING`. */
const SAMPLING_API_VERSION = '2023-06-01';
const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** What a refusal with status 400 must name for another try, with the quirk on, to make sense. */
const QUIRKS: readonly {
  readonly quirk: Quirk;
  readonly named: RegExp;
  readonly applies: (request: ModelRequest) => boolean;
}[] = [
  { quirk: 'auto_choice_only', named: /tool_choice/i, applies: ({ toolChoice }) => toolChoice === 'required' },
  {
    quirk: 'thinking_by_budget',
    named: /adaptive|effort|output_config/i,
    applies: ({ parameters }) => 'reasoning_effort' in parameters,
  },
];

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check the key: ANTHROPIC_API_KEY goes only to the host of ANTHROPIC_BASE_URL (api.anthropic.com if that is not set).',
  404: 'Check the model id and the base URL.',
};

export function anthropicProvider({ baseUrl, apiKey }: AnthropicOptions): Provider {
  const writer = createMessagesWriter();
  const quirksByModel = new Map<string, Set<Quirk>>();
  const url = `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`;
  const { host } = new URL(url);

  async function post(request: ModelRequest, quirks: ReadonlySet<Quirk>, watch: Watch): Promise<HttpReply> {
    const isSampled = SAMPLING.some((name) => name in request.parameters);
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'user-agent': 'pipeline',
      'anthropic-version': isSampled ? SAMPLING_API_VERSION : API_VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    const body = writer.write(request, quirks);
    const reply = await send({ method: 'POST', url, headers, body, signal: watch.signal });
    return { ...reply, body: watch.bytes(reply.body) };
  }

  /** Refusals that another way of asking can avoid are answered by asking that way; nothing else is tried again. */
  async function open(request: ModelRequest, watch: Watch): Promise<HttpReply> {
    const quirks = quirksByModel.get(request.model) ?? new Set();
    quirksByModel.set(request.model, quirks);
    for (;;) {
      const sent = new Set(quirks);
      const reply = await post(request, sent, watch);
      if (reply.status < 400) return reply;
      const body = await readText(reply, BODY_LIMIT_BYTES);
      const another = QUIRKS.find(
        ({ quirk, named, applies }) => !sent.has(quirk) && named.test(body) && applies(request),
      );
      if (reply.status !== 400 || !another) throw await refusal(reply, hideKey(body, apiKey));
      quirks.add(another.quirk);
    }
  }

  return {
    name: 'anthropic',
    complete: (request, options) =>
      attempt(options, host, async (watch) => {
        const reply = await open(request, watch);
        await refuseOtherTypes(reply, host);
        const uniqueId = idsBeside(request.messages);
        const assembler = createMessageAssembler({ label: host, uniqueId, onDelta: options.onDelta });
        return read(reply, assembler, watch);
      }),
  };
}

async function read(reply: HttpReply, assembler: MessageAssembler, watch: Watch): Promise<ModelReply> {
  try {
    for await (const event of readSse(reply.body)) {
      assembler.push(event);
      if (assembler.state() === 'closed') break;
      if (assembler.state() === 'finished') watch.hurry(STOP_WAIT_MS);
    }
  } catch (error) {
    // All was said but the last word, which this server does not say.
    const isSilence = error instanceof Fault && error.data.code === 'provider.silent';
    if (!isSilence || assembler.state() !== 'finished') throw error;
    watch.abort();
  }
  reply.close();
  return assembler.finish();
}

async function refuseOtherTypes(reply: HttpReply, label: string): Promise<void> {
  const type = contentType(reply);
  if (type === '' || type === 'text/event-stream') return;
  const body = await readText(reply, BODY_LIMIT_BYTES);
  const error = upstreamError(parseJson(body));
  if (error) throw streamFault(error, label);
  throw new Fault('provider.protocol', `${label} answered with ${type}, not with a stream: ${firstLine(body)}`, {
    hint: 'Check the base URL: it must be that of a server that speaks the Messages API.',
  });
}

async function refusal(reply: HttpReply, body: string): Promise<Fault> {
  const { APIError } = await import('@anthropic-ai/sdk/core/error');
  const parsed = parseJson(body);
  // Only looked at, never sent: any object that can be asked for a header will do.
  const headers = { get: () => null } as unknown as Headers;
  const { type, errorCode } = APIError.generate(reply.status, isObject(parsed) ? parsed : undefined, body, headers);
  const words = [type, errorCode].filter((word) => word !== null);
  if (isExhausted([...words, body].join(' '))) {
    return new Fault('provider.exhausted', `HTTP ${reply.status}: ${firstLine(body)}`);
  }
  const { code, message, ...more } = statusFault(reply.status, body, reply.headers, words).data;
  const hint = HINTS[reply.status];
  return new Fault(code, message, { ...more, ...(hint ? { hint } : {}) });
}
