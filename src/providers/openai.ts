/** The Chat Completions wire, for OpenAI's own service as well as for every server that speaks it. */
import type { OpenAI } from 'openai/client';
import { Fault } from '../core/faults.js';
import { isObject } from '../core/json.js';
import type { ModelReply, ModelRequest, Provider } from '../core/model.js';
import { type Assembler, createAssembler } from './assemble.js';
import { type HttpReply, readText, send } from './http.js';
import { createRequestWriter, type Quirk } from './request-body.js';
import { type Watch, watchSilence } from './silence.js';
import { readSse } from './sse.js';
import { firstLine, parseJson, statusFault, streamFault, upstreamError } from './wire-faults.js';

export interface OpenAiOptions {
  /** For people, e.g. `openai` or `ollama`. */
  readonly name: string;
  /** Ends in `/v1`, usually. */
  readonly baseUrl: string;
  /** Undefined: no Authorization header. */
  readonly apiKey?: string;
  readonly organization?: string;
  readonly project?: string;
}

type Complete = Provider['complete'];
type CallOptions = Parameters<Complete>[1];

/** Of a body that is an error or not a stream. */
const BODY_LIMIT_BYTES = 1024 * 1024;
/** After finish_reason, for the chunk with the usage, of a server that neither says [DONE] nor hangs up. */
const USAGE_WAIT_MS = 1_000;

/** What a refusal with status 400 must name for another try, with the quirk on, to make sense. */
const QUIRKS: readonly {
  readonly quirk: Quirk;
  readonly named: RegExp;
  readonly applies: (request: ModelRequest) => boolean;
}[] = [
  { quirk: 'auto_choice_only', named: /tool_?choice/i, applies: (request) => request.toolChoice === 'required' },
  { quirk: 'no_stream_options', named: /stream_options|include_usage/i, applies: () => true },
  {
    quirk: 'max_completion_tokens',
    named: /max_completion_tokens/i,
    applies: ({ parameters }) => 'max_tokens' in parameters,
  },
  { quirk: 'echo_reasoning', named: /reasoning_content/i, applies: ({ messages }) => messages.some(hasCalls) },
  {
    quirk: 'no_parallel_key',
    named: /parallel_tool_calls/i,
    applies: ({ parameters }) => 'parallel_tool_calls' in parameters,
  },
];

export function openAiProvider(options: OpenAiOptions): Provider {
  const writer = createRequestWriter();
  const quirksByModel = new Map<string, Set<Quirk>>();
  let client: Promise<OpenAI> | undefined;

  async function post(request: ModelRequest, quirks: ReadonlySet<Quirk>, watch: Watch): Promise<HttpReply> {
    client ??= openClient(options);
    const openai = await client;
    const reply = await send({
      method: 'POST',
      url: openai.buildURL('/chat/completions', undefined),
      headers: headersOf(openai, options),
      body: writer.write(request, quirks),
      signal: watch.signal,
    });
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
      const next = reply.status === 400 || reply.status === 422 ? quirkFor(body, request, sent) : undefined;
      if (!next) throw await refusal(reply, hideKey(body, options.apiKey));
      quirks.add(next);
    }
  }

  return {
    name: options.name,
    async complete(request, callOptions) {
      const host = new URL(options.baseUrl).host;
      const watch = watchSilence(callOptions.signal, callOptions.idleTimeoutMs, host);
      try {
        const reply = await open(request, watch);
        return await read(reply, request, callOptions, watch, host);
      } catch (error) {
        watch.abort();
        // The caller's abort outranks whatever it led to.
        callOptions.signal.throwIfAborted();
        throw error;
      } finally {
        watch.stop();
      }
    },
  };
}

/** Only the client's core is touched, and never its `Headers` or `fetch`, which would load Node's second HTTP stack. */
async function openClient({ apiKey, baseUrl, organization, project }: OpenAiOptions): Promise<OpenAI> {
  const { OpenAI } = await import('openai/client');
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    webhookSecret: null,
    organization: organization ?? null,
    project: project ?? null,
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch: () => Promise.reject(new Error('Requests go over node:http.')),
  });
}

