import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askAt, chosenBy, type Desk, questionText } from '../../src/cli/ask.js';
import { wrapped } from '../../src/cli/wrapped.js';
import { columnsOf } from '../../src/core/columns.js';
import { Fault } from '../../src/core/faults.js';

const QUESTION = { path: 'rounds/0/ok', title: 'Is it good?', ask: 'Read it.', choices: ['approve', 'send it back'] };

/** A desk at which these lines are typed, each when the prompt before it has been shown. */
function deskWith(typed: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...typed];
  let shown = '';
  let holds = 0;
  let interrupts = 0;
  output.on('data', (bytes: Buffer) => {
    const text = bytes.toString();
    shown += text;
    if (/(open|none\)): /.test(text)) setImmediate(() => input.write(left.shift() ?? ''));
  });
  const desk: Desk = {
    input,
    output,
    color: false,
    columns: () => 80,
    hold: () => {
      holds++;
      return () => holds--;
    },
    interrupt: () => interrupts++,
  };
  return { desk, shown: () => shown, holds: () => holds, interrupts: () => interrupts };
}

it('shows what is asked and its choices, and takes a number with a comment', async () => {
  const { desk, shown, holds } = deskWith(['2\n', 'too long\n']);
  expect(await askAt(desk)(QUESTION, new AbortController().signal)).toEqual({
    choice: 'send it back',
    comment: 'too long',
  });
  expect(shown()).toContain('\n? Is it good?  (rounds/0/ok)\n\nRead it.\n\n  1  approve\n  2  send it back\n\n');
  expect(holds()).toBe(0);
});

it('keeps a comment that was given, and does not ask for it', async () => {
  const { desk, shown } = deskWith(['1\n', 'another\n']);
  expect(await askAt(desk, 'as agreed')(QUESTION, new AbortController().signal)).toEqual({
    choice: 'approve',
    comment: 'as agreed',
  });
  expect(shown()).not.toContain('Comment');
});

it('asks again after Enter alone and after what is no choice', async () => {
  const { desk, shown } = deskWith(['\n', '3\n', 'Approve\n', '\n']);
  expect(await askAt(desk)(QUESTION, new AbortController().signal)).toEqual({ choice: 'approve', comment: '' });
  expect(shown()).toContain('"3" is none of the choices.');
});

it('says at a question what becomes of a command that is typed there', async () => {
  const { desk, shown } = deskWith(['/one 你好\n', '1\n', '\n']);
  await askAt(desk)(QUESTION, new AbortController().signal);
  expect(shown()).toContain(
    '"/one 你好" is none of the choices. Commands are taken again when this is answered or left open.\n',
  );
});

it('leaves no room for what is not asked', () => {
  const shown = questionText({ ...QUESTION, title: 'Start?', ask: '' }, { color: false, columns: () => 80 });
  expect(shown).toBe('\n? Start?  (rounds/0/ok)\n\n  1  approve\n  2  send it back\n\n');
});

it('puts questions that come at once one after the other', async () => {
  const { desk, shown } = deskWith(['1\n', 'a\n', '2\n', 'b\n']);
  const ask = askAt(desk);
  const { signal } = new AbortController();
  const answers = await Promise.all([ask(QUESTION, signal), ask({ ...QUESTION, title: 'And this?' }, signal)]);
  expect(answers.map(({ comment }) => comment)).toEqual(['a', 'b']);
  expect(shown().indexOf('And this?')).toBeGreaterThan(shown().indexOf('Comment'));
});

it('ends with the reason of its signal, whether it is shown or still in the queue', async () => {
  const { desk, holds } = deskWith([]);
  const ask = askAt(desk);
  const stop = new AbortController();
  const both = Promise.allSettled([ask(QUESTION, stop.signal), ask(QUESTION, stop.signal)]);
  const reason = new Fault('run.cancelled', 'interrupted');
  setImmediate(() => stop.abort(reason));
  expect(await both).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  expect(holds()).toBe(0);
});

it('leaves the question open at Ctrl-D, and hands Ctrl-C on', async () => {
  const { desk, interrupts } = deskWith(['\u0003', '\u0004']);
  const answer = askAt(desk)(QUESTION, new AbortController().signal);
  setImmediate(() => setImmediate(() => desk.input.emit('data', Buffer.from('\u0004'))));
  await expect(answer).rejects.toMatchObject({ data: { code: 'run.unanswered' } });
  expect(interrupts()).toBe(1);
});

it('lets no byte of a question or a choice command the terminal', () => {
  const hostile = '\u001b[2J\u009b1m\u0007\u202eabc\r';
  const text = questionText(
    { path: 'ok', title: hostile, ask: hostile, choices: [hostile] },
    {
      color: false,
      columns: () => 80,
    },
  );
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  expect(text).toContain('\\u001b[2J');
});

it('takes a typed number for a choice that is a number, not for a place', () => {
  expect(chosenBy('2', ['2', '1'], false)).toBe('2');
  expect(chosenBy('2', ['a', 'b'], true)).toBe('b');
  expect(chosenBy('0', ['a', 'b'], true)).toBeUndefined();
  expect(chosenBy('A', ['a', 'A '], true)).toBe('A ');
  expect(chosenBy('JA', ['ja', 'Ja'], true)).toBeUndefined();
});

it('breaks lines between words, loses none, and is never wider than the screen', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '量', 'é'), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.constantFrom('', '- ', '  ', '12. '), (words, start) => {
      const lines = wrapped(start + words.join(' '), 40).split('\n');
      expect(lines.join(' ').split(/\s+/).join(' ').trim()).toBe((start + words.join(' ')).trim());
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(40);
    }),
  );
});
