/** One GET from a source: a day's cache, its turn, four attempts, bounds on time and size. */
import { keep, recall } from './cache.mjs';
import { turn } from './pace.mjs';

const ATTEMPTS = 4;
const TIMEOUT_MS = Number(process.env.PAPER_SEARCH_TIMEOUT_MS) || 20_000;
/** Longest answer, after decompression. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Longest that a server may send us away. */
const MAX_WAIT_MS = 30_000;
const MAX_REDIRECTS = 3;

/**
 * @param {URL} url
 * @param {{source: string, distanceMs: number, cache: string, read: (body: string) => unknown}} how
 *   `cache`: a folder, '' for none; `read`: throws on an answer that is none, which is then not kept
 * @returns what `read` makes of the answer
 */
export async function get(url, { source, distanceMs, cache, read }) {
  const known = await recall(cache, url.href);
  if (known !== undefined) {
    try {
      return read(known);
    } catch {
      // Kept by another version: ask again.
    }
  }
  for (let attempt = 1; ; attempt++) {
    await turn(source, distanceMs, cache);
    const response = await fetchWithin(url);
    if (response.ok) {
      const { body } = response;
      const value = read(body);
      await keep(cache, url.href, body);
      return value;
    }
    const again = response.status === 429 || response.status >= 500;
    if (!again) throw new Error(`it answered ${response.status}`);
    if (attempt === ATTEMPTS) throw new Error(`it answered ${response.status}, ${ATTEMPTS} times`);
    const waitMs = waitBefore(attempt, response.retryAfter, Date.now());
    if (waitMs > MAX_WAIT_MS)
      throw new Error(`it answered ${response.status} and asks to wait ${Math.ceil(waitMs / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/**
 * @param {number} attempt the one that failed, from 1
 * @param {string | null} retryAfter the header: seconds, or an HTTP date
 */
export function waitBefore(attempt, retryAfter, nowMs) {
  const asked = retryAfter?.trim() ?? '';
  if (/^\d{1,9}$/.test(asked)) return Number(asked) * 1000;
  const date = Date.parse(asked);
  if (!Number.isNaN(date)) return Math.max(0, date - nowMs);
  return 1000 * 2 ** (attempt - 1);
}

/** Redirects stay on the host: an answer from elsewhere is not the source's. */
async function fetchWithin(url) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let at = url;
  try {
    for (let hops = 0; ; hops++) {
      const response = await fetch(at, { signal, redirect: 'manual', headers: headers() });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return await takeIn(response);
      await response.body?.cancel();
      const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
      if (hops === MAX_REDIRECTS || !isSame(next, url)) throw new Error('it sends us to another address');
      at = next;
    }
  } catch (error) {
    if (error.name === 'TimeoutError') throw new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
    if (error.name === 'TypeError') throw new Error(`it cannot be reached (${error.cause?.code ?? 'no connection'})`);
    throw error;
  }
}

/** The same server, and no way back from https. */
function isSame(next, url) {
  return next?.host === url.host && (next.protocol === 'https:' || next.protocol === url.protocol);
}

async function takeIn(response) {
  const { ok, status } = response;
  if (!ok) {
    await response.body?.cancel();
    return { ok, status, retryAfter: response.headers.get('retry-after') };
  }
  const parts = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return { ok, status, body: Buffer.concat(parts).toString('utf8') };
}

/** Several sources answer faster to those who leave an address. */
function headers() {
  const mail = process.env.PAPER_SEARCH_MAILTO;
  const agent = mail && /^[\x21-\x7e]+$/.test(mail) ? `paper-search/1 (mailto:${mail})` : 'paper-search/1';
  return { 'user-agent': agent, accept: 'application/json, application/atom+xml' };
}
