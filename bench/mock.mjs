/** A model server on the loopback that answers every chat completion by calling `resolve`, as a stream. */
import { createServer } from 'node:http';

const ANSWER = { result: 'ok' };

/**
 * @returns {Promise<{ baseUrl: string, firstRequestAt: () => number | undefined, reset: () => void, close: () => void }>}
 * `firstRequestAt` is in milliseconds since the epoch, with fractions.
 */
export async function startMock() {
  let firstRequestAt;
  const server = createServer((request, response) => {
    firstRequestAt ??= epochMs();
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      for (const event of reply()) response.write(`data: ${event}\n\n`);
      response.end();
    });
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    firstRequestAt: () => firstRequestAt,
    reset: () => {
      firstRequestAt = undefined;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The clock that all measured times share, so that those of two processes can be compared. */
export function epochMs() {
  return performance.timeOrigin + performance.now();
}

function reply() {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'resolve', arguments: '' } };
  const parts = JSON.stringify(ANSWER).match(/.{1,6}/g) ?? [];
  const deltas = [
    { role: 'assistant', content: null, tool_calls: [call] },
    ...parts.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  ];
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    chunk([], { usage }),
    '[DONE]',
  ];
}

function chunk(choices, more = {}) {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'mock' };
  return JSON.stringify({ ...head, choices, ...more });
}
