/** What commands print: results on stdout, everything else on stderr. A reader that went away ends the printing, not the work. */
import { relative } from 'node:path';
import { plainLines } from '../core/plain-text.js';
import type { Screen } from '../sinks/terminal.js';

/** Results only. A person's terminal obeys nothing that a model or a file said; a pipe gets the bytes as they are. */
export function printResult(text: string): void {
  const line = text.endsWith('\n') ? text : `${text}\n`;
  process.stdout.write(process.stdout.isTTY ? plainLines(line) : line);
}

export function printJson(value: unknown): void {
  printResult(JSON.stringify(value, null, 2));
}

/** For people: progress, problems, banners. */
export function say(text: string): void {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** `| head -1` closes the pipe: not an error of ours. */
export function muteClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

export function stderrScreen(): Screen {
  const { env, stderr } = process;
  const person = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  return {
    write: (text) => stderr.write(text),
    live: person,
    color: person && !env.NO_COLOR,
    columns: () => stderr.columns ?? 80,
  };
}

/** Paths as a person at this place would type them. */
export function here(path: string): string {
  const short = relative(process.cwd(), path);
  if (short === '') return '.';
  return short.startsWith('..') && short.length >= path.length ? path : short;
}
