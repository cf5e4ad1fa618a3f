/** A model server on loopback that streams what a shot has written, at the pace of a model. */
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @param answer from a request's body to `{ text, calls, usage, paceMs, until }`: the text comes word by word, the end of the reply waits
 * for the promise `until`. `calls` are `{ name, arguments }`; `usage` is `{ input, output }` tokens.
 */
export async function openModel(answer) {
  const sockets = new Set();
  const server = http.createServer(async (incoming, response) => {
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString() || '{}');
    response.on('error', () => undefined);
    if (!incoming.url.endsWith('/chat/completions')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end('{"object":"list","data":[]}');
    }
    await stream(await answer(body), response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function stream({ text = '', calls = [], usage = { input: 900, output: 120 }, paceMs = 25, until }, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta, reason = null, more = {}) =>
    response.write(
      `data: ${JSON.stringify({
        id: 'c1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'gpt-5-mini',
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...more,
      })}\n\n`,
    );
  for (const word of text.match(/\S+\s*/g) ?? []) {
    send({ content: word });
    await sleep(paceMs);
  }
  if (text === '') await sleep(paceMs * 8);
  await until;
  for (const [index, call] of calls.entries()) {
    const fn = { name: call.name, arguments: JSON.stringify(call.arguments) };
    send({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: fn }] });
  }
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  const used = { prompt_tokens: usage.input, completion_tokens: usage.output };
  response.write(
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [], usage: used })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}
