/** One attempt to get a reply over a connection, whatever is spoken on it. */
import type { Provider } from '../core/model.js';
import type { HttpReply } from './http.js';
import { type Watch, watchSilence } from './silence.js';

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

/** In lower case, without its parameters; '' if there is none. */
export function contentType({ headers }: HttpReply): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function hideKey(text: string, key: string | undefined): string {
  return key === undefined || key.length < 8 ? text : text.replaceAll(key, '«redacted»');
}
