/** Streams over loopback, read by the provider as a run reads them. */
import { Fault } from '../../src/core/faults.js';
import { openAiProvider } from '../../src/providers/openai.js';
import { type MockReply, mockServer } from '../support/mock-server.js';
import type { Outcome } from './stream-reading.js';

export interface StreamServer {
  /** Has the server give this reply. What is thrown and is no fault is thrown on. */
  ask(reply: MockReply, idleTimeoutMs: number): Promise<Outcome>;
  close(): Promise<void>;
}

export async function streamServer(): Promise<StreamServer> {
  const replies = new Map<string, MockReply>();
  let asked = 0;
  // The user's message is the number of the reply.
  const server = await mockServer(
    ({ body }) => replies.get(JSON.parse(body).messages[0].content as string) ?? { status: 500 },
  );
  return {
    async ask(reply, idleTimeoutMs) {
      const text = String(asked++);
      replies.set(text, reply);
      try {
        return await openAiProvider({ name: 'openai', baseUrl: server.url }).complete(
          { model: 'm', system: '', messages: [{ role: 'user', text }], tools: [], toolChoice: 'auto', parameters: {} },
          { signal: new AbortController().signal, idleTimeoutMs },
        );
      } catch (error) {
        if (error instanceof Fault) return error.data;
        throw error;
      } finally {
        replies.delete(text);
      }
    },
    close: () => server.close(),
  };
}
