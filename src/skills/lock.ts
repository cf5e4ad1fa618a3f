/** skills-lock.json: where the skills of a project come from, with the hashes of what they were when somebody agreed to them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Fault } from '../core/faults.js';
import { isObject, type JsonObject, parseJson } from '../core/json.js';
import { writeFileAtomic } from '../files/atomic-write.js';
import { errorCode } from '../files/layer.js';
import { lookupName } from '../load/skill.js';

export const LOCK_FILE = 'skills-lock.json';
const VERSION = 1;

/** As the `skills` program of npm writes it; `commit`, `files` and `edited` are ours, and it keeps what it does not know. */
export interface LockEntry {
  readonly source: string;
  /** `github`, `git`, `local`, or another of theirs. */
  readonly sourceType: string;
  readonly sourceUrl?: string;
  readonly ref?: string;
  /** `SKILL.md` in the source, or its `pipeline.yaml`. */
  readonly skillPath?: string;
  readonly computedHash: string;
  readonly commit?: string;
  /** SHA-256 of each file. Without it only `computedHash` tells. */
  readonly files?: Readonly<Record<string, string>>;
  /** Somebody here changed it and agreed to that. */
  readonly edited?: boolean;
}

export interface Lock {
  readonly skills: ReadonlyMap<string, LockEntry>;
}

/** None is an empty one; one that cannot be read is refused, for it may have guarded something. */
export function readLock(projectDir: string): Lock {
  const file = path.join(projectDir, LOCK_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { skills: new Map() };
    throw unreadable(`it cannot be read (${errorCode(error)})`);
  }
  if (/^<{7}( |$)/m.test(text)) throw unreadable('it holds the marks of a merge that is not finished');
  const json = parsed(text);
  if (!isObject(json) || !isObject(json.skills)) throw unreadable('it is not {"version", "skills"}');
  if (json.version !== VERSION) throw unreadable(`its version is ${JSON.stringify(json.version)}, not ${VERSION}`);
  return { skills: new Map(Object.entries(json.skills).map(([name, entry]) => [name, entryOf(name, entry)])) };
}

/** Sorted by name, without a time: two branches that add different skills merge. */
export function writeLock(projectDir: string, { skills }: Lock): void {
  const sorted = [...skills].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `${JSON.stringify({ version: VERSION, skills: Object.fromEntries(sorted) }, null, 2)}\n`;
  writeFileAtomic(path.join(projectDir, LOCK_FILE), text, { mode: 0o644, durable: true });
}

export function withEntry(lock: Lock, name: string, entry: LockEntry | undefined): Lock {
  const skills = new Map([...lock.skills].filter(([other]) => lookupName(other) !== lookupName(name)));
  if (entry) skills.set(name, entry);
  return { skills };
}

/** As skills are looked up: case, hyphen and underscore do not matter. */
export function lockedAs(lock: Lock, name: string): { readonly name: string; readonly entry: LockEntry } | undefined {
  const wanted = lookupName(name);
  for (const [other, entry] of lock.skills) if (lookupName(other) === wanted) return { name: other, entry };
  return undefined;
}

function entryOf(name: string, entry: unknown): LockEntry {
  const texts = ['source', 'sourceType', 'computedHash'];
  const optional = ['sourceUrl', 'ref', 'skillPath', 'commit'];
  const isRight =
    isObject(entry) &&
    texts.every((key) => typeof entry[key] === 'string') &&
    optional.every((key) => entry[key] === undefined || typeof entry[key] === 'string') &&
    (entry.files === undefined || isHashes(entry.files));
  if (!isRight) throw unreadable(`its entry of ${JSON.stringify(name)} is not one`);
  return entry as unknown as LockEntry;
}

function isHashes(files: unknown): boolean {
  return isObject(files) && Object.values(files as JsonObject).every((hash) => typeof hash === 'string');
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}

function unreadable(why: string): Fault {
  return new Fault('config.invalid', `${LOCK_FILE} cannot be used: ${why}.`, {
    hint: `Mend it, take it back from git, or remove it: then the skills here count as your own.`,
  });
}
