/** The Chat Completions wire, for OpenAI's own service as well as for every server that speaks it. */
import type { OpenAI } from 'openai/client';
import { Fault } from '../core/faults.js';
import { isObject, sha256 } from '../core/json.js';
import type { Message, ModelReply, ModelRequest, Provider } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { type Assembler, type AssemblerOptions, createAssembler } from './assemble.js';
import { accepted, answered, attempt, BODY_LIMIT_BYTES, contentType, hideKey, sendWatched } from './attempt.js';
import { idsBeside } from './call-ids.js';
import { draftedCall } from './drafted-calls.js';
import { type HttpReply, type HttpRequest, readText } from './http.js';
import { CHAT_ODDITIES, createQuirkMemory, ollamaWarning } from './quirks.js';
import { createRequestWriter } from './request-body.js';
import type { Watch } from './silence.js';
import { readSse } from './sse.js';
import { firstLine, parseJson, statusFault, streamFault, upstreamError } from './wire-faults.js';

export interface OpenAiOptions {
  /** For people, e.g. `openai` or `ollama`. */
  readonly name: string;
  /** Ends in `/v1`, usually. */
  readonly baseUrl: string;
  /** Undefined: no Authorization header. */
  readonly apiKey?: string;
  /** Of a conversation it reads only the last so many tokens, and does not say so. */
  readonly readsLastTokens?: number;
  readonly organization?: string;
  readonly project?: string;
}

interface Call extends AssemblerOptions {
  readonly request: ModelRequest;
  readonly watch: Watch;
  readonly onAnswer: (() => void) | undefined;
  /** Told what was asked that this server cannot do, once each. */
  readonly onNotice: (text: string) => void;
  readonly usageWaitMs: number;
  /** Told when that time has passed, and nothing has come. */
  readonly onNoEnd: () => void;
}

type CallOptions = Parameters<Provider['complete']>[1];

/** After finish_reason, for the chunk with the usage, of a server that neither says [DONE] nor hangs up. */
const USAGE_WAIT_MS = 1_000;
/** The same, once it was waited for in vain. */
const SHORT_WAIT_MS = 50;

export function openAiProvider(options: OpenAiOptions): Provider {
  const { name, baseUrl, apiKey, readsLastTokens } = options;
  const { host } = new URL(baseUrl);
  const writer = createRequestWriter();
  const quirks = createQuirkMemory(CHAT_ODDITIES);
  const warned = new Set<string>();
  let target: Promise<Pick<HttpRequest, 'url' | 'headers'>> | undefined;

  async function post(body: readonly Uint8Array[], watch: Watch): Promise<HttpReply> {
    target ??= targetOf(options);
    return sendWatched({ method: 'POST', ...(await target), body }, watch);
  }

  async function exchange(call: Call): Promise<ModelReply> {
    const { request, watch, onAnswer, onNotice } = call;
    let characters = 0;
    const reply = await accepted(request, quirks, {
      post: (sent) => {
        const text = writer.write(request, sent);
        characters = text.characters;
        return post(text.pieces, watch);
      },
      refusal: (refused, body) => refusal(refused, hideKey(body, apiKey)),
      onNotice,
    });
    onAnswer?.();
    const answer = await answered(read(reply, call));
    const { model } = request;
    const warning = ollamaWarning(readsLastTokens, model, characters, answer.usage?.inputTokens);
    if (warning !== undefined && !warned.has(model)) onNotice(warning);
    if (warning !== undefined) warned.add(model);
    return answer;
  }

  return {
    name,
    async complete(request, { step = '', onDelta, onAnswer, onNotice = () => undefined, ...bounds }: CallOptions) {
      const asked = {
        request,
        label: host,
        uniqueId: uniqueIds(request, step),
        onDelta,
        onAnswer,
        onNotice,
        usageWaitMs: quirks.of(request.model).has('no_end') ? SHORT_WAIT_MS : USAGE_WAIT_MS,
        onNoEnd: () => void quirks.remember(request.model, 'no_end'),
      };
      try {
        return await attempt(bounds, host, (watch) => exchange({ ...asked, watch }));
      } catch (error) {
        throw withoutKey(error, apiKey);
      }
    },
  };
}

async function targetOf(options: OpenAiOptions): Promise<Pick<HttpRequest, 'url' | 'headers'>> {
  const client = await openClient(options);
  return { url: client.buildURL('/chat/completions', undefined), headers: headersOf(client, options) };
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

async function read(reply: HttpReply, call: Call): Promise<ModelReply> {
  const assembler = createAssembler(call);
  const type = contentType(reply);
  if (type === '' || type === 'text/event-stream') await readStream(reply, assembler, call);
  else await readDocument(reply, assembler, type, call.label);
  const answer = assembler.finish();
  const drafted = await draftedCall(answer, call.request.tools, call.uniqueId);
  return drafted ? { ...answer, calls: [drafted], finish: 'calls' } : answer;
}

async function readStream(
  reply: HttpReply,
  assembler: Assembler,
  { watch, usageWaitMs, onNoEnd }: Call,
): Promise<void> {
  try {
    await readSse(reply.read, (event) => {
      assembler.push(event);
      if (assembler.state() === 'finished') watch.hurry(usageWaitMs);
      return assembler.state() === 'closed' ? 'enough' : 'more';
    });
  } catch (error) {
    // A whole answer is there; what came after it (silence, a reset) takes nothing away.
    if (assembler.state() === 'open' || isSaidByServer(error)) throw error;
    if (error instanceof Fault && error.data.code === 'provider.silent') onNoEnd();
    watch.abort();
  }
  reply.close();
}

/** A server that cannot stream answers with one JSON document; anything else of another type is not an answer. */
async function readDocument(reply: HttpReply, assembler: Assembler, type: string, label: string): Promise<void> {
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
}

function isSaidByServer(error: unknown): boolean {
  return error instanceof Fault && error.data.code !== 'provider.unreachable' && error.data.code !== 'provider.silent';
}

/** Each step counts its calls from 1: what tells those of two steps apart must not depend on which of them was first. */
function uniqueIds({ messages }: ModelRequest, step: StepPath): (proposed: string | undefined) => string {
  const stem = () => (step === '' ? 'call' : `call_${sha256(step).slice(0, 8)}`);
  let unique: ReturnType<typeof idsBeside> | undefined;
  let count: number | undefined;
  return (proposed) => {
    unique ??= idsBeside(messages);
    if (proposed !== undefined) return unique(proposed);
    count = (count ?? callsIn(messages)) + 1;
    return unique(`${stem()}_${count}`);
  };
}

function callsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0), 0);
}

/** Some servers repeat the key that they did not like. */
function withoutKey(error: unknown, key: string | undefined): unknown {
  if (!(error instanceof Fault)) return error;
  const message = hideKey(error.message, key);
  return message === error.message ? error : Fault.from({ ...error.data, message });
}
