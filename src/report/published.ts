/** The files that a run made, with what a report shows of each. */
import { basename, extname } from 'node:path';
import { writtenBy } from '../core/driver-files.js';
import { type Json, parseJson, sha256 as sha256Of } from '../core/json.js';
import type { StepRecord } from '../engine/read-steps.js';
import type { Allowance } from './allowance.js';
import type { RunFiles } from './run-files.js';
import type { FileView, Preview } from './view.js';

const MOST_TEXT_BYTES = 48_000;
const MOST_JSON_BYTES = 48_000;
const MOST_IMAGE_BYTES = 700_000;
/** Of what a script's commands wrote, which no step published. */
const MOST_HASHED_BYTES = 32_000_000;
/** Of so many files something is shown. */
const MOST_PREVIEWS = 400;

/** Sorted by path. */
export function publishedFiles(steps: readonly StepRecord[], files: RunFiles, allowance: Allowance): FileView[] {
  const byPath = new Map<string, Omit<FileView, 'preview'>>();
  for (const { path: step, status, artifacts, output } of steps) {
    if (status !== 'done' && status !== 'reused') continue;
    for (const { path, bytes, sha256 } of artifacts) byPath.set(path, { path, bytes, sha256, step });
    for (const path of writtenBy(step, output).slice(0, MOST_PREVIEWS)) {
      const bytes = files.bytes(path, MOST_HASHED_BYTES);
      if (bytes) byPath.set(path, { path, bytes: bytes.length, sha256: sha256Of(bytes), step });
    }
  }
  const all = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return all.map((file, at) => ({
    ...file,
    preview: at < MOST_PREVIEWS ? previewOf(file.path, files, allowance) : NO_ROOM,
  }));
}

const NO_ROOM: Preview = { type: 'none', reason: 'not shown, so that the report stays small' };
const UNSEEN: Preview = { type: 'none', reason: 'not there any more, or not to be shown' };

function previewOf(path: string, files: RunFiles, allowance: Allowance): Preview {
  const ending = extname(path).slice(1).toLowerCase();
  const mediaType = IMAGES[ending];
  if (mediaType !== undefined) return imageAt(path, mediaType, files, allowance);
  const read = files.excerpt(path, ending === 'json' ? MOST_JSON_BYTES : MOST_TEXT_BYTES);
  if (!read) return UNSEEN;
  const { text, isWhole } = read;
  if (text.includes('\0') || isMostlyUnread(text)) return { type: 'none', reason: 'not a text' };
  if (!allowance.forFile(text.length)) return NO_ROOM;
  if (ending === 'json' && isWhole) {
    const value = jsonOf(text);
    if (value !== undefined) return { type: 'json', value };
  }
  return { type: ending === 'md' || ending === 'markdown' ? 'markdown' : 'text', text, isWhole };
}

const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};

function imageAt(path: string, mediaType: string, files: RunFiles, allowance: Allowance): Preview {
  const bytes = files.bytes(path, MOST_IMAGE_BYTES);
  if (!bytes) return { type: 'none', reason: `${basename(path)} is too large to be shown, or not there any more` };
  const base64 = Buffer.from(bytes).toString('base64');
  return allowance.forFile(base64.length) ? { type: 'image', mediaType, base64 } : NO_ROOM;
}

/** What is no UTF-8 was read as replacement characters. */
function isMostlyUnread(text: string): boolean {
  const start = text.slice(0, 2_000);
  return start.split('\uFFFD').length - 1 > start.length / 50;
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
