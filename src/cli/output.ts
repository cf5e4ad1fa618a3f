/** What commands print: results on stdout, everything else on stderr. Where nothing can be written the printing ends, not the work. */
import { relative } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { plainLines } from '../core/plain-text.js';
import { createRedactor } from '../core/secrets.js';
import type { Screen } from '../sinks/terminal/screen.js';

/** Results only. A person's terminal obeys nothing that a model or a file said; a pipe gets the bytes as they are. */
export function printResult(text: string): void {
  const line = withoutSecrets(text.endsWith('\n') ? text : `${text}\n`);
  process.stdout.write(process.stdout.isTTY ? plainLines(line) : line);
}

export function printJson(value: unknown): void {
  printResult(JSON.stringify(value, null, 2));
}

/** For people: progress, problems, banners. */
export function say(text: string): void {
  process.stderr.write(withoutSecrets(text.endsWith('\n') ? text : `${text}\n`));
}

let redactor: ReturnType<typeof createRedactor> | 'unknown' = 'unknown';

/** Whatever is printed, by whichever way it came: no secret of the environment is in it. */
function withoutSecrets(text: string): string {
  if (redactor === 'unknown') redactor = createRedactor(process.env);
  return redactor?.text(text) ?? text;
}

/** `| head -1` closes the pipe: not an error of ours. A result that cannot be written is one; where nothing can be said, nothing is. */
export function outliveOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    say(`✗ stdout cannot be written: ${reasonOf(error)}`);
    process.exitCode ||= 1;
  });
}

/** `no space left on device`. */
function reasonOf({ errno, message }: NodeJS.ErrnoException): string {
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? message;
}

export function stderrScreen(): Screen {
  const { env, stderr } = process;
  const person = stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
  return {
    write: (text) => stderr.write(text),
    live: person,
    color: isForced(env.FORCE_COLOR) ?? (person && !env.NO_COLOR),
    columns: () => columnsOfScreen(stderr),
    rows: () => stderr.rows || 24,
    cursor: showCursor,
  };
}

/** As Node itself reads it: it overrides NO_COLOR, and what is no terminal. */
function isForced(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  return value !== '0' && value !== 'false';
}

let isCursorHidden = false;

/** Whatever ends this program, but for a KILL, leaves a cursor behind. */
function showCursor(shown: boolean): void {
  if (shown === !isCursorHidden) return;
  if (!shown) process.once('exit', restoreCursor);
  else process.off('exit', restoreCursor);
  isCursorHidden = !shown;
  process.stderr.write(shown ? SHOW_CURSOR : HIDE_CURSOR);
}

function restoreCursor(): void {
  process.stderr.write(SHOW_CURSOR);
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** A terminal that says 0 does not know. */
export function columnsOfScreen({ columns }: { readonly columns?: number }): number {
  return columns || 80;
}

/** Of the terminal that results go to; undefined where they go elsewhere, and are not broken. */
export function resultColumns(): number | undefined {
  return process.stdout.isTTY ? columnsOfScreen(process.stdout) : undefined;
}

/** As `resultColumns`, of what is said to people. */
export function saidColumns(): number | undefined {
  return process.stderr.isTTY ? columnsOfScreen(process.stderr) : undefined;
}

/** A text in which paths below this place are as `here` says them. */
export function hereIn(text: string): string {
  const start = `${process.cwd()}/`;
  return text
    .split(/(?<=[\s"'(=]|^)(?=\/)/)
    .map((part) => (part.startsWith(start) ? part.slice(start.length) : part))
    .join('');
}

/** Paths as a person at this place would type them. */
export function here(path: string): string {
  const short = relative(process.cwd(), path);
  if (short === '') return '.';
  return short.startsWith('..') && short.length >= path.length ? path : short;
}
