/** A model server on the loopback whose answers follow a script in the model's name, so that it remembers no conversation. */
import { createServer } from 'node:http';

/**
 * The script, as in `mock:r=2,d=100`; all of it may be left out.
 * - `r`: rounds. Those before the last call the first tool that is not `resolve`; the last calls `resolve`, or says text if it is not offered
 * - `d`: milliseconds of thought before the first byte
 * - `n`: pieces of text; with `resolve`, none unless given
 * - `f`: pieces that the arguments of a call come in
 * - `ab`: bytes that these arguments are made longer by
 * - `s=1`: each piece is written in a turn of the event loop of its own
 */
const FRESH = { r: 1, d: 0, n: undefined, f: 2, ab: 0, s: 0 };

/** What tools of ours are called with; those of others take a text. */
const ARGUMENTS = { list_files: () => ({ path: '.' }), read_file: () => ({ path: 'notes.txt' }) };

/**
 * @returns {Promise<{ baseUrl: string, seen: () => Seen, reset: () => void, close: () => void }>}
 * Seen: `firstRequestAt` and `lastEndAt` in milliseconds since the epoch, with fractions; `requests`; `gapsMs`, from the end of each answer
 * to the next request.
 */
export async function startMock() {
  let seen = unseen();
  /** One that grows for each connection, whose requests never overlap: fresh megabytes for each would cost more than all else here. */
  const bodies = new WeakMap();
  const server = createServer((request, response) => {
    const at = epochMs();
    seen.requests++;
    seen.firstRequestAt ??= at;
    if (seen.lastEndAt !== undefined) seen.gapsMs.push(at - seen.lastEndAt);
    let length = 0;
    request.on('data', (piece) => {
      const body = roomFor(bodies.get(request.socket), length, piece.length);
      bodies.set(request.socket, body);
      length += piece.copy(body, length);
    });
    request.on('end', async () => {
      const { wait, answer } = read(bodies.get(request.socket).subarray(0, length), seen.requests);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      for (const text of answer.slice(0, -1)) {
        response.write(text);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(answer.at(-1), () => {
        seen.lastEndAt = epochMs();
      });
    });
  });
  server.on('connection', (socket) => {
    socket.setNoDelay(true);
    bodies.set(socket, Buffer.alloc(64 * 1024));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    seen: () => seen,
    reset: () => {
      seen = unseen();
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

const unseen = () => ({ firstRequestAt: undefined, lastEndAt: undefined, requests: 0, gapsMs: [] });

function roomFor(body, length, more) {
  if (length + more <= body.length) return body;
  const larger = Buffer.alloc(2 * (length + more));
  body.copy(larger, 0, 0, length);
  return larger;
}

/** A history of megabytes is searched and never parsed: the server must not be what is measured. */
function read(body, count) {
  const model = /^[^"]*/.exec(after(body, '"model":"', 200))[0];
  const script = { ...FRESH, ...scriptOf(model) };
  const tools = after(body, '"tools":[', 100_000);
  const names = [...tools.matchAll(/"function":\{[^{}]*?"name":"([^"]+)"/g)].map(([, name]) => name);
  const isLast = countOf(body, '"role":"tool"') >= script.r - 1;
  const tool = isLast ? names.find((name) => name === 'resolve') : names.find((name) => name !== 'resolve');
  return { wait: script.d, answer: answerOf(model, script, tool, body.length, count) };
}

const scriptOf = (model) =>
  Object.fromEntries([...model.matchAll(/[:,](\w+)=(\d+)/g)].map(([, key, value]) => [key, Number(value)]));

function after(body, start, length) {
  const at = body.indexOf(start);
  return at < 0 ? '' : body.toString('latin1', at + start.length, at + start.length + length);
}

function countOf(body, text) {
  let count = 0;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) count++;
  return count;
}

/** Stands for the number of the request: clients take two answers, or two calls, with one id for the same. */
const NUMBER = '#';
/** The last few answers, by what they depend on. */
const known = new Map();

/** Texts to be written one after the other. */
function answerOf(model, script, tool, bytes, count) {
  const key = `${model} ${tool}`;
  if (!known.has(key)) {
    if (known.size > 20) known.clear();
    known.set(key, compose(model, script, tool));
  }
  const { texts, pieces } = known.get(key);
  const usage = { prompt_tokens: bytes >> 2, completion_tokens: pieces, total_tokens: (bytes >> 2) + pieces };
  const end = `${chunk(model, [], { usage })}data: [DONE]\n\n`;
  const parts = [...texts, end].map((text) => text.replaceAll(NUMBER, count));
  return script.s ? parts : [parts.join('')];
}

function compose(model, script, tool) {
  const saysText = tool === undefined || (tool === 'resolve' && script.n !== undefined);
  const words = Array.from({ length: saysText ? (script.n ?? 4) : 0 }, (_, index) => ({ content: `w${index % 10} ` }));
  const deltas = [{ role: 'assistant', content: tool === undefined ? '' : null }, ...words];
  if (tool !== undefined) {
    const call = { index: 0, id: `call_${NUMBER}`, type: 'function', function: { name: tool, arguments: '' } };
    const pieces = cut(JSON.stringify(argumentsOf(tool, script)), script.f);
    deltas.push({ tool_calls: [call] });
    for (const text of pieces) deltas.push({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  }
  const reason = tool === undefined ? 'stop' : 'tool_calls';
  const texts = deltas.map((delta) => chunk(model, [{ index: 0, delta, finish_reason: null }]));
  texts.push(chunk(model, [{ index: 0, delta: {}, finish_reason: reason }]));
  return { texts: script.s ? texts : [texts.join('')], pieces: deltas.length };
}

function argumentsOf(tool, { ab }) {
  if (tool === 'resolve') return { result: `ok${'x'.repeat(ab)}` };
  return ARGUMENTS[tool]?.() ?? { text: 'x'.repeat(Math.max(1, ab)) };
}

function cut(text, count) {
  const length = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

function chunk(model, choices, more = {}) {
  const head = { id: `chatcmpl-${NUMBER}`, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`;
}
