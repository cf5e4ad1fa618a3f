/** Follows a page in a project of its own, as its reader would, to the last command. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Workspace, workspace } from './cli.js';
import { type Block, blocksOf, type Command, mismatch } from './page.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Both names of the built program, which whoever runs the tests has installed. No model server of this machine is looked for. */
const COMMANDS = `export TMPDIR="$HOME"
eval "built_$(declare -f pipeline)"
pipeline() { case "$1" in run|resume|fork) built_pipeline "$@" --no-detect;; *) built_pipeline "$@";; esac; }
npx() { [ "$1" = pipeline ] || { command npx "$@"; return; }; "$@"; }
npm() { case "$1" in ci|test) ;; *) command npm "$@";; esac; }
export -f built_pipeline pipeline npx npm
`;

export interface Surroundings {
  /** Bash lines before each command. */
  readonly prelude?: string;
  /** Before the first block. */
  readonly prepare?: (place: Workspace) => void;
}

/** What was printed is held against what the page shows, each file and edit is made; the workspace is as the page leaves it. */
export async function follow(page: string, { prelude = '', prepare }: Surroundings = {}): Promise<Workspace> {
  const place = workspace();
  mkdirSync(join(place.dir, 'schemas'));
  copyFileSync(join(ROOT, 'schemas/pipeline.schema.json'), join(place.dir, 'schemas/pipeline.schema.json'));
  prepare?.(place);
  const following: Following = { place, before: [COMMANDS, prelude], printed: '' };
  for (const block of blocksOf(page)) await perform(block, following);
  return place;
}

interface Following {
  readonly place: Workspace;
  /** Each command has a shell of its own, which begins with these; what one exports is among them for those after it. */
  readonly before: string[];
  /** By the commands of the last block that had some. */
  printed: string;
}

async function perform(block: Block, following: Following): Promise<void> {
  const { place } = following;
  switch (block.type) {
    case 'commands':
      following.printed = '';
      for (const command of block.commands) following.printed += await typed(command, following);
      return;
    case 'printed': {
      const wrong = mismatch(block.text, following.printed);
      if (wrong !== undefined) throw new Error(wrong);
      return;
    }
    case 'file':
      return place.write(block.file, block.text);
    case 'change':
      expect(place.read(block.file).split(block.before), `${block.file}\n${block.before}`).toHaveLength(2);
      return place.edit(block.file, block.before, block.after);
  }
}

async function typed({ line, exit }: Command, { place, before }: Following): Promise<string> {
  const { code, stdout } = await place.bash(`${before.join('\n')}\nexec 2>&1\n${line}`);
  expect(code, `${line}\n${stdout}`).toBe(exit);
  if (line.startsWith('export ')) before.push(line);
  return stdout.replace(/^( {2}go on {2}.*) --no-detect$/gm, '$1');
}
