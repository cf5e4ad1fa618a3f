/** From a step's work folder into the run folder: by content, by rename, with one owner for each path. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../core/faults.js';
import { hashJson, sha256 } from '../core/json.js';
import type { Artifact, StepPath, Where } from '../core/outcome.js';
import { removeTemporaries, syncFolder, writeFileAtomic } from '../files/atomic-write.js';
import { removeInside, writeInside } from '../files/folder.js';
import { resolvePublished } from '../files/jail.js';
import type { FileLayer } from '../files/layer.js';
import { type Blobs, hashFile, syncFile } from './blobs.js';
import { ownerOf } from './step-path.js';

/** What a step has published; `texts` holds the saved files, which are in no blob. */
export interface Publication {
  readonly artifacts: readonly Artifact[];
  readonly texts: ReadonlyMap<string, Uint8Array>;
}

export interface Publisher {
  /** Says whose the paths are. Throws `step.conflict` or `step.path`. */
  claim(where: Where, artifacts: readonly Artifact[]): void;
  /** Puts the files there, and takes away what the same step had published before and not now. */
  publish(where: Where, publication: Publication): void;
  /** One hash over all that is published at or below this path, file names relative to `prefix`; '' for nothing. */
  publishedHash(path: StepPath, prefix: string): string;
  /** Paths of what is published at or below this path, in order. */
  published(path: StepPath): readonly string[];
  /** A loop has ended, with this round or in it: what its steps published in an earlier round and not in this one goes. */
  loopEnded(where: Where): void;
  /** After it, what was published survives a power cut. Before, a resume would put it there again. */
  sync(): void;
  /** Removes files of earlier sessions that no step of this one claims. */
  removeOrphans(): void;
}

interface Current {
  readonly path: StepPath;
  readonly artifacts: readonly Artifact[];
}

/** @param earlier what earlier sessions published, by owner */
export function createPublisher(
  runDir: string,
  blobs: Blobs,
  files: FileLayer,
  earlier: ReadonlyMap<string, readonly Artifact[]>,
): Publisher {
  // What the process of an earlier session was writing when it died.
  if (earlier.size > 0) removeTemporaries(runDir, { below: true, files });
  const owners = new Map<string, string>();
  /** Folders that hold claimed files → one of these files. */
  const folders = new Map<string, string>();
  const current = new Map<string, Current>();
  /** Written in this session and not synced. */
  const fresh = new Set<string>();
  for (const [owner, artifacts] of earlier) current.set(owner, { path: '', artifacts });
  /** Path of a step, group, item or round → file → hash, of this session. */
  const below = new Map<StepPath, Map<string, string>>();

  const index = (path: StepPath, artifacts: readonly Artifact[], put: boolean) => {
    const parts = path.split('/');
    for (let end = 1; end <= parts.length; end++) {
      const start = parts.slice(0, end).join('/');
      const held = below.get(start) ?? new Map<string, string>();
      below.set(start, held);
      for (const artifact of artifacts) {
        if (put) held.set(artifact.path, artifact.sha256);
        else held.delete(artifact.path);
      }
    }
  };
  const claim = (owner: string, { path }: Artifact) => {
    const other = owners.get(path);
    if (other !== undefined && other !== owner) throw conflict(path, other, owner);
    const inside = folders.get(path);
    if (inside !== undefined) throw conflict(`${path} and ${inside}`, owners.get(inside) ?? owner, owner);
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const file = owners.get(folder);
      if (file !== undefined) throw conflict(`${folder} and ${path}`, file, owner);
      folders.set(folder, path);
    }
    owners.set(path, owner);
  };
  const drop = (owner: string, artifacts: readonly Artifact[], kept: ReadonlySet<string>) => {
    for (const { path } of artifacts) {
      const holder = owners.get(path);
      if (kept.has(path) || (holder !== undefined && holder !== owner)) continue;
      owners.delete(path);
      removeInside(runDir, path, files);
    }
  };

  return {
    claim(where, artifacts) {
      const owner = ownerOf(where);
      for (const artifact of artifacts) {
        claim(owner, artifact);
        resolvePublished(runDir, artifact.path);
      }
    },
    publish(where, { artifacts, texts }) {
      const owner = ownerOf(where);
      const path = where.path.replace(/#save$/, '');
      const before = current.get(owner);
      drop(owner, before?.artifacts ?? [], new Set(artifacts.map(({ path }) => path)));
      if (before && before.path !== '') index(before.path, before.artifacts, false);
      for (const artifact of artifacts) {
        claim(owner, artifact);
        const text = texts.get(artifact.path);
        writeInside(runDir, artifact.path, (file) => {
          const written = text
            ? writeText(file, text, files)
            : blobs.copyTo(artifact.sha256, file, artifact.executable);
          if (written) fresh.add(artifact.path);
        });
      }
      index(path, artifacts, true);
      current.set(owner, { path, artifacts });
    },
    publishedHash(path, prefix) {
      const held = below.get(path);
      if (!held || held.size === 0) return '';
      const named = [...held].map(([file, hash]) => [file.startsWith(prefix) ? file.slice(prefix.length) : file, hash]);
      return hashJson(Object.fromEntries(named) as Record<string, string>);
    },
    published: (path) => [...(below.get(path)?.keys() ?? [])].sort(),
    loopEnded(where) {
      if (!/\d/.test(where.path)) return;
      const inside = `${ownerOf(where)}/`;
      for (const [owner, { path, artifacts }] of [...current]) {
        if (!owner.startsWith(inside) || path === '' || path.startsWith(`${where.path}/`)) continue;
        drop(owner, artifacts, new Set());
        index(path, artifacts, false);
        current.delete(owner);
      }
    },
    sync() {
      const dirs = new Set<string>();
      for (const path of fresh) {
        const file = join(runDir, path);
        if (!fs.existsSync(file)) continue;
        syncFile(file, files);
        for (let dir = dirname(path); dir !== '.'; dir = dirname(dir)) dirs.add(join(runDir, dir));
        dirs.add(runDir);
      }
      for (const dir of dirs) syncFolder(dir, files);
      fresh.clear();
    },
    removeOrphans() {
      for (const artifacts of earlier.values()) {
        for (const { path } of artifacts) if (!owners.has(path)) removeInside(runDir, path, files);
      }
    },
  };
}

/** False when the same bytes were there already. */
function writeText(file: string, bytes: Uint8Array, files: FileLayer): boolean {
  const there = hashFile(file);
  if (there?.sha256 === sha256(bytes)) return false;
  writeFileAtomic(file, bytes, { durable: false, files });
  return true;
}

function conflict(what: string, one: string, other: string): Fault {
  return new Fault('step.conflict', `two steps write ${what}: "${one}" and "${other}"`, {
    hint: 'Give the file another name in one of them, e.g. in a folder of its own.',
  });
}