function headersOf(client: OpenAI, options: OpenAiOptions): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'user-agent': 'pipeline',
  };
  if (options.apiKey !== undefined) headers.authorization = `Bearer ${client.apiKey}`;
  if (client.organization) headers['openai-organization'] = client.organization;
  if (client.project) headers['openai-project'] = client.project;
  return headers;
}

async function refusal(reply: HttpReply, body: string): Promise<Fault> {
  const { APIError } = await import('openai/core/error');
  const parsed = parseJson(body);
  const value = Array.isArray(parsed) ? parsed.find(isObject) : parsed;
  // Only looked at, never sent: any object that can be asked for a header will do.
  const headers = { get: () => null } as unknown as Headers;
  const { code, type } = APIError.generate(reply.status, isObject(value) ? value : undefined, body, headers);
  const words = [code, type].filter((word) => typeof word === 'string');
  return statusFault(reply.status, body, reply.headers, words);
}

function quirkFor(body: string, request: ModelRequest, known: ReadonlySet<Quirk>): Quirk | undefined {
  return QUIRKS.find(({ quirk, named, applies }) => !known.has(quirk) && named.test(body) && applies(request))?.quirk;
}

async function read(
  reply: HttpReply,
  request: ModelRequest,
  { onDelta }: CallOptions,
  watch: Watch,
  label: string,
): Promise<ModelReply> {
  const assembler = createAssembler({ label, uniqueId: idsBeside(request), onDelta });
  const type = reply.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'text/event-stream') return readWhole(reply, assembler, type, label);
  try {
    for await (const event of readSse(reply.body)) {
      assembler.push(event);
      const state = assembler.state();
      if (state === 'closed') break;
      if (state === 'finished') watch.hurry(USAGE_WAIT_MS);
    }
  } catch (error) {
    // A whole answer is there; what came after it (silence, a reset) takes nothing away.
    if (assembler.state() === 'open' || isSaidByServer(error)) throw error;
    watch.abort();
  }
  reply.close();
  return assembler.finish();
}

/** A server that cannot stream answers with one JSON document; anything else of another type is not an answer. */
async function readWhole(reply: HttpReply, assembler: Assembler, type: string, label: string): Promise<ModelReply> {
  const body = await readText(reply, BODY_LIMIT_BYTES * 8);
  const value = type === 'application/json' ? parseJson(body) : undefined;
  const error = upstreamError(value);
  if (error) throw streamFault(error, label);
  if (!isObject(value) || !Array.isArray(value.choices)) {
    throw new Fault('provider.protocol', `${label} answered with ${type}, not with a stream: ${firstLine(body)}`, {
      hint: 'Check the base URL: it usually ends in /v1.',
    });
  }
  assembler.pushChunk(value);
  return assembler.finish();
}

function isSaidByServer(error: unknown): boolean {
  return error instanceof Fault && error.data.code !== 'provider.unreachable' && error.data.code !== 'provider.silent';
}

/** Servers repeat ids within a turn, across turns, or send none; results are paired by id, so ours differ. */
function idsBeside({ messages }: ModelRequest): (proposed: string | undefined) => string {
  const used = new Set<string>();
  for (const message of messages) if (message.role === 'assistant') for (const call of message.calls) used.add(call.id);
  return (proposed) => {
    const stem = proposed ?? `call_${used.size + 1}`;
    let id = stem;
    for (let n = 2; used.has(id); n++) id = `${stem}_${n}`;
    used.add(id);
    return id;
  };
}

function hasCalls(message: ModelRequest['messages'][number]): boolean {
  return message.role === 'assistant' && message.calls.length > 0;
}

function hideKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 8 ? text : text.replaceAll(key, '«redacted»');
}
