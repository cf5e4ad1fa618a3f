/** A chat of a project in a temporary folder, with a model that a test writes and a screen that is a list. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Question } from '../../src/core/context.js';
import type { Provider } from '../../src/core/model.js';
import { type ChatRequest, openChat } from '../../src/talk.js';

export interface Room {
  readonly dir: string;
  /** What was shown, as `answer: …`, `aside: …`, `note: …`, `print: …`. */
  readonly shown: string[];
  readonly asked: Question[];
  say(line: string, signal?: AbortSignal): Promise<string>;
  write(path: string, content: string): void;
  read(path: string): string;
  /** Another chat in the same project. */
  again(more?: Partial<ChatRequest>): Omit<Room, 'again' | 'dir' | 'write' | 'read'>;
}

/** @param answer of the person to each question; nobody is there without it */
export function room(provider: Provider, more: Partial<ChatRequest> = {}, answer?: (asked: Question) => string): Room {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-chat-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'skills'));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  const enter = (also: Partial<ChatRequest> = {}) => {
    const shown: string[] = [];
    const asked: Question[] = [];
    const put = (kind: string) => (text: string) => void shown.push(`${kind}: ${text}`);
    const chat = openChat({
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir },
      providers: { voice: provider },
      model: 'voice/m',
      detect: false,
      screen: {
        answer: put('answer'),
        aside: put('aside'),
        note: put('note'),
        print: put('print'),
        end: () => undefined,
        columns: () => undefined,
      },
      ...(answer
        ? {
            ask: async (question) => {
              asked.push(question);
              return { choice: answer(question), comment: '' };
            },
          }
        : {}),
      ...more,
      ...also,
    });
    onTestFinished(() => chat.close());
    return {
      shown,
      asked,
      async say(line: string, signal = new AbortController().signal) {
        const from = shown.length;
        await chat.hear(line, signal);
        return shown.slice(from).join('\n');
      },
    };
  };
  let first: ReturnType<typeof enter> | undefined;
  const here = () => {
    first ??= enter();
    return first;
  };
  return {
    dir,
    write,
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    get shown() {
      return here().shown;
    },
    get asked() {
      return here().asked;
    },
    say: (line, signal) => here().say(line, signal),
    again: enter,
  };
}
