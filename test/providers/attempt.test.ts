/** What both wires do alike, over a server on loopback. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Fault, type FaultData } from '../../src/core/faults.js';
import type { Message, Provider } from '../../src/core/model.js';
import { anthropicProvider } from '../../src/providers/anthropic.js';
import { openAiProvider } from '../../src/providers/openai.js';
import { event, messageStart, textBlock } from '../support/mock-messages.js';
import { chunk, errorReply, type MockReply, mockServer } from '../support/mock-server.js';

const WIRES = [
  {
    wire: 'Chat Completions',
    provider: (url: string): Provider => openAiProvider({ name: 'openai', baseUrl: url }),
    begun: [chunk({ content: 'A' })],
    error: `data: ${JSON.stringify({ error: { message: 'broken', code: 500 } })}\n\n`,
  },
  {
    wire: 'Messages',
    provider: (url: string): Provider => anthropicProvider({ baseUrl: url }),
    begun: [messageStart(), ...textBlock(0, 'A').slice(0, 2)],
    error: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  },
] as const;

const SEEN: Message = {
  role: 'user',
  text: 'Look.',
  images: [{ name: 'a.png', mediaType: 'image/png', base64: 'aGk=' }],
};

/** Loading a client library must not pass for silence. */
beforeAll(() => import('openai/client').then(() => undefined));

describe.each(WIRES)('over $wire', ({ provider, begun, error }) => {
  async function failing(reply: MockReply, message: Message = { role: 'user', text: 'Hi' }): Promise<FaultData> {
    const isSilent = reply.close === 'hang' || reply.refuse === 'hang';
    const server = await mockServer([reply]);
    onTestFinished(() => server.close());
    const request = {
      model: 'm',
      system: '',
      messages: [message],
      tools: [],
      toolChoice: 'auto',
      parameters: {},
    } as const;
    const thrown = await provider(server.url)
      .complete(request, { signal: new AbortController().signal, idleTimeoutMs: isSilent ? 700 : 10_000 })
      .catch((caught: unknown) => caught);
    if (!(thrown instanceof Fault)) throw new Error('it did not fail');
    return thrown.data;
  }

  it.each<[string, MockReply, string]>([
    ['cut', { frames: begun }, 'provider.protocol'],
    ['reset', { frames: begun, close: 'reset' }, 'provider.unreachable'],
    ['silent', { frames: begun, close: 'hang' }, 'provider.silent'],
    ['silent from the first byte', { frames: [], close: 'hang' }, 'provider.silent'],
    ['broken off with an error', { frames: [...begun, error] }, 'provider.overloaded'],
    ['an error as a document', errorReply(200, { message: 'broken' }), 'provider.overloaded'],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 'provider.protocol'],
  ])('an answer that is %s says that it had begun', async (_, reply, code) => {
    expect(await failing(reply)).toMatchObject({ code, answered: true });
  });

  it.each<[string, MockReply, string]>([
    ['refused', errorReply(400, { message: 'no' }), 'provider.refused'],
    ['turned away', errorReply(503, { message: 'busy' }), 'provider.overloaded'],
    ['redirected', { status: 307, headers: { location: '/elsewhere' } }, 'provider.refused'],
    ['never heard', { refuse: 'reset' }, 'provider.unreachable'],
    ['never answered', { refuse: 'hang' }, 'provider.silent'],
  ])('a request that is %s had no answer', async (_, reply, code) => {
    const fault = await failing(reply);
    expect(fault.code).toBe(code);
    expect(fault).not.toHaveProperty('answered');
  });

  it.each([
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [422, 'This model does not support vision.'],
    [404, 'No endpoints found that support image input'],
    [500, 'image input is not supported - hint: you may need to provide the mmproj'],
  ])('a model that refuses images (%i %s) is said not to see', async (status, message) => {
    const reply = errorReply(status, { message });
    const fault = await failing(reply, SEEN);
    expect(fault).toMatchObject({ code: 'provider.refused', hint: expect.stringContaining('cannot see') });
    expect((await failing(reply)).hint ?? '').not.toContain('cannot see');
  });
});
