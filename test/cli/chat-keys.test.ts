import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { typedBefore } from '../../src/cli/chat-history.js';
import { BREAK, keysAt, pasteReader } from '../../src/cli/chat-keys.js';

const PASTE = '\u001b[200~one\r\ntwo\tthree\u001b[201~';

describe('a paste', () => {
  it('is one line wherever the terminal cuts it', () => {
    const whole = `a${PASTE}b\r`;
    for (let at = 0; at <= whole.length; at++) {
      const read = pasteReader();
      expect(read(whole.slice(0, at)) + read(whole.slice(at))).toBe(`aone${BREAK}two  threeb\r`);
    }
  });

  it('leaves other keys that begin with Escape alone', () => {
    const read = pasteReader();
    expect(read('\u001b') + read('[A\u001b[2~x')).toBe('\u001b[A\u001b[2~x');
  });
});

describe('what is typed', () => {
  function desk() {
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    const keys = keysAt(input, output);
    return { input, read: (history: readonly string[] = []) => keys.read('> ', '. ', history) };
  }

  it('is read a line at a time, also when several came at once', async () => {
    const { input, read } = desk();
    input.write('one\rtwo\r');
    expect(await read()).toEqual({ type: 'line', text: 'one' });
    expect(await read()).toEqual({ type: 'line', text: 'two' });
  });

  it('goes on in the next line behind a backslash, and holds the lines of a paste', async () => {
    const { input, read } = desk();
    input.write(`one\\\rtwo\r${PASTE}\r`);
    expect(await read()).toEqual({ type: 'line', text: 'one\ntwo' });
    expect(await read()).toEqual({ type: 'line', text: 'one\ntwo  three' });
  });

  it('comes back by the arrow keys, the newest first', async () => {
    const { input, read } = desk();
    input.write('\u001b[A\u001b[A\r');
    expect(await read(['newest', `older${BREAK}one`])).toEqual({ type: 'line', text: 'older\none' });
  });

  it('is thrown away by Ctrl-C, which says so at an empty prompt; Ctrl-D is the end', async () => {
    const { input, read } = desk();
    input.write('half\u0003');
    expect(await read()).toEqual({ type: 'dropped' });
    input.write('first\\\r\u0003');
    expect(await read()).toEqual({ type: 'dropped' });
    input.write('\u0003');
    expect(await read()).toEqual({ type: 'interrupt' });
    input.write('\u0004');
    expect(await read()).toEqual({ type: 'end' });
  });

  it('is remembered over chats: private, each once, without secrets', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pipeline-typed-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'chats/history');
    const before = typedBefore(file, { MY_TOKEN: 'abcdef1234567890' });
    for (const text of ['one', 'two\nlines', 'one', 'use abcdef1234567890', ' ']) before.add(text);
    expect(typedBefore(file, {}).lines()).toEqual(['use «redacted:MY_TOKEN»', 'one', `two${BREAK}lines`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('abcdef');
  });
});
