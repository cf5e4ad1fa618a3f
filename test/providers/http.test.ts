import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { isLoopback, readText, send } from '../../src/providers/http.js';
import { type MockReply, type MockServer, mockServer } from '../support/mock-server.js';

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const never = new AbortController().signal;

async function post(script: readonly MockReply[], headers: Record<string, string> = {}, signal = never) {
  server ??= await mockServer(script);
  return send({ method: 'POST', url: `${server.url}/x`, headers, body: '量', signal });
}

describe('a request', () => {
  it('sends its bytes with their length, and reads status, headers and body', async () => {
    const reply = await post([{ status: 201, headers: { 'x-a': '1' }, body: 'ok' }], { 'x-b': '2' });
    expect(reply.status).toBe(201);
    expect(reply.headers['x-a']).toBe('1');
    expect(await readText(reply, 100)).toBe('ok');
    expect(server?.requests[0]).toMatchObject({ body: '量', headers: { 'content-length': '3', 'x-b': '2' } });
  });

  it('reads no more of a body than it is asked to', async () => {
    const reply = await post([{ body: 'x'.repeat(100_000) }]);
    expect(await readText(reply, 10)).toBe('xxxxxxxxxx');
  });

  it('sends pieces one behind the other, with the length of all', async () => {
    server = await mockServer([{ body: 'ok' }]);
    const body = ['a量', '', 'b'].map((text) => Buffer.from(text));
    await readText(await send({ method: 'POST', url: server.url, headers: {}, body, signal: never }), 100);
    expect(server.requests[0]).toMatchObject({ body: 'a量b', headers: { 'content-length': '5' } });
  });

  it('gives no piece to one that has enough, and uses its connection again', async () => {
    for (let i = 0; i < 2; i++) {
      const reply = await post([{ frames: ['a', 'b', 'c'] }]);
      let pieces = 0;
      await reply.read(() => (++pieces > 0 ? 'enough' : 'more'));
      reply.close();
      await new Promise((done) => setTimeout(done, 50));
      expect(pieces).toBe(1);
    }
    expect(server?.connections().total).toBe(1);
  });

  it('fails with what its reader throws', async () => {
    const reply = await post([{ body: 'ok' }]);
    const error = new Error('cannot be read');
    const reading = reply.read(() => {
      throw error;
    });
    await expect(reading).rejects.toBe(error);
  });

  it('says that an answer was cut, also one that was cut before it was read', async () => {
    for (const waitMs of [0, 50]) {
      const reply = await post([{ frames: ['a'], close: 'reset' }]);
      await new Promise((done) => setTimeout(done, waitMs));
      await expect(readText(reply, 100)).rejects.toMatchObject({ data: { code: 'provider.unreachable' } });
      await server?.close();
      server = undefined;
    }
  });

  it('uses a connection again', async () => {
    for (let i = 0; i < 3; i++) {
      await readText(await post([{ body: 'ok' }]), 100);
      await new Promise((done) => setImmediate(done));
    }
    expect(server?.connections().total).toBe(1);
  });

  it('does not start when it is aborted before', async () => {
    const reason = new Error('no');
    await expect(post([{ body: 'ok' }], {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server?.requests).toHaveLength(0);
  });

  it('ends with the reason of an abort, before the headers and inside the body', async () => {
    for (const reply of [{ refuse: 'hang' }, { frames: ['a'], close: 'hang' }] as const) {
      const stop = new AbortController();
      const reason = new Error('enough');
      const reading = post([reply], {}, stop.signal).then((answer) => readText(answer, 100));
      setTimeout(() => stop.abort(reason), 30);
      await expect(reading).rejects.toBe(reason);
      await expect.poll(() => server?.connections().open).toBe(0);
      await server?.close();
      server = undefined;
    }
  });

  it('follows no redirect, and names where it would have led without its query', async () => {
    const error = await post([{ status: 302, headers: { location: 'https://example.org/v1?token=t' } }]).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(Fault);
    expect(error.message).toContain('https://example.org/v1,');
    expect(error.message).not.toContain('token');
  });

  it.each(['Authorization', 'x-api-key', 'api-key'])(
    'keeps a key off a connection that others can hear: %s',
    async (name) => {
      const request = {
        method: 'POST',
        url: 'http://model.example/v1',
        headers: { [name]: 'k' },
        signal: never,
      } as const;
      await expect(send(request)).rejects.toThrow('unencrypted to model.example');
    },
  );

  it('names a protocol it does not speak', async () => {
    const request = { method: 'GET', url: 'ftp://127.0.0.1/v1', headers: {}, signal: never } as const;
    await expect(send(request)).rejects.toThrow('"ftp://"');
  });
});

it.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['[::1]', true],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
  ['10.0.0.1', false],
])('isLoopback(%s) is %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
