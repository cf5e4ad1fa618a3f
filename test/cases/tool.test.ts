import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { Tool } from '../../src/core/tool.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { lastText, resolve, turn } from '../support/chat.js';
import { chunk, DONE, type MockReply } from '../support/mock-server.js';
import { messagesOf, oneAgent, pairing, serving } from './serving.js';

const titled = resolve({ title: 'T' });

/** One turn whose chunks hold these fragments of calls. */
function calling(fragments: readonly object[], finish = 'tool_calls'): MockReply {
  return { frames: [...fragments.map((one) => chunk({ tool_calls: [one] })), chunk({}, finish), DONE] };
}
const whole = (name: string, args: unknown, more: object = {}) => ({
  ...more,
  type: 'function',
  function: { name, arguments: args },
});
const callsIn = (reply: unknown) =>
  (reply as { calls?: readonly { name: string; arguments: string }[] }).calls?.map(
    (call) => `${call.name} ${call.arguments}`,
  );
const READS = 'read_file {"path":"x"}';

it('tool-01: two calls without index, one a chunk, are two calls in their order', async () => {
  const { ask } = await serving([
    calling([whole('read_file', '{"path":"x"}', { id: 'a' }), whole('read_file', '{"path":"y"}', { id: 'b' })]),
  ]);
  expect(callsIn(await ask())).toEqual([READS, 'read_file {"path":"y"}']);
});

it('tool-02: a call without id gets one that is unique in the run, runs, and has its result under it', async () => {
  const nameless = calling([
    { index: 0, function: { name: 'list_files', arguments: '{"pa' } },
    { index: 0, function: { arguments: 'th":"."' } },
    { index: 0, function: { arguments: '}' } },
  ]);
  const { run, requests } = await serving((request) => (messagesOf(request).length > 5 ? titled : nameless));
  const project = oneAgent(', tools: [list_files]');
  project.write(
    'pipeline.yaml',
    project
      .read('pipeline.yaml')
      .replace(/ {2}- id: a[\s\S]*?(?=result)/, (step) => step + step.replace('id: a', 'id: b')),
  );
  expect(await run(project)).toMatchObject({ status: 'done' });
  expect(requests.map(pairing)).toEqual(requests.map(() => 'paired'));
  const last = requests.filter((request) => messagesOf(request).length > 5);
  expect(last).toHaveLength(2);
  const ids = last.flatMap((request) =>
    messagesOf(request).flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []),
  );
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
  expect(messagesOf(last[0]).find(({ role }) => role === 'tool')?.content).not.toContain('Error');
});

it('tool-04: a first call with index 1 is one call', async () => {
  const { ask } = await serving([calling([whole('read_file', '{"path":"x"}', { index: 1, id: 'a' })])]);
  expect(callsIn(await ask())).toEqual([READS]);
});

it('tool-06: calls that share an id, in a turn and in the next, both run, each with its own result', async () => {
  const twice = calling(
    ['x.md', 'y.md'].map((path, index) =>
      whole('read_file', JSON.stringify({ path }), { index, id: 'call_read_file' }),
    ),
  );
  const { run, requests } = await serving([twice, twice, titled]);
  const ran = await run(oneAgent(', tools: [read_file]', '', { 'x.md': 'of x', 'y.md': 'of y' }));
  expect(ran.status).toBe('done');
  expect(pairing(requests[2])).toBe('paired');
  const results = messagesOf(requests[2]).filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content?.match(/of [xy]/)?.[0])).toEqual(['of x', 'of y', 'of x', 'of y']);
});

it('tool-07: arguments that are an object are taken, and sent back as text', async () => {
  const { run, requests } = await serving([
    calling([whole('list_files', { path: '.' }, { index: 0, id: 'a' })]),
    titled,
  ]);
  const ran = await run(oneAgent(', tools: [list_files]'));
  expect(ran.status).toBe('done');
  const sent = messagesOf(requests[1]).flatMap((message) => message.tool_calls ?? []);
  expect(sent[0]?.function.arguments).toBe('{"path":"."}');
  expect(lastText(requests[1])).not.toContain('Error');
});

it('tool-08: empty arguments after an end are {}, which the tool then judges', async () => {
  const { run, requests } = await serving([
    calling([whole('list_files', '', { index: 0, id: 'a' })]),
    calling([whole('read_file', '', { index: 0, id: 'b' })]),
    titled,
  ]);
  expect(await run(oneAgent(', tools: [list_files, read_file]'))).toMatchObject({ status: 'done' });
  expect(lastText(requests[1])).not.toContain('Error');
  expect(lastText(requests[2])).toMatch(/do not match its parameters; nothing was executed[\s\S]*path/);
});

describe('tool-10: of a message that was cut by the token limit no call runs', () => {
  const cut = calling(
    [
      whole('write_file', '{"path":"whole.md","content":"x"}', { index: 0, id: 'a' }),
      whole('write_file', '{"path":"o.md","content":"# T\\n1\\n2', { index: 1, id: 'b' }),
    ],
    'length',
  );

  it('also not one that is whole; each gets the reason', async () => {
    const { run, requests } = await serving([cut, titled]);
    const ran = await run(oneAgent(', tools: [write_file]'));
    expect(ran).toMatchObject({ status: 'done' });
    expect(ran.files()).toEqual([]);
    expect(pairing(requests[1])).toBe('paired');
    const results = messagesOf(requests[1]).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(2);
    for (const { content } of results) expect(content).toMatch(/cut off.*nothing of it was executed.*smaller pieces/);
  });

  it('three such rounds fail the step with that reason', async () => {
    const { run, requests } = await serving([cut]);
    const ran = await run(oneAgent(', tools: [write_file]'));
    expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.truncated' } });
    expect(requests).toHaveLength(3);
    expect(ran.files()).toEqual([]);
  });
});

