import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/core/plain-text.js';
import { resolve, turn } from '../support/chat.js';
import { chunk, DONE, type MockReply } from '../support/mock-server.js';
import { messagesOf, oneAgent, serving, streamed } from './serving.js';

const A = chunk({ content: 'A' });
const STOP = chunk({}, 'stop');
const SAYS_A = { text: 'A', calls: [], finish: 'stop' };
const titled = resolve({ title: 'T' });

describe('sse-01: a reply whose bytes come one by one is exact, also inside Chinese characters and emoji', () => {
  it('for the provider, and on the way into journal and artifact', async () => {
    const text = { ...streamed([{ content: '量子😀' }]), split: 'byte' } as const;
    const { ask } = await serving([text]);
    expect(await ask()).toMatchObject({ text: '量子😀' });
    const { run } = await serving([{ ...resolve({ title: '量子😀' }), split: 'byte' }]);
    const it = oneAgent('', "    save: { title.json: '${{ output }}' }\n");
    const ran = await run(it);
    expect(ran.result).toEqual({ title: '量子😀' });
    expect(ran.file('title.json')).toContain('量子😀');
    for (const file of ['title.json', 'events.ndjson', '.steps/a/transcript.ndjson']) {
      expect(ran.file(file)).not.toContain('\uFFFD');
    }
  });
});

it('sse-03: lines that end in a bare CR are lines', async () => {
  const frames = [A, STOP, DONE].map((frame) => frame.replaceAll('\n', '\r'));
  const { ask } = await serving([{ frames }]);
  expect(await ask()).toEqual(SAYS_A);
});

it('sse-04: comments, also a bare colon, are skipped, and count as bytes', async () => {
  const { ask } = await serving([{ frames: [': keepalive\n\n', ':\n\n', A, ': ping\n\n', STOP, DONE] }]);
  expect(await ask()).toEqual(SAYS_A);
});

it('sse-04: a comment that a proxy sends as data is one, too', async () => {
  const { ask } = await serving([{ frames: ['data: : keepalive\n\n', A, STOP, DONE] }]);
  expect(await ask()).toEqual(SAYS_A);
});

it('sse-06: no space after the colon is the same as one', async () => {
  const { ask } = await serving([{ frames: [A, STOP, DONE].map((frame) => frame.replace('data: ', 'data:')) }]);
  expect(await ask()).toEqual(SAYS_A);
});

it('sse-07: the data lines of one event are joined, then parsed', async () => {
  const event = 'data: {"id":"c1","choices":\ndata: [{"index":0,"delta":{"content":"A"},"finish_reason":"stop"}]}\n\n';
  const { ask } = await serving([{ frames: [event, DONE] }]);
  expect(await ask()).toEqual(SAYS_A);
});

it('sse-08: finish_reason and a clean close are an end, without [DONE]', async () => {
  const { ask } = await serving([{ frames: [A, STOP] }]);
  expect(await ask()).toEqual(SAYS_A);
});

describe('sse-09: a clean close without finish_reason and [DONE] is a failure of the transport', () => {
  const half: MockReply = { frames: [chunk({ content: 'half an ans' })] };

  it('that is tried again; the half answer is in no history', async () => {
    const { run, requests } = await serving([half, titled]);
    const ran = await run(oneAgent());
    expect(ran).toMatchObject({ status: 'done', result: { title: 'T' } });
    expect(ran.events.find(({ type }) => type === 'call_retry')).toMatchObject({
      fault: { message: expect.stringContaining('ended early') },
    });
    expect(requests.map(({ body }) => body.includes('half an ans'))).toEqual([false, false]);
    expect(ran.file('.steps/a/transcript.ndjson')).not.toContain('half an ans');
  });

  it('whose text counts as long as it was, since it may be charged', async () => {
    const { run } = await serving([{ frames: [chunk({ content: 'x'.repeat(80_000) })] }, titled]);
    const ran = await run(oneAgent());
    const retry = ran.events.find(({ type }) => type === 'call_retry');
    expect((retry as { estimatedTokens?: number }).estimatedTokens).toBeGreaterThan(20_000);
  });

  it('that fails the step with exit 3 after four attempts', async () => {
    const { run, requests, waits } = await serving([half]);
    expect(await run(oneAgent())).toMatchObject({ status: 'failed', exit: 3, fault: { code: 'provider.protocol' } });
    expect(requests).toHaveLength(4);
    expect(waits).toHaveLength(3);
  });
});

