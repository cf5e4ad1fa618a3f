/** Lines that a person types at a terminal: edited, with a history, several lines by a paste or a trailing backslash. */
import { Readable } from 'node:stream';

export type Line =
  | { readonly type: 'line'; readonly text: string }
  /** Ctrl-C: what was typed is thrown away. */
  | { readonly type: 'dropped' }
  /** Ctrl-C at an empty prompt. */
  | { readonly type: 'interrupt' }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly type: 'end' };

export interface Keys {
  read(prompt: string, more: string, history: readonly string[]): Promise<Line>;
  /** Leaves the terminal as it was. */
  close(): void;
}

interface Keyboard extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Of one prompt only the keys up to Enter are taken: what comes behind them is the next one's. */
export function keysAt(input: Keyboard, output: NodeJS.WritableStream): Keys {
  const pasted = pasteReader();
  let waiting = '';
  let isEnded = false;
  input.once('end', () => {
    isEnded = true;
  });

  async function readOne(prompt: string, history: readonly string[]): Promise<Line> {
    const { createInterface } = await import('node:readline');
    if (isEnded && waiting === '') return { type: 'end' };
    const feed = Object.assign(new Readable({ read: () => undefined }), {
      isTTY: true,
      setRawMode: (mode: boolean) => input.setRawMode?.(mode),
    });
    return new Promise((resolve) => {
      const reader = createInterface({
        input: feed,
        output,
        terminal: true,
        prompt,
        history: [...history],
        historySize: 1_000,
        removeHistoryDuplicates: true,
      });
      const give = () => {
        const end = waiting.search(/[\r\n]/);
        const upTo = end < 0 ? waiting.length : end + 1;
        const text = waiting.slice(0, upTo);
        waiting = waiting.slice(waiting.startsWith('\r\n', end) ? upTo + 1 : upTo);
        if (text !== '') feed.push(text);
      };
      const onData = (chunk: Buffer | string) => {
        waiting += pasted(chunk.toString());
        give();
      };
      const onEnd = () => finish({ type: 'end' });
      let isOver = false;
      const finish = (line: Line) => {
        if (isOver) return;
        isOver = true;
        input.off('data', onData);
        input.off('end', onEnd);
        input.pause();
        reader.close();
        output.write(PASTE_OFF);
        resolve(line);
      };
      reader.on('line', (text) => finish({ type: 'line', text: text.replaceAll(BREAK, '\n') }));
      reader.on('SIGINT', () => {
        output.write('^C\n');
        finish({ type: reader.line === '' ? 'interrupt' : 'dropped' });
      });
      reader.on('close', () => {
        if (!isOver) output.write('\n');
        finish({ type: 'end' });
      });
      input.on('data', onData);
      input.once('end', onEnd);
      output.write(PASTE_ON);
      reader.prompt();
      input.resume();
      give();
    });
  }

  return {
    async read(prompt, more, history) {
      const lines: string[] = [];
      for (;;) {
        const line = await readOne(lines.length === 0 ? prompt : more, lines.length === 0 ? history : []);
        if (line.type === 'interrupt' && lines.length > 0) return { type: 'dropped' };
        if (line.type !== 'line') return line;
        if (!line.text.endsWith('\\')) return { type: 'line', text: [...lines, line.text].join('\n') };
        lines.push(line.text.slice(0, -1));
      }
    },
    close: () => void output.write(PASTE_OFF),
  };
}

/** Stands for a line break while a pasted text is edited in one line. */
export const BREAK = '\u2424';

const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** Terminals mark what is pasted: its line breaks are no Enter. The marks may be cut anywhere. */
export function pasteReader(): (chunk: string) => string {
  let held = '';
  let isPasting = false;
  return (chunk) => {
    let text = held + chunk;
    held = '';
    let out = '';
    for (;;) {
      const mark = isPasting ? PASTE_END : PASTE_BEGIN;
      const at = text.indexOf(mark);
      const part = at < 0 ? text : text.slice(0, at);
      const cut = at < 0 ? (isPasting && part.endsWith('\r') ? 1 : beginningAtEnd(part, mark)) : 0;
      held = part.slice(part.length - cut);
      const whole = part.slice(0, part.length - cut);
      out += isPasting ? asOneLine(whole) : whole;
      if (at < 0) return out;
      held = '';
      text = text.slice(at + mark.length);
      isPasting = !isPasting;
    }
  };
}

/** How much of the end may be the beginning of a mark. */
function beginningAtEnd(text: string, mark: string): number {
  for (let length = mark.length - 1; length > 0; length--) if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

function asOneLine(text: string): string {
  return text
    .replace(/\r\n|\r|\n/g, BREAK)
    .replaceAll('\t', '  ')
    .replace(/\p{Cc}/gu, '');
}
