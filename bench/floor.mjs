/** The floor that agents are held against: one loop over node:http that sends its whole history as JSON. Usage: <base url> <model> <bytes of a result> [<runs> <at once>] */
import { Agent, request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

const [baseUrl, model, resultBytes, runs = '1', atOnce = '1'] = process.argv.slice(2);
const result = 'ok'.padEnd(Number(resultBytes), 'y');
const agent = new Agent({ keepAlive: true });
const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = ['echo', 'resolve'].map((name) => ({
  type: 'function',
  function: { name, description: name, parameters },
}));

const begun = performance.now();
let started = 0;
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (started < Number(runs)) {
      started++;
      await converse();
    }
  }),
);
process.stdout.write(`${performance.now() - begun}\n`);
process.exit(0);

/** Until `resolve` is called, or nothing. */
async function converse() {
  const messages = [
    { role: 'system', content: 'You are a worker. Use the tool, then answer.' },
    { role: 'user', content: 'Do the job.' },
  ];
  for (;;) {
    const { text, calls } = await complete({ model, stream: true, tools, messages });
    for (const call of calls) JSON.parse(call.function.arguments);
    if (calls.length === 0 || calls.some((call) => call.function.name === 'resolve')) return text;
    messages.push({ role: 'assistant', content: null, tool_calls: calls });
    for (const call of calls) messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }
}

function complete(body) {
  const bytes = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${baseUrl}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      const decoder = new StringDecoder('utf8');
      const reply = { text: [], calls: [] };
      let rest = '';
      response.on('data', (piece) => {
        rest = take(rest + decoder.write(piece), reply);
      });
      response.on('end', () => resolve(whole(reply)));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Gives back the line that is not at its end yet. */
function take(text, reply) {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    if (text.startsWith('data: {', from)) add(JSON.parse(text.slice(from + 6, end)).choices[0]?.delta ?? {}, reply);
    from = end + 1;
  }
  return text.slice(from);
}

function add({ content, tool_calls: fragments = [] }, reply) {
  if (content) reply.text.push(content);
  for (const { index, id, function: part } of fragments) {
    reply.calls[index] ??= { id, name: part.name, pieces: [] };
    reply.calls[index].pieces.push(part.arguments);
  }
}

function whole({ text, calls }) {
  return {
    text: text.join(''),
    calls: calls.map(({ id, name, pieces }) => ({
      id,
      type: 'function',
      function: { name, arguments: pieces.join('') },
    })),
  };
}
