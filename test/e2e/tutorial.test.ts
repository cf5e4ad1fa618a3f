/** The tutorial does what it says: its files, edits and commands, in their order, in one project. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');

interface Block {
  /** `sh`, `diff`, …; '' is what the commands of the `sh` block before it print. */
  readonly language: string;
  /** The file that it is, or that it changes. */
  readonly file: string;
  readonly text: string;
}

const BLOCKS = [...PAGE.matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', file = '', text = '']): Block => ({ language, file, text }),
);

interface Command {
  readonly line: string;
  readonly exit: number;
}

function commands(text: string): Command[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ({ line, exit: Number(/# exit (\d+)$/.exec(line)?.[1] ?? 0) }));
}

/** `npx` finds the built program, and no model server of this machine is looked for. */
const NPX = 'npx() { case "$2" in run|resume|fork) "$@" --no-detect;; *) "$@";; esac; }';

async function typed(place: Workspace, { line, exit }: Command): Promise<string> {
  const { code, stdout } = await place.bash(`${NPX}\nexec 2>&1\n${line}`);
  expect(code, `${line}\n${stdout}`).toBe(exit);
  return stdout.replace(/^( {2}go on {2}.*) --no-detect$/gm, '$1');
}

/** The lines with `-` and those without a sign are in the file, once; those with `+` take the place of the first. */
function change(place: Workspace, { file, text }: Block): void {
  const lines = text.trimEnd().split('\n');
  const side = (sign: '-' | '+') =>
    lines
      .filter((line) => line[0] === sign || line[0] === ' ' || line === '')
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  expect(place.read(file).split(side('-'))).toHaveLength(2);
  place.edit(file, side('-'), side('+'));
}

const VARIES: readonly RegExp[] = [
  /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g,
  / *\b[\d.]+ (ms|s)\b/g,
  /[\d.]+k?(?= tokens| out)/g,
];

/** A line of the page as a pattern: `…`, times and token counts stand for any. */
function pattern(line: string): RegExp {
  const masked = VARIES.reduce((text, varies) => text.replace(varies, '…'), line);
  const parts = masked.split('…').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** The page's lines are what was printed, in order, without a gap except at a line `…`. */
function expectShown(page: string, printed: string): void {
  const left = printed.trimEnd().split('\n');
  let isGap = false;
  for (const line of page.trimEnd().split('\n')) {
    if (line === '…') {
      isGap = true;
      continue;
    }
    const at = left.findIndex((one) => pattern(line).test(one));
    expect(at, `${line}\nin what is left of\n${printed}`).toBeGreaterThanOrEqual(0);
    expect(isGap ? [] : left.slice(0, at), `before ${line}`).toEqual([]);
    left.splice(0, at + 1);
    isGap = false;
  }
  expect(isGap ? [] : left, 'at the end').toEqual([]);
}

it('does and prints what the page says, from init to the last test', async () => {
  expect(BLOCKS.filter(({ language }) => language === 'sh').length).toBeGreaterThan(15);
  const place = workspace();
  mkdirSync(join(place.dir, 'schemas'));
  copyFileSync(join(ROOT, 'schemas/pipeline.schema.json'), join(place.dir, 'schemas/pipeline.schema.json'));
  let printed = '';
  for (const block of BLOCKS) {
    if (block.language === 'sh') {
      printed = '';
      for (const command of commands(block.text)) printed += await typed(place, command);
    } else if (block.language === 'diff') change(place, block);
    else if (block.language === '') expectShown(block.text, printed);
    else place.write(block.file, block.text);
  }
  expect(place.has('skills/brief')).toBe(false);
});