it('tool-12: arguments that are not JSON are said back with the place and the schema; three turns of them fail', async () => {
  const broken = ['{"path":"x",}', "{'path':'x'}", '```json\n{"path":"x"}\n```', 'path=x'];
  const { run, requests } = await serving(
    broken.map((args, n) => calling([whole('read_file', args, { index: 0, id: `c${n}` })])),
  );
  const ran = await run(oneAgent(', tools: [read_file]'));
  expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.arguments' } });
  expect(requests).toHaveLength(3);
  expect(lastText(requests[1])).toMatch(/not valid JSON: .*(position|line|column|JSON).*"required":\["path"\]/);
  // The arguments go back as they came: nothing is repaired.
  expect(
    messagesOf(requests[2]).flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.arguments)),
  ).toEqual(broken.slice(0, 2));
});

describe('tool-14: a call of a tool that does not exist', () => {
  const wrong = (n: number) => calling([whole(`read_fil${n}`, `{"path":"${n}"}`, { index: 0, id: `c${n}` })]);

  it('is answered with the tools that do, and the loop goes on', async () => {
    const { run, requests } = await serving([wrong(1), titled]);
    expect(await run(oneAgent(', tools: [read_file, list_files]'))).toMatchObject({ status: 'done' });
    expect(lastText(requests[1])).toMatch(/"read_fil1" is not a tool of this step.*read_file, list_files, resolve/);
  });

  it('counts: three turns of nothing else fail', async () => {
    const { run, requests } = await serving((_, n) => wrong(n));
    const ran = await run(oneAgent(', tools: [read_file]'));
    expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.arguments' } });
    expect(requests).toHaveLength(3);
  });
});

it('tool-15: after a failed call and a cancelled one, the resumed history has one result for each id', async () => {
  const stop = new AbortController();
  let waited = 0;
  const wait: Tool = {
    spec: { name: 'wait', description: 'Waits.', parameters: { type: 'object' } },
    effect: 'none',
    execute: (_, { signal }) => {
      if (waited++ > 0) return Promise.resolve({ type: 'text', text: 'waited' });
      setTimeout(() => stop.abort(new Fault('run.cancelled', 'Interrupted.')));
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const read = (path: string) => ({ name: 'read_file', args: { path } });
  const { run, requests } = await serving((request) => {
    const rounds = messagesOf(request).filter(({ role }) => role === 'assistant').length;
    if (rounds === 0) return turn({ calls: [read('x.md'), read('missing.md')] });
    return rounds === 1 ? turn({ calls: [read('x.md'), { name: 'wait', args: {} }] }) : titled;
  });
  const it = oneAgent(', tools: [read_file, wait]', '', { 'x.md': 'of x' });
  const tools = [readFileTool, wait];
  const first = await run(it, { tools, signal: stop.signal });
  expect(first).toMatchObject({ status: 'cancelled', exit: 130 });
  const second = await run(it, { tools, resume: true });
  expect(second).toMatchObject({ status: 'done', result: { title: 'T' } });
  // What the model had said is kept: it is not asked for the round again, and its calls are performed to the end.
  expect(requests).toHaveLength(3);
  expect(requests.map(pairing)).toEqual(requests.map(() => 'paired'));
  expect(messagesOf(requests[2]).at(-1)).toMatchObject({ role: 'tool', content: 'waited' });
});

it('tool-17: plain text is never the answer; after three reminders the step fails with the last text', async () => {
  const { run, requests } = await serving([turn({ text: 'The title is T.' })]);
  const ran = await run(oneAgent());
  expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.no_resolve' }, result: null });
  expect(requests).toHaveLength(4);
  for (const request of requests.slice(1)) expect(lastText(request)).toContain('`resolve`');
  expect(JSON.stringify(ran.events)).toContain('The title is T.');
  expect(ran.file('.steps/a/transcript.ndjson')).toContain('The title is T.');
});

it('tool-18: a file of 50 MB reaches the model as its head and its tail, with its size', async () => {
  const { run, requests } = await serving([
    turn({ calls: [{ name: 'read_file', args: { path: 'big.txt' } }] }),
    titled,
  ]);
  const it = oneAgent(', tools: [read_file]', '', { 'big.txt': 'a line of text that is long\n'.repeat(1_800_000) });
  expect(await run(it)).toMatchObject({ status: 'done' });
  expect(requests[1]?.body.length).toBeLessThan(1_000_000);
  expect(lastText(requests[1])).toContain('50400000');
});

describe('tool-20: equal rounds', () => {
  const same = turn({ calls: [{ name: 'read_file', args: { path: 'x.md' } }] });

  // The design: the window is 3, so the warning comes after the second round and the end after the third.
  it('with equal results are a loop: a warning, then the end', async () => {
    const { run, requests } = await serving([same]);
    const ran = await run(oneAgent(', tools: [read_file]', '', { 'x.md': 'of x' }));
    expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'agent.dead_loop' } });
    expect(requests).toHaveLength(3);
    expect(lastText(requests[2])).toContain('same calls with the same results');
  });

  it('whose results change are polling, not a loop', async () => {
    let count = 0;
    const poll: Tool = {
      spec: { name: 'poll', description: 'Looks.', parameters: { type: 'object' } },
      effect: 'none',
      execute: async () => ({ type: 'text', text: `${++count} of 6` }),
    };
    const { run } = await serving((request) =>
      lastText(request) === '6 of 6' ? titled : turn({ calls: [{ name: 'poll', args: {} }] }),
    );
    expect(await run(oneAgent(', tools: [poll]'), { tools: [poll] })).toMatchObject({ status: 'done' });
    expect(count).toBe(6);
  });
});
