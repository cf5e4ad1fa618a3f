import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listSessions, newSessionId, openSession } from '../../src/chat/session.js';
import type { Message } from '../../src/core/model.js';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-session-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'chats');
}

const user = (text: string): Message => ({ role: 'user', text });
const said = (text: string): Message => ({ role: 'assistant', text, calls: [] });
const open = (dir: string, id = 'a') => openSession(dir, id, () => 0);

describe('a chat on disk', () => {
  it('is read back as it was, and leaves no file while nothing is said', () => {
    const dir = folder();
    const session = open(dir);
    expect(listSessions(dir)).toEqual([]);
    session.write({ type: 'said', messages: [user('hi')] });
    session.write({ type: 'said', messages: [said('hello')] });
    expect(open(dir).messages).toEqual([user('hi'), said('hello')]);
  });

  it('begins with the summary and the last messages once it was summed up', () => {
    const dir = folder();
    const session = open(dir);
    for (const text of ['a', 'b', 'c', 'd']) session.write({ type: 'said', messages: [user(text)] });
    session.write({ type: 'compacted', summary: user('a and b'), kept: 2 });
    session.write({ type: 'said', messages: [user('e')] });
    expect(open(dir).messages.map(({ text }) => text)).toEqual(['a and b', 'c', 'd', 'e']);
  });

  it('leaves out a line that a kill cut off, and writes the next one whole', () => {
    const dir = folder();
    const session = open(dir);
    session.write({ type: 'said', messages: [user('hi')] });
    appendFileSync(session.file, '{"type":"said","messages":[{"role":"assi');
    const again = open(dir);
    expect(again.messages).toEqual([user('hi')]);
    again.write({ type: 'said', messages: [said('hello')] });
    expect(open(dir).messages).toEqual([user('hi'), said('hello')]);
  });

  it('has a result for every call of a round that was killed: known, unknown, or not begun', () => {
    const dir = folder();
    const session = open(dir);
    const calls = ['look', 'write', 'run'].map((name, at) => ({ id: `c${at}`, name, arguments: '{}' }));
    const reply: Message = { role: 'assistant', text: '', calls };
    const seen: Message = { role: 'tool', callId: 'c0', name: 'look', text: 'seen', error: false };
    session.write({ type: 'said', messages: [user('go')] });
    session.write({ type: 'begun', said: reply, call: 1, results: [[0, seen]] });
    const { messages } = open(dir);
    expect(messages.slice(0, 3)).toEqual([user('go'), reply, seen]);
    expect(messages.slice(3).map(({ text }) => text)).toEqual([
      expect.stringContaining('Nobody knows whether it took effect'),
      expect.stringContaining('not executed'),
    ]);
    // Once it is gone on with, that is what was said.
    open(dir).write({ type: 'said', messages: [user('and now?')] });
    expect(open(dir).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool', 'user']);
    expect(readFileSync(session.file, 'utf8')).not.toContain('Nobody knows');
  });

  it('forgets that a call had begun when its round is whole', () => {
    const dir = folder();
    const session = open(dir);
    const reply: Message = { role: 'assistant', text: '', calls: [{ id: 'c', name: 'run', arguments: '{}' }] };
    const result: Message = { role: 'tool', callId: 'c', name: 'run', text: 'done', error: false };
    session.write({ type: 'begun', said: reply, call: 0, results: [] });
    session.write({ type: 'said', messages: [reply, result] });
    expect(open(dir).messages).toEqual([reply, result]);
  });

  it('has an id that sorts by time', () => {
    expect(newSessionId(Date.UTC(2026, 0, 2, 3, 4, 5), () => 0.5)).toBe('20260102-030405-i000');
  });
});
