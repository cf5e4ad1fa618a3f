/** What was said in a conversation, within a quota. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { quoted, readSaid } from '../../src/agent/said.js';
import type { Message } from '../../src/core/model.js';

const user = (text: string): Message => ({ role: 'user', text });
const says = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const result = (text: string): Message => ({ role: 'tool', callId: 'a', name: 'f', text, error: false });
const sizeOf = (messages: readonly Message[]) => messages.reduce((sum, { text }) => sum + text.length, 0);

const saying = (system: string, ...messages: readonly Message[]) => ({ model: 'm/m', system, messages });

it('is whole when it fits, or when no quota is set', () => {
  const all = saying('s', user('abc'), says('defg'));
  expect(quoted(all, 8)).toEqual({ ...all, leftOut: { messages: 0, characters: 0 } });
  expect(quoted(all, 0).messages).toBe(all.messages);
});

it('keeps the prompt and the last messages that fit, and says what is left out', () => {
  const long = [says('a'.repeat(50)), result('b'.repeat(50)), says('c'.repeat(20)), says('d'.repeat(20))];
  const all = saying('system', user('prompt'), ...long);
  const { messages, leftOut } = quoted(all, 60);
  expect(messages).toEqual([all.messages[0], all.messages[3], all.messages[4]]);
  expect(leftOut).toEqual({ messages: 2, characters: 100 });
});

it('cuts a system text, a prompt and a last message that alone are too long, and stays within its quota', () => {
  const calls = [{ id: 'a', name: 'f', arguments: 'z'.repeat(1_000) }];
  const ends: Message[] = [says('y'.repeat(1_000)), { role: 'assistant', text: '', calls }];
  for (const end of ends) {
    const all = saying('s'.repeat(1_000), user('p'.repeat(1_000)), says('x'), end);
    const { system, messages, leftOut } = quoted(all, 100);
    expect(system).toBe(`${'s'.repeat(24)}…`);
    expect(messages[0]?.text).toBe(`${'p'.repeat(24)}…`);
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages[1])).toMatch(/(y{40}|z{40}).*…/);
    expect(leftOut.messages).toBe(1);
    const callsSize = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []));
    expect(
      system.length + sizeOf(messages) + callsSize.reduce((sum, one) => sum + one.arguments.length, 0),
    ).toBeLessThan(102);
  }
});

it('is read with the round that is going on, and without a line that was not written whole', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-said-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'transcript.ndjson');
  const reply = { text: 'next', calls: [], finish: 'stop' };
  const lines = [
    { type: 'head', key: 'k', model: 'm/m', system: 's' },
    { type: 'message', message: user('p') },
    { type: 'reply', round: 1, reply: { ...reply, text: 'first' }, model: 'm/m' },
    { type: 'message', message: says('first') },
    { type: 'round', round: 1, guards: {}, reads: [] },
    { type: 'reply', round: 2, reply, model: 'm/m' },
  ];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type":"mess`);
  expect(readSaid(file)).toEqual({ model: 'm/m', system: 's', messages: [user('p'), says('first'), says('next')] });
  expect(readSaid(join(dir, 'none'))).toBeUndefined();
});