describe('sse-11: an error as data after some text is an error with its words, and nothing of the text stays', () => {
  const broken = (code: number): MockReply => ({
    frames: [
      A,
      `data: ${JSON.stringify({ error: { message: 'upstream overloaded', code, type: 'server_error' } })}\n\n`,
    ],
  });

  it.each([502, 429])('%i is tried again', async (code) => {
    const { run, requests } = await serving([broken(code), titled]);
    const ran = await run(oneAgent());
    expect(ran).toMatchObject({ status: 'done' });
    expect(ran.events.find(({ type }) => type === 'call_retry')).toMatchObject({
      fault: { message: expect.stringContaining('upstream overloaded') },
    });
    expect(messagesOf(requests[1])).toEqual(messagesOf(requests[0]));
  });

  it.each([400, 401])('%i is not', async (code) => {
    const { run, requests } = await serving([broken(code)]);
    expect(await run(oneAgent())).toMatchObject({ status: 'failed', exit: 3, fault: { code: 'provider.refused' } });
    expect(requests).toHaveLength(1);
  });
});

it('sse-13: an event named error is an error with its words', async () => {
  const { ask } = await serving([{ frames: ['event: error\ndata: {"message":"boom"}\n\n'] }]);
  expect(await ask()).toMatchObject({ code: 'provider.overloaded', message: expect.stringContaining('boom') });
});

describe('sse-14: an answer of nothing is an empty response, which is tried again', () => {
  it.each([
    ['no byte', ''],
    ['[DONE] alone', DONE],
  ])('%s', async (_, bytes) => {
    const { ask } = await serving([{ frames: [bytes] }]);
    expect(await ask()).toMatchObject({
      code: 'provider.protocol',
      message: expect.stringContaining('empty response'),
    });
    const { run, requests } = await serving([{ frames: [bytes] }, titled]);
    expect(await run(oneAgent())).toMatchObject({ status: 'done', result: { title: 'T' } });
    expect(requests).toHaveLength(2);
  });
});

it('sse-16: a stream that falls silent is ended by the idle limit, and asked again from the start', async () => {
  const { run, requests, connections } = await serving([{ frames: [A], close: 'hang' }, titled]);
  const ran = await run(oneAgent('', '    idle_timeout: 500ms\n'));
  expect(ran).toMatchObject({ status: 'done', result: { title: 'T' } });
  expect(ran.events.find(({ type }) => type === 'call_retry')).toMatchObject({
    fault: { code: 'provider.silent', message: expect.stringMatching(/No bytes from .* for 0\.5 s/) },
  });
  expect(requests[1]?.body).toBe(requests[0]?.body);
  await expect.poll(() => connections().open).toBeLessThanOrEqual(1);
});

it('sse-18: [DONE] ends the answer, though the connection stays open; that is then closed', async () => {
  const { ask, connections } = await serving([{ frames: [A, STOP, DONE], close: 'hang' }]);
  expect(await ask()).toEqual(SAYS_A);
  await expect.poll(() => connections().open).toBe(0);
});

it('sse-20: U+2028 and NUL stay in the history as they are; the journal keeps its lines, the screen shows no NUL', async () => {
  const text = 'a\u2028b\u0000c';
  const { run, requests } = await serving([turn({ text }), resolve({ title: text })]);
  const ran = await run(oneAgent());
  expect(ran.result).toEqual({ title: text });
  expect(messagesOf(requests[1]).find(({ role }) => role === 'assistant')?.content).toBe(text);
  const lines = readFileSync(join(ran.dir, 'events.ndjson'), 'utf8').split('\n').slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(ran.events.map(({ type }) => type));
  expect(plainText(text)).toBe('a\u2028bc');
});
