/** What a person typed in earlier chats of the project, newest first, as the arrow keys bring it back. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createRedactor } from '../core/secrets.js';
import { BREAK } from './chat-keys.js';

const MOST_KEPT = 1_000;

export interface TypedBefore {
  /** Newest first. */
  lines(): readonly string[];
  add(text: string): void;
}

/** @param file absolute, one JSON text a line; a file that cannot be written is gone without */
export function typedBefore(file: string, env: NodeJS.ProcessEnv): TypedBefore {
  const redactor = createRedactor(env);
  let kept = read(file);
  return {
    lines: () => kept,
    add(text) {
      const line = (redactor?.text(text) ?? text).replaceAll('\n', BREAK);
      if (line.trim() === '' || line === kept[0]) return;
      kept = [line, ...kept.filter((one) => one !== line)];
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        if (kept.length <= MOST_KEPT) return appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
        kept = kept.slice(0, MOST_KEPT / 2);
        const lines = [...kept].reverse().map((one) => `${JSON.stringify(one)}\n`);
        writeFileSync(file, lines.join(''), { mode: 0o600 });
      } catch {
        // It is a convenience: the chat itself is kept elsewhere.
      }
    },
  };
}

function read(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const texts = lines.flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'string' ? [value] : [];
      } catch {
        return [];
      }
    });
    return [...new Set(texts.reverse())];
  } catch {
    return [];
  }
}
