/** Puts staged skills into the project, replaces and removes them, so that a crash never leaves one that nobody agreed to. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hashFolder } from './hash.js';
import { type LockEntry, readLock, withEntry, writeLock } from './lock.js';
import type { Source } from './source.js';

export interface Staged {
  readonly name: string;
  /** Absolute; regular files only. */
  readonly dir: string;
  readonly entry: LockEntry;
}

/** @param dir where it is staged, absolute */
export function entryOf(source: Source, skillPath: string, commit: string | undefined, dir: string): LockEntry {
  const { files, computedHash } = hashFolder(dir);
  return {
    source: source.source,
    ...(source.type === 'git' && source.ref !== undefined ? { ref: source.ref } : {}),
    sourceType: source.sourceType,
    skillPath,
    computedHash,
    ...(commit === undefined ? {} : { commit }),
    files,
  };
}

/** The lock first: a folder without its entry would count as the person's own. @param target absolute */
export function installSkill({ name, dir, entry }: Staged, target: string, projectDir: string): void {
  const beside = (what: string) => path.join(path.dirname(target), `.${what}-${randomBytes(6).toString('hex')}`);
  const [fresh, old] = [beside('new'), beside('old')];
  mkdirSync(path.dirname(target), { recursive: true });
  try {
    cpSync(dir, fresh, { recursive: true, errorOnExist: true, force: false });
    writeLock(projectDir, withEntry(readLock(projectDir), name, entry));
    moveAway(target, old);
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** The folder first, for the same reason. */
export function removeSkill(name: string, dirs: readonly string[], projectDir: string): void {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  writeLock(projectDir, withEntry(readLock(projectDir), name, undefined));
}

/** What the folder holds now is what counts from now on. */
export function trustSkill(name: string, entry: LockEntry, dir: string, projectDir: string): LockEntry {
  const { files, computedHash } = hashFolder(dir);
  const isAsFetched = computedHash === entry.computedHash && entry.edited !== true;
  const trusted = { ...entry, computedHash, files, ...(isAsFetched ? {} : { edited: true }) };
  writeLock(projectDir, withEntry(readLock(projectDir), name, trusted));
  return trusted;
}

function moveAway(target: string, to: string): void {
  try {
    renameSync(target, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
