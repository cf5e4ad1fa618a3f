/** What a program said when it failed: one line of the end of its standard error. */

const NODE_VERSION = /^Node\.js v\d/;
const CARETS = /^\s*\^+\s*$/;
const FRAME = /^\s+at /;

/** The last line; of a Node program that crashed the message before its stack, below which Node says its version. '' for nothing. */
export function lastErrorIn(stderr: string): string {
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  const last = lines.at(-1) ?? '';
  if (NODE_VERSION.test(last)) return messageOfCrash(lines.slice(0, -1)) ?? last;
  return FRAME.test(last) ? (beforeFrames(lines) ?? last.trim()) : last;
}

/** Between the line of the source, which Node marks, and the frames. */
function messageOfCrash(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => CARETS.test(line)) + 1;
  const said = lines.slice(start).filter((line) => line !== '');
  const message = start > 0 ? said.find((line) => !FRAME.test(line)) : beforeFrames(lines);
  return message === undefined ? said.at(-1) : bare(message);
}

/** Of the frames that come last. */
function beforeFrames(lines: readonly string[]): string | undefined {
  let at = lines.findLastIndex((line) => FRAME.test(line));
  while (at >= 0 && FRAME.test(lines[at] ?? '')) at--;
  const line = lines[at] ?? '';
  return line === '' ? undefined : bare(line);
}

/** Without the brace behind which properties of the error follow. */
function bare(line: string): string {
  return line.trim().replace(/ \{$/, '');
}
