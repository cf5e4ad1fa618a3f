/** A page that can be followed, read as what it has its reader do: commands, files, edits, and what is then shown. */

export type Block =
  | { readonly type: 'commands'; readonly commands: readonly Command[] }
  | { readonly type: 'printed'; readonly text: string }
  | { readonly type: 'file'; readonly file: string; readonly text: string }
  | { readonly type: 'change'; readonly file: string; readonly before: string; readonly after: string };

export interface Command {
  readonly line: string;
  readonly exit: number;
}

/**
 * Its fences, in order. `sh` holds commands, one a line, with `# exit <n>` behind those that do not end with 0; a fence
 * without a language is what they print; one that names a file is that file, and with `diff` a change of it. `console`
 * holds commands behind `$ `, each with what it prints. Any other fence only shows something.
 */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].flatMap(
    ([, language = '', file = '', text = '']): Block[] => {
      if (language === 'sh') return [{ type: 'commands', commands: text.trimEnd().split('\n').map(command) }];
      if (language === 'console') return session(text);
      if (language === 'diff' && file !== '') return [change(file, text)];
      if (file !== '') return [{ type: 'file', file, text }];
      return language === '' ? [{ type: 'printed', text }] : [];
    },
  );
}

function command(line: string): Command {
  return { line, exit: Number(/# exit (\d+)$/.exec(line)?.[1] ?? 0) };
}

function session(text: string): Block[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .flatMap((part): Block[] => {
      const [line = '', ...shown] = part.split('\n');
      const printed = shown.join('\n');
      const commands = { type: 'commands' as const, commands: [command(line)] };
      return printed.trim() === '' ? [commands] : [commands, { type: 'printed', text: printed }];
    });
}

/** The lines with `-` and those without a sign are in the file; those with `+` take the place of the first. */
function change(file: string, text: string): Block {
  const lines = text.trimEnd().split('\n');
  const side = (sign: '-' | '+') =>
    lines
      .filter((line) => line[0] === sign || line[0] === ' ' || line === '')
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return { type: 'change', file, before: side('-'), after: side('+') };
}

const VARIES: readonly RegExp[] = [
  /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g,
  / *\b[\d.]+ (ms|s)\b/g,
  /[\d.]+k?(?= tokens| out| in,)/g,
  /(?<=needs about )\d+/g,
];

/** A line of the page as a pattern: `…`, times and token counts stand for any. */
function pattern(line: string): RegExp {
  const masked = VARIES.reduce((text, varies) => text.replace(varies, '…'), line);
  const parts = masked.split('…').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** What keeps the page's lines from being those that were printed, in order, without a gap except at a line `…`. */
export function mismatch(page: string, printed: string): string | undefined {
  const left = printed.replace(/^\n+/, '').trimEnd().split('\n');
  let isGap = false;
  for (const line of page.trimEnd().split('\n')) {
    if (line.trim() === '…') {
      isGap = true;
      continue;
    }
    const at = left.findIndex((one) => pattern(line).test(one));
    if (at < 0) return `The page shows\n${line}\nwhich is not in what is left of\n${printed}`;
    if (!isGap && at > 0) return `Before\n${line}\nthe page leaves out\n${left.slice(0, at).join('\n')}`;
    left.splice(0, at + 1);
    isGap = false;
  }
  return isGap || left.length === 0 ? undefined : `At the end the page leaves out\n${left.join('\n')}`;
}
