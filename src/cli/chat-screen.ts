/** What a chat shows: the model's words on stdout as they come, what goes on dimmed on stderr. */
import type { ChatScreen } from '../chat/answer.js';
import { plainLines } from '../core/plain-text.js';
import type { Screen } from '../sinks/terminal/screen.js';
import { printResult, resultColumns, say } from './output.js';
import { hanging } from './wrapped.js';

type Voice = 'answer' | 'aside';

/** @param screen stderr */
export function chatScreen(screen: Screen): ChatScreen {
  const { stdout } = process;
  const dim = (text: string) => (screen.color ? `\u001b[2m${text}\u001b[0m` : text);
  const write = {
    answer: (text: string) => stdout.write(stdout.isTTY ? plainLines(text) : text),
    aside: (text: string) => screen.write(dim(plainLines(text))),
  };
  /** Who spoke last, and whether in the middle of a line. */
  let last: Voice | undefined;
  let isInLine = false;

  const end = () => {
    if (last && isInLine) write[last]('\n');
    last = undefined;
    isInLine = false;
  };
  const speak = (voice: Voice) => (text: string) => {
    if (last !== voice) end();
    const shown = last === voice ? text : text.replace(/^\n+/, '');
    if (shown === '') return;
    write[voice](shown);
    last = voice;
    isInLine = !shown.endsWith('\n');
  };
  return {
    columns: resultColumns,
    answer: speak('answer'),
    aside: speak('aside'),
    end,
    note(text) {
      end();
      say(dim(plainLines(text)));
    },
    print(text) {
      end();
      printResult(broken(text, resultColumns()));
    },
  };
}

/** Between words; the second column of a line goes on below itself. */
export function broken(text: string, columns: number | undefined): string {
  const hangOf = (line: string) => /^\s*\S+(?: \S+)*\s{2,}(?=\S)/.exec(line)?.[0].length ?? 2;
  return text
    .split('\n')
    .map((line) => hanging(line, columns, hangOf(line)))
    .join('\n');
}
