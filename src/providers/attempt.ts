/** One attempt to get a reply over a connection, whatever is spoken on it. */
import { Fault } from '../core/faults.js';
import type { ModelRequest, Provider } from '../core/model.js';
import { type HttpReply, type HttpRequest, readText, send } from './http.js';
import type { QuirkMemory } from './quirks.js';
import { type Watch, watchSilence } from './silence.js';
import { imagesRefused } from './wire-faults.js';

/** Of a whole answer, with all that a stream says around it: no text of that size is an answer. */
const REPLY_LIMIT_BYTES = 128 * 1024 * 1024;
/** Of a body that is an error or not a stream. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

/** Watched for silence, closed when it fails; the caller's abort outranks whatever it led to. */
export async function attempt<T>(
  { signal, idleTimeoutMs }: Pick<Parameters<Provider['complete']>[1], 'signal' | 'idleTimeoutMs'>,
  host: string,
  exchange: (watch: Watch) => Promise<T>,
): Promise<T> {
  const watch = watchSilence(signal, idleTimeoutMs, host);
  try {
    return await exchange(watch);
  } catch (error) {
    watch.abort();
    signal.throwIfAborted();
    throw error;
  } finally {
    watch.stop();
  }
}

/** The request, under the watch's signal; each piece of its answer is heard by the watch. */
export async function sendWatched(request: Omit<HttpRequest, 'signal'>, watch: Watch): Promise<HttpReply> {
  const reply = await send({ ...request, signal: watch.signal });
  let bytes = 0;
  return {
    ...reply,
    read: (take) =>
      reply.read((piece) => {
        watch.heard();
        bytes += piece.length;
        if (bytes > REPLY_LIMIT_BYTES) throw tooLong();
        return take(piece);
      }),
  };
}

function tooLong(): Fault {
  // Asked again it would be as long, and cost as much.
  return new Fault('provider.refused', `the answer is longer than ${REPLY_LIMIT_BYTES / 1024 / 1024} MB`, {
    hint: 'Set max_tokens of the step, or use another model.',
  });
}

/** Refusals that another way of asking can avoid are answered by asking that way; nothing else is tried again. */
export async function accepted<Q extends string>(
  request: ModelRequest,
  quirks: QuirkMemory<Q>,
  wire: {
    readonly post: (sent: ReadonlySet<Q>) => Promise<HttpReply>;
    readonly refusal: (reply: HttpReply, body: string) => Promise<Fault>;
    /** Told what is asked that this server cannot do, once each. */
    readonly onNotice: (text: string) => void;
  },
): Promise<HttpReply> {
  const sent = new Set(quirks.of(request.model));
  const tried: Q[] = [];
  for (;;) {
    const reply = await wire.post(sent);
    if (reply.status < 400) {
      for (const quirk of tried) {
        const lost = quirks.remember(request.model, quirk);
        if (lost !== undefined) wire.onNotice(lost);
      }
      return reply;
    }
    const body = await readText(reply, BODY_LIMIT_BYTES);
    const quirk = quirks.find(request, sent, { status: reply.status, body });
    if (quirk === undefined) throw imagesRefused(await wire.refusal(reply, body), request, body);
    sent.add(quirk);
    tried.push(quirk);
  }
}

/** What fails behind a status of success: the service has begun to answer. */
export async function answered<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof Fault) || !error.data.code.startsWith('provider.')) throw error;
    const { code, message, ...more } = error.data;
    throw new Fault(code, message, { ...more, answered: true }, { cause: error.cause });
  }
}

/** In lower case, without its parameters; '' if there is none. */
export function contentType({ headers }: HttpReply): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function hideKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 8 ? text : text.replaceAll(key, '«redacted»');
}
