/** A file that a run has published, as a response that no browser takes for a page. */
import fs from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { Fault } from '../core/faults.js';
import { readSteps } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { resolveInside } from '../files/jail.js';
import { isHeld } from './known-runs.js';

/** Written by the runner itself. */
export const OWN_FILES = ['report.html', 'run.json'];

/** Throws `input.unknown` for all that is not among the files of the run's steps. @param path relative to the run folder, with `/` */
export function publishedFile(dir: string, path: string): Response {
  const steps = readSteps(runDirAt(dir).journal, isHeld(dir));
  const known = new Set([...OWN_FILES, ...steps.flatMap(({ artifacts }) => artifacts.map((one) => one.path))]);
  if (!known.has(path)) throw unknown(path);
  const fd = openInside(dir, path);
  const stat = fs.fstatSync(fd);
  if (!stat.isFile()) {
    fs.closeSync(fd);
    throw unknown(path);
  }
  const image = imageType(fd);
  const headers = {
    'content-type': image ?? 'text/plain; charset=utf-8',
    'content-length': String(stat.size),
    'content-disposition': `${image ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  };
  const stream = fs.createReadStream('', { fd, end: Math.max(0, stat.size - 1) });
  return new Response(Readable.toWeb(stream) as ReadableStream, { headers });
}

/** What is published is written without links, and read without them. */
function openInside(dir: string, path: string): number {
  try {
    return fs.openSync(
      resolveInside(dir, path),
      fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
    );
  } catch {
    throw unknown(path);
  }
}

function unknown(path: string): Fault {
  return new Fault('input.unknown', `The run has published no file "${path}"`);
}

/** Pictures that hold no script, by how their bytes begin. */
const IMAGES: readonly { readonly type: string; readonly begins: readonly number[] }[] = [
  { type: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', begins: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', begins: [0x47, 0x49, 0x46, 0x38] },
];

function imageType(fd: number): string | undefined {
  const start = Buffer.alloc(8);
  fs.readSync(fd, start, 0, start.length, 0);
  return IMAGES.find(({ begins }) => begins.every((byte, at) => start[at] === byte))?.type;
}
