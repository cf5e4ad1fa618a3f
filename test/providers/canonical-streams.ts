/** Whole streams as servers send them, one for each manner, with what they say. */
import type { ModelReply } from '../../src/core/model.js';
import { chunk, DONE, usageChunk } from '../support/mock-server.js';

export interface CanonicalStream {
  readonly name: string;
  readonly events: readonly string[];
  readonly says: ModelReply;
}

const fragment = (index: number | undefined, parts: { id?: string; name?: string; args?: unknown }) => ({
  ...(index === undefined ? {} : { index }),
  ...(parts.id === undefined ? {} : { id: parts.id, type: 'function' }),
  function: {
    ...(parts.name === undefined ? {} : { name: parts.name }),
    ...(parts.args === undefined ? {} : { arguments: parts.args }),
  },
});
const calling = (...fragments: readonly object[]) => chunk({ tool_calls: fragments });
const ENDED = [chunk({}, 'tool_calls'), DONE];
const read = (id: string, path: string) => ({
  id,
  name: 'read_file',
  arguments: JSON.stringify({ path }),
});
const asking = (...calls: ModelReply['calls']): ModelReply => ({ text: '', calls, finish: 'calls' });

const PLAIN = ['data: ', '{"choices":[{"index":0,"delta":{"content":', '"A量"},"finish_reason":null}]}'] as const;

export const CANONICAL: readonly CanonicalStream[] = [
  {
    name: 'text with Chinese and emoji',
    events: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: '量子計算：' }),
      chunk({ content: '👩🏽‍🔬 und 😀é' }),
      chunk({}, 'stop'),
      DONE,
    ],
    says: { text: '量子計算：👩🏽‍🔬 und 😀é', calls: [], finish: 'stop' },
  },
  {
    name: 'one call in pieces',
    events: [
      calling(fragment(0, { id: 'call_a', name: 'read_file', args: '' })),
      ...['{"pa', 'th":"', '量/ü.md', '"}'].map((args) => calling(fragment(0, { args }))),
      ...ENDED,
    ],
    says: asking(read('call_a', '量/ü.md')),
  },
  {
    name: 'two calls by index, interleaved',
    events: [
      calling(fragment(0, { id: 'call_a', name: 'read_file', args: '{"path"' })),
      calling(fragment(1, { id: 'call_b', name: 'read_file', args: '{"path":' })),
      calling(fragment(0, { args: ':"x"}' }), fragment(1, { args: '"y"}' })),
      ...ENDED,
    ],
    says: asking(read('call_a', 'x'), read('call_b', 'y')),
  },
  {
    name: 'calls without index',
    events: [
      calling(fragment(undefined, { id: 'call_a', name: 'read_file', args: '{"path":"x"}' })),
      calling(fragment(undefined, { id: 'call_b', name: 'read_file', args: '{"path":' })),
      calling(fragment(undefined, { args: '"y"}' })),
      ...ENDED,
    ],
    says: asking(read('call_a', 'x'), read('call_b', 'y')),
  },
  {
    name: 'two calls that share an index',
    events: [
      calling(fragment(0, { id: 'call_a', name: 'read_file', args: '{"path":"x"}' })),
      calling(fragment(0, { id: 'call_b', name: 'read_file', args: '{"path":' })),
      calling(fragment(0, { args: '"y"}' })),
      ...ENDED,
    ],
    says: asking(read('call_a', 'x'), read('call_b', 'y')),
  },
  {
    name: 'an id that is repeated',
    events: [
      calling(fragment(0, { id: 'call_read', name: 'read_file', args: '{"path":"x"}' })),
      calling(fragment(1, { id: 'call_read', name: 'read_file', args: '{"path":"y"}' })),
      ...ENDED,
    ],
    says: asking(read('call_read', 'x'), read('call_read_2', 'y')),
  },
  {
    name: 'arguments before the name',
    events: [
      calling(fragment(0, { args: '{"path":' })),
      calling(fragment(0, { args: '"x"}' })),
      calling(fragment(0, { id: 'call_a', name: 'read_file' })),
      ...ENDED,
    ],
    says: asking(read('call_a', 'x')),
  },
  {
    name: 'arguments as an object',
    events: [calling(fragment(0, { id: 'call_a', name: 'read_file', args: { path: 'x😀' } })), ...ENDED],
    says: asking(read('call_a', 'x😀')),
  },
  {
    name: 'reasoning in a field of its own, then text',
    events: [
      chunk({ role: 'assistant', content: null, reasoning_content: 'first this, ' }),
      chunk({ reasoning_content: 'then 那個' }),
      chunk({ content: 'So: ' }),
      chunk({ content: 'yes.' }),
      chunk({}, 'stop'),
      DONE,
    ],
    says: { text: 'So: yes.', calls: [], finish: 'stop', reasoning: 'first this, then 那個' },
  },
  {
    name: 'think tags in the text, cut',
    events: [
      ...['<th', 'ink>secret</thi', 'nk>ans', 'wer <thinking>s2</think', 'ing> end'].map((content) =>
        chunk({ content }),
      ),
      chunk({}, 'stop'),
      DONE,
    ],
    says: { text: 'answer  end', calls: [], finish: 'stop', reasoning: 'secrets2' },
  },
  {
    name: 'usage in a last chunk without choices',
    events: [chunk({ content: 'A' }), chunk({ content: 'B' }, 'stop'), usageChunk(9, 2, 4), DONE],
    says: {
      text: 'AB',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 9, outputTokens: 2, cachedTokens: 4 },
    },
  },
  {
    name: 'a byte order mark, CRLF, CR, comments, events over several lines',
    events: [
      '\uFEFF: hello\r\n\r\n',
      `event: message\r\n${PLAIN[0]}${PLAIN[1]}\r\ndata:${PLAIN[2]}\r\n\r\n`,
      ':\r\r',
      `${chunk({ content: 'B' }).replaceAll('\n', '\r')}`,
      `id: 7\r\nretry: 10\r\n${chunk({}, 'stop').replaceAll('\n', '\r\n')}`,
      'data:[DONE]\r\n\r\n',
    ],
    says: { text: 'A量B', calls: [], finish: 'stop' },
  },
];

export const bytesOf = (events: readonly string[]): Uint8Array => new TextEncoder().encode(events.join(''));
