/** The folder that a test runs in, and what killed tests have left of such folders. */
import { existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'pipeline-test-';
/** Stands in a folder until its test is over: one that a person was told of has none. */
const UNFINISHED = '.unfinished';
const DAY_MS = 86_400_000;

interface RunsDir {
  /** Its real path. */
  readonly dir: string;
  keep(): Promise<void>;
  remove(): Promise<void>;
}

export function newRunsDir(): RunsDir {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  const mark = join(dir, UNFINISHED);
  writeFileSync(mark, '');
  return {
    dir,
    keep: () => rm(mark, { force: true }),
    remove: () => removeAll(dir),
  };
}

/** Removes what tests have left that were killed more than a day ago. */
export async function removeLeftovers(nowMs: number): Promise<void> {
  const folders = existsSync(tmpdir()) ? readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX)) : [];
  for (const name of folders) {
    const dir = join(tmpdir(), name);
    if (isLeftover(dir, nowMs)) await removeAll(dir).catch(() => undefined);
  }
}

function isLeftover(dir: string, nowMs: number): boolean {
  const folder = lstatSync(dir, { throwIfNoEntry: false });
  if (!folder?.isDirectory() || folder.uid !== process.getuid?.()) return false;
  const mark = lstatSync(join(dir, UNFINISHED), { throwIfNoEntry: false });
  return mark?.isFile() === true && nowMs - mark.mtimeMs > DAY_MS;
}

function removeAll(dir: string): Promise<void> {
  return rm(dir, { recursive: true, force: true, maxRetries: 3 });
}
