/** What an attempt at a step left in its folder: its model's last words, its files. */
import fs from 'node:fs';
import { join } from 'node:path';
import { parseLine } from '../agent/transcript.js';
import type { StepPath } from '../core/outcome.js';
import type { AttemptRecord } from '../engine/read-attempts.js';
import { runDirAt, type StepDir } from '../engine/run-dir.js';

export interface Left {
  /** Absolute. */
  readonly folder: string;
  /** The last text or call of its model, at most 200 characters. */
  readonly lastWords?: string;
  /** Below its work folder; the first of them. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Of those that are not listed. */
  readonly moreFiles: number;
}

const MOST_CHARACTERS = 200;
const MOST_FILES = 100;

/** Undefined for an attempt that left nothing, or whose folder is not known for certain. */
export function leftBy(dir: string, path: StepPath, attempts: readonly AttemptRecord[], at: number): Left | undefined {
  const step = runDirAt(dir).step(path);
  const folder = at === attempts.length - 1 ? step.dir : earlierFolder(step, attempts, at);
  if (folder === undefined || !fs.existsSync(folder)) return undefined;
  const files = filesBelow(join(folder, 'work'));
  const said = lastWordsIn(join(folder, 'transcript.ndjson'));
  return {
    folder,
    ...(said === undefined ? {} : { lastWords: said }),
    files: files.slice(0, MOST_FILES),
    moreFiles: Math.max(0, files.length - MOST_FILES),
  };
}

/** They are numbered in the order in which attempts left something; where some left nothing, by the time of what is in them. */
function earlierFolder({ attempts: root }: StepDir, attempts: readonly AttemptRecord[], at: number) {
  if (!fs.existsSync(root)) return undefined;
  const folders = fs
    .readdirSync(root)
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(root, name));
  if (folders.length === attempts.length - 1) return folders[at];
  const [from, to] = [attempts[at]?.began ?? '', attempts[at + 1]?.began ?? ''].map(Date.parse);
  return folders.find((folder) => {
    const ms = newestMs(folder);
    return from !== undefined && to !== undefined && ms >= from && ms <= to;
  });
}

function newestMs(folder: string): number {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...entries.map(({ name }) => fs.lstatSync(join(folder, name)).mtimeMs));
}

function filesBelow(root: string): Left['files'] {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: file.slice(root.length + 1), bytes: fs.lstatSync(file).size }));
}

function lastWordsIn(transcript: string): string | undefined {
  if (!fs.existsSync(transcript)) return undefined;
  const lines = fs.readFileSync(transcript, 'utf8').split('\n');
  for (const text of lines.reverse()) {
    const line = parseLine(text);
    if (line?.type !== 'message' || line.message.role !== 'assistant') continue;
    const { text: said, calls } = line.message;
    const call = calls.at(-1);
    const words = said.trim() !== '' ? said.trim() : call ? `${call.name}(${call.arguments})` : undefined;
    if (words !== undefined) return [...words].slice(0, MOST_CHARACTERS).join('');
  }
  return undefined;
}
