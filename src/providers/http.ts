/** One HTTP request over pooled keep-alive sockets, answered with a stream of bytes. */
import http from 'node:http';
import { finished } from 'node:stream';
import { Fault } from '../core/faults.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are sent as they are, one behind the other. */
  readonly body?: string | readonly Uint8Array[];
  /** Closes the socket at once; the promise or the body then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Once. Having enough keeps the socket; say `close()` when done. */
  readonly read: ReadBytes;
  /** Gives the socket back if the server ends the body soon, else closes it. Never waits. */
  close(): void;
}

/** Gives each piece to `take` as it comes, until that has enough or there are no more. */
export type ReadBytes = (take: (piece: Uint8Array) => 'more' | 'enough') => Promise<void>;

/** Time a server gets to end a body whose content is complete, before its socket is closed. */
const TAIL_MS = 250;

const KEY_HEADERS = new Set(['authorization', 'x-api-key', 'api-key']);

interface Transport {
  readonly request: typeof http.request;
  readonly agent: http.Agent;
}

// `node:http` and not `fetch`: the first touch of fetch loads a second HTTP stack, which costs more than half of Node's own start.
const transports: Record<string, Promise<Transport>> = {};

function transportOf(url: URL): Promise<Transport> {
  transports[url.protocol] ??= openTransport(url.protocol);
  return transports[url.protocol] as Promise<Transport>;
}

async function openTransport(protocol: string): Promise<Transport> {
  const options = { keepAlive: true, noDelay: true };
  if (protocol === 'http:') return { request: http.request, agent: new http.Agent(options) };
  if (protocol !== 'https:') {
    throw new Fault('provider.refused', `"${protocol}//" is not a protocol a model server can be reached by.`, {
      hint: 'Write a base_url that begins with https:// or http://.',
    });
  }
  // TLS is loaded only by those who need it.
  const { default: https } = await import('node:https');
  return { request: https.request, agent: new https.Agent(options) };
}

/** Sends it. Redirects are errors: a key must not travel to a host that nobody configured. Throws `provider.*` faults. */
export async function send(request: HttpRequest): Promise<HttpReply> {
  const url = new URL(request.url);
  refuseBareKey(url, request.headers);
  const response = await connect(url, request);
  const { statusCode: status = 0, headers } = response;
  const reply = { status, headers, read: readerOf(response, url, request.signal), close: () => release(response) };
  if (status >= 300 && status < 400) {
    reply.close();
    throw redirected(url, status, headers.location);
  }
  return reply;
}

/** At most `limit` bytes of a body, as text. */
export async function readText(reply: HttpReply, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await reply.read((piece) => {
    pieces.push(piece);
    bytes += piece.length;
    return bytes >= limit ? 'enough' : 'more';
  });
  reply.close();
  return Buffer.concat(pieces).subarray(0, limit).toString('utf8');
}

/** Whether only this machine can hear what is sent there. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

async function connect(url: URL, request: HttpRequest): Promise<http.IncomingMessage> {
  const transport = await transportOf(url);
  try {
    return await exchange(url, request, transport);
  } catch (error) {
    // The server closed a pooled socket while we reached for it: nothing was answered, so a fresh socket gets the same request.
    if (error instanceof StaleSocket) return exchange(url, request, transport, false);
    throw error;
  }
}

class StaleSocket extends Error {}

async function exchange(
  url: URL,
  request: HttpRequest,
  transport: Transport,
  pooled = true,
): Promise<http.IncomingMessage> {
  const { signal, body, method } = request;
  signal.throwIfAborted();
  const pieces = typeof body === 'string' ? [Buffer.from(body)] : (body ?? []);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const headers = body === undefined ? request.headers : { ...request.headers, 'content-length': bytes };
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: pooled ? transport.agent : false } as const;
    const outgoing = transport.request(url, options);
    const abort = (): void => void outgoing.destroy();
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', abort));
    outgoing.once('response', (response) => {
      // A reader hears of it; when nobody reads any more, it must not become an uncaught exception.
      response.on('error', () => undefined);
      resolve(response);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(signal.reason);
      if (pooled && outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
        return reject(new StaleSocket());
      }
      reject(unreachable(url, error));
    });
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
  });
}

function readerOf(response: http.IncomingMessage, url: URL, signal: AbortSignal): ReadBytes {
  return (take) =>
    new Promise((resolve, reject) => {
      const onData = (piece: Buffer): void => {
        try {
          if (take(piece) === 'more') return;
          leave();
          resolve();
        } catch (error) {
          leave();
          reject(error);
        }
      };
      const leave = (): void => {
        forget();
        response.off('data', onData);
        response.pause();
      };
      const forget = finished(response, { writable: false }, (error) => {
        if (signal.aborted) reject(signal.reason);
        else if (error) reject(unreachable(url, error, 'was cut in the middle of the answer'));
        else resolve();
      });
      response.on('data', onData);
    });
}

function release(response: http.IncomingMessage): void {
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), TAIL_MS).unref();
  response.socket?.unref?.();
  response.once('close', () => clearTimeout(timer));
  response.resume();
}

function refuseBareKey(url: URL, headers: Readonly<Record<string, string>>): void {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return;
  if (!Object.keys(headers).some((name) => KEY_HEADERS.has(name.toLowerCase()))) return;
  throw new Fault('provider.refused', `A key would travel unencrypted to ${url.host}.`, {
    hint: 'Use an https:// base URL; plain http:// with a key is for this machine only.',
  });
}

function redirected(url: URL, status: number, location: string | undefined): Fault {
  const target = location === undefined ? 'nowhere' : describeTarget(location, url);
  return new Fault('provider.refused', `HTTP ${status}: ${url.host} redirects to ${target}, which is not followed.`, {
    hint: 'If that is the right server, set base_url to it.',
  });
}

function describeTarget(location: string, from: URL): string {
  if (!URL.canParse(location, from.href)) return 'an address that cannot be read';
  const target = new URL(location, from);
  return `${target.origin}${target.pathname}`;
}

function unreachable(url: URL, error: NodeJS.ErrnoException, what = 'failed'): Fault {
  const reason = error.code ?? error.message;
  const hint = isLoopback(url.hostname)
    ? 'Is the model server running on that port?'
    : 'Check the network and the base URL.';
  return new Fault(
    'provider.unreachable',
    `The connection to ${url.host} ${what} (${reason}).`,
    { hint },
    { cause: error },
  );
}
