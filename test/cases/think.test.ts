import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { resolve } from '../support/chat.js';
import { chunk, DONE, errorReply, type MockReply, type MockRequest } from '../support/mock-server.js';
import { messagesOf, oneAgent, serving, streamed } from './serving.js';

const TAGGED = ['<th', 'ink>secret</thi', 'nk>ans', 'wer <thinking>s2</think', 'ing> end'];

it('think-01: think tags are taken out wherever they are cut, in both spellings, and kept apart', async () => {
  const { ask, deltas } = await serving([streamed(TAGGED.map((content) => ({ content })))]);
  expect(await ask()).toMatchObject({ text: 'answer  end', reasoning: 'secrets2' });
  const shown = deltas.flatMap(({ type, text }) => (type === 'text' ? [text] : []));
  expect(shown.join('')).toBe('answer  end');
});

it('think-01: at every place where a character can be cut', async () => {
  const whole = TAGGED.join('');
  const cuts = Array.from({ length: whole.length - 1 }, (_, at) => [whole.slice(0, at + 1), whole.slice(at + 1)]);
  const { ask } = await serving(cuts.map((parts) => streamed(parts.map((content) => ({ content })))));
  for (const _ of cuts) expect(await ask()).toMatchObject({ text: 'answer  end', reasoning: 'secrets2' });
});

describe('think-03: a tag that is quoted is text', () => {
  it('in the arguments of a call', async () => {
    const text = 'strip <think>x</think> blocks';
    const { run } = await serving([resolve({ title: text })]);
    expect((await run(oneAgent())).result).toEqual({ title: text });
  });

  it.each(['{"text":"strip <think>x</think> blocks"}', 'The tag `<think>` begins a thought.'])(
    'in JSON and in code: %s',
    async (content) => {
      const { ask } = await serving([streamed([{ content }])]);
      expect(await ask()).toEqual({ text: content, calls: [], finish: 'stop' });
    },
  );
});

describe('think-05: reasoning goes back to the server that demands it, and to no other', () => {
  const thinking = (n: number): MockReply => ({
    frames: [
      chunk({ reasoning_content: `thought ${n}` }),
      chunk({
        tool_calls: [
          { index: 0, id: `call_${n}`, function: { name: 'list_files', arguments: `{"path":"${n % 2 ? '.' : ''}"}` } },
        ],
      }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
  });
  const turnsIn = (request: MockRequest) => messagesOf(request).filter(({ tool_calls: calls }) => calls !== undefined);
  const strict = (request: MockRequest): MockReply => {
    const turns = turnsIn(request);
    if (turns.some((message, n) => message.reasoning_content !== `thought ${n}`)) {
      return errorReply(400, { message: 'Missing `reasoning_content` field in the assistant message' });
    }
    return turns.length < 3 ? thinking(turns.length) : resolve({ title: 'T' });
  };

  it('in one run, with one refusal in all', async () => {
    const { run, requests } = await serving(strict);
    const ran = await run(oneAgent(', tools: [list_files], dead_loop_window: 0'));
    expect(ran).toMatchObject({ status: 'done' });
    expect(requests).toHaveLength(5);
    expect(ran.paths('call_retry')).toEqual([]);
  });

  it('also after a resume', async () => {
    const stop = new AbortController();
    const { run, requests } = await serving((request) => {
      const reply = strict(request);
      if (reply.status === undefined && turnsIn(request).length === 2 && !stop.signal.aborted) {
        stop.abort(new Fault('run.cancelled', 'Interrupted.'));
        return { refuse: 'hang' };
      }
      return reply;
    });
    const it = oneAgent(', tools: [list_files], dead_loop_window: 0');
    expect(await run(it, { signal: stop.signal })).toMatchObject({ status: 'cancelled' });
    expect(await run(it, { resume: true })).toMatchObject({ status: 'done', result: { title: 'T' } });
    expect(turnsIn(requests.at(-1) as MockRequest).map((message) => message.reasoning_content)).toEqual([
      'thought 0',
      'thought 1',
      'thought 2',
    ]);
  });

  it('other servers never see it', async () => {
    const { run, requests } = await serving((_, n) => (n < 2 ? thinking(n) : resolve({ title: 'T' })));
    expect(await run(oneAgent(', tools: [list_files]'))).toMatchObject({ status: 'done' });
    for (const { body } of requests) expect(body).not.toMatch(/thought \d/);
  });
});
