/** A model server on loopback that answers from a script of replies, with every bad habit a real one can have. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MockReply {
  readonly status?: number;
  /** Default: `content-type: text/event-stream` for frames, `application/json` for a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Each is written on its own. */
  readonly frames?: readonly (string | Uint8Array)[];
  readonly body?: string;
  /** `byte`: every byte is its own write. */
  readonly split?: 'frame' | 'byte';
  /** After the last frame: end the body, reset the connection, or say nothing more for ever. */
  readonly close?: 'end' | 'reset' | 'hang';
  /** Before the headers. */
  readonly delayMs?: number;
  /** `reset`: the connection is reset before any header. `hang`: nothing is ever answered. */
  readonly refuse?: 'reset' | 'hang';
}

export interface MockRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
}

export interface MockServer {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly requests: readonly MockRequest[];
  /** Connections that were opened, ever, and that are open now. */
  connections(): { readonly total: number; readonly open: number };
  close(): Promise<void>;
}

export type Answer = (request: MockRequest, index: number) => MockReply | Promise<MockReply>;

/** A list is answered in order, and its last reply ever after. */
export async function mockServer(script: readonly MockReply[] | Answer): Promise<MockServer> {
  const requests: MockRequest[] = [];
  const sockets = new Set<Socket>();
  let total = 0;
  const answer: Answer =
    typeof script === 'function' ? script : (_, index) => script[Math.min(index, script.length - 1)] ?? { status: 500 };
  const server = http.createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(pieces).toString('utf8') };
    requests.push(request);
    await write(await answer(request, requests.length - 1), response);
  });
  server.on('connection', (socket: Socket) => {
    total++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => ({ total, open: sockets.size }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function write(reply: MockReply, response: http.ServerResponse): Promise<void> {
  if (reply.delayMs) await sleep(reply.delayMs);
  if (reply.refuse === 'hang') return;
  if (reply.refuse === 'reset') return void response.socket?.resetAndDestroy();
  const type = reply.frames ? 'text/event-stream' : 'application/json';
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
  response.flushHeaders();
  for (const piece of piecesOf(reply)) {
    if (response.destroyed) return;
    response.write(piece);
    await new Promise((done) => setImmediate(done));
  }
  if (reply.close === 'hang') return;
  if (reply.close === 'reset') {
    // Let the bytes leave before the connection is torn down.
    await sleep(20);
    return void response.socket?.resetAndDestroy();
  }
  response.end();
}

function piecesOf({ frames, body, split }: MockReply): Uint8Array[] {
  const whole = (frames ?? (body === undefined ? [] : [body])).map((frame) => Buffer.from(frame));
  if (split !== 'byte') return whole;
  return whole.flatMap((frame) => [...frame].map((byte) => Uint8Array.of(byte)));
}

export const DONE = 'data: [DONE]\n\n';

/** One chunk of a stream, as an SSE frame. */
export function chunk(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'fake', choices, ...more })}\n\n`;
}

/** The last chunk of OpenAI's service: no choice, only usage. */
export function usageChunk(input: number, output: number, cached = 0): string {
  const usage = { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } };
  return `data: ${JSON.stringify({ id: 'c1', choices: [], usage })}\n\n`;
}

export function textReply(text: string): MockReply {
  return { frames: [chunk({ role: 'assistant', content: text }), chunk({}, 'stop'), usageChunk(10, 2), DONE] };
}

/** A turn that calls tools: each call is `[name, arguments]`. */
export function callReply(...calls: readonly (readonly [name: string, args: object | string])[]): MockReply {
  const fragments = calls.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return {
    frames: [chunk({ role: 'assistant', tool_calls: fragments }), chunk({}, 'tool_calls'), usageChunk(10, 2), DONE],
  };
}

export function errorReply(status: number, error: object, headers: Readonly<Record<string, string>> = {}): MockReply {
  return { status, headers, body: JSON.stringify({ error }) };
}
