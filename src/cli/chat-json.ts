/** A chat for a program: a line of JSON on stdout for each message or command that was piped in. */
import type { ChatScreen } from '../chat/answer.js';
import type { Chat, Heard } from '../chat/chat.js';
import { printResult } from './output.js';

export interface JsonChat {
  readonly screen: ChatScreen;
  /** @param said the message or command that this came of */
  told(said: string, heard: Heard, chat: Pick<Chat, 'usage' | 'session'>): void;
}

/** @param onStderr shows all but the answers */
export function jsonChat(onStderr: ChatScreen): JsonChat {
  let answer = '';
  const line = () => {
    if (answer !== '' && !answer.endsWith('\n')) answer += '\n';
  };
  return {
    screen: {
      ...onStderr,
      columns: () => undefined,
      answer(text) {
        onStderr.end();
        answer += answer === '' ? text.replace(/^\n+/, '') : text;
      },
      print(text) {
        line();
        answer += text;
      },
      end() {
        line();
        onStderr.end();
      },
    },
    told(said, heard, chat) {
      const { id } = chat.session();
      const status = heard.type === 'failed' ? 'failed' : 'done';
      const fault = heard.type === 'failed' ? { fault: heard.fault } : {};
      printResult(
        JSON.stringify({ said, status, answer: answer.trimEnd(), ...fault, usage: chat.usage(), session: id }),
      );
      answer = '';
    },
  };
}
