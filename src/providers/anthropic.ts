/** Anthropic's Messages API. */
import { Fault } from '../core/faults.js';
import { isObject } from '../core/json.js';
import type { ModelRequest, Provider } from '../core/model.js';
import { createMessagesWriter, formatToWire, type Quirk } from './anthropic-body.js';
import { type Part, wholeTurn } from './anthropic-pause.js';
import { createMessageAssembler, isExhausted, type MessageAssembler } from './anthropic-stream.js';
import { accepted, answered, attempt, BODY_LIMIT_BYTES, contentType, hideKey, sendWatched } from './attempt.js';
import { idsBeside } from './call-ids.js';
import { type HttpReply, readText } from './http.js';
import { createQuirkMemory, type Oddity } from './quirks.js';
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

const ODDITIES: readonly Oddity<Quirk>[] = [
  {
    quirk: 'auto_choice_only',
    named: /tool_choice/i,
    statuses: [400],
    applies: ({ toolChoice, tools }) => toolChoice === 'required' && tools.length > 0,
    gives: 'is no longer made to call a tool (tool_choice), only asked to',
  },
  {
    quirk: 'no_format',
    named: /output_config(?!\.effort)|output_format|json_?schema|structured.outputs?|grammar|schema is too complex/i,
    statuses: [400],
    applies: ({ format }) => format !== undefined,
    gives: 'is no longer held to the form of its answer (output_config.format); the answer is checked here, as ever',
  },
  {
    quirk: 'thinking_by_budget',
    named: /adaptive|effort|output_config/i,
    statuses: [400],
    applies: ({ parameters }) => 'reasoning_effort' in parameters,
  },
];

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check the key: ANTHROPIC_API_KEY goes only to the host of ANTHROPIC_BASE_URL (api.anthropic.com if that is not set).',
  404: 'Check the model id and the base URL.',
};

export function anthropicProvider({ baseUrl, apiKey }: AnthropicOptions): Provider {
  const writer = createMessagesWriter();
  const quirks = createQuirkMemory(ODDITIES);
  const url = `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`;
  const { host } = new URL(url);

  async function post(request: ModelRequest, body: string, watch: Watch): Promise<HttpReply> {
    const isSampled = SAMPLING.some((name) => name in request.parameters);
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'user-agent': 'pipeline',
      'anthropic-version': isSampled ? SAMPLING_API_VERSION : API_VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    return sendWatched({ method: 'POST', url, headers, body }, watch);
  }

  return {
    name: 'anthropic',
    complete: (request, options) =>
      attempt(options, host, async (watch) => {
        const format = await formatToWire(request.format);
        const uniqueId = idsBeside(request.messages);
        return wholeTurn(request, host, async (asked) => {
          const reply = await accepted(asked, quirks, {
            post: (sent) => post(asked, writer.write(asked, sent, format), watch),
            refusal: (refused, body) => refusal(refused, hideKey(body, apiKey)),
            onNotice: options.onNotice ?? (() => undefined),
          });
          const assembler = createMessageAssembler({ label: host, uniqueId, onDelta: options.onDelta });
          options.onAnswer?.();
          return answered(read(reply, assembler, watch, host));
        });
      }),
  };
}

async function read(reply: HttpReply, assembler: MessageAssembler, watch: Watch, label: string): Promise<Part> {
  await refuseOtherTypes(reply, label);
  try {
    await readSse(reply.read, (event) => {
      assembler.push(event);
      if (assembler.state() === 'finished') watch.hurry(STOP_WAIT_MS);
      return assembler.state() === 'closed' ? 'enough' : 'more';
    });
  } catch (error) {
    // All was said but the last word, which this server does not say.
    const isSilence = error instanceof Fault && error.data.code === 'provider.silent';
    if (!isSilence || assembler.state() !== 'finished') throw error;
    watch.abort();
  }
  reply.close();
  const whole = assembler.finish();
  const paused = assembler.paused();
  return paused ? { reply: whole, paused } : { reply: whole };
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
