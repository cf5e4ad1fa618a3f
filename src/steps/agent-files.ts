/** The `files` of an agent: text files of the run or the skill as sections after the prompt, images beside it. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';
import type { Image } from '../core/model.js';
import { type OpenedFile, openRead } from '../files/folder.js';
import { heldRoot } from '../files/held.js';
import { refuseMachinery } from '../files/machinery.js';
import { endingOf, imageIn, imageNamed } from './agent-images.js';

/** Of the text of one file. */
const MAX_BYTES = 256 * 1024;
/** Larger ones are refused: their whole content counts in the step's key. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_IMAGES = 20;

/** Of the step that is given them. */
type Reader = Pick<StepContext, 'folders' | 'permissions' | 'readable' | 'held'>;

export interface AddedFile {
  /** As the author named it. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Of the whole file. */
  readonly sha256: string;
  readonly content:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image'; readonly image: Image };
}

/** A relative path is looked for in the run's folder, then in the skill's. Throws `step.path`. */
export function addFiles(files: readonly string[], context: Reader): readonly AddedFile[] {
  const images = files.filter(imageNamed);
  const [one] = images.slice(MAX_IMAGES);
  if (one !== undefined) {
    const hint = 'Show fewer at once: let a foreach ask about a part of them each time.';
    throw refused(one, `there are ${images.length} images; at most ${MAX_IMAGES} can be shown`, hint);
  }
  return files.map((file) => readOne(file, context));
}

function readOne(name: string, context: Reader): AddedFile {
  const { fd, path } = opened(name, context);
  const type = imageNamed(name);
  try {
    const { size } = fstatSync(fd);
    const most = type ? MAX_IMAGE_BYTES : MAX_FILE_BYTES;
    if (size > most) {
      const hint = type ? 'Make it smaller, e.g. fewer pixels or a stronger compression.' : undefined;
      throw refused(name, `it has ${size} bytes; at most ${most} can be given`, hint);
    }
    const bytes = readWhole(fd, size);
    const content = type
      ? ({ type: 'image', image: imageOf(name, bytes, type) } as const)
      : ({ type: 'text', text: textOf(name, bytes) } as const);
    return { name, path, sha256: sha256(bytes), content };
  } finally {
    closeSync(fd);
  }
}

function opened(file: string, { folders, permissions, readable, held }: Reader): OpenedFile {
  let found: OpenedFile | undefined;
  try {
    const roots = [folders.run, folders.skill].map((folder) => heldRoot(held, folder));
    found = openRead(roots, file);
    refuseMachinery(folders, file, found.path, [...permissions.read, ...permissions.write, ...readable]);
    return found;
  } catch (error) {
    if (found) closeSync(found.fd);
    if (error instanceof Fault) throw refused(file, error.message, error.data.hint);
    throw error;
  }
}

function readWhole(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(fd, bytes, length, size - length, length);
  return bytes.subarray(0, length);
}

function imageOf(name: string, bytes: Buffer, named: Image['mediaType']): Image {
  const found = imageIn(bytes);
  if (found === named) return { name, mediaType: named, base64: bytes.toString('base64') };
  const why = found ? `its bytes are ${found}, not ${named}` : `its bytes are no ${named}`;
  const hint = found ? `Let its name end in .${endingOf(found)}.` : 'Name a PNG, JPEG, GIF or WebP file that is whole.';
  throw refused(name, why, hint);
}

/** Not more than the cap, cut between characters; the cut is said. */
function textOf(file: string, bytes: Buffer): string {
  const shown = bytes.length > MAX_BYTES ? bytes.subarray(0, MAX_BYTES) : bytes;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(shown, { stream: shown.length < bytes.length });
    if (text.includes('\0')) throw new TypeError('NUL');
    if (shown.length === bytes.length) return text;
    return `${text}\n[only the first ${MAX_BYTES / 1024} KB of ${bytes.length} bytes are given]`;
  } catch {
    const image = imageIn(bytes);
    if (!image) throw refused(file, 'it is not UTF-8 text');
    throw refused(file, `it is not UTF-8 text, but ${image}`, `Let its name end in .${endingOf(image)}.`);
  }
}

function refused(
  file: string,
  why: string,
  hint = 'Name a text file or an image that an earlier step published, or one of the skill.',
): Fault {
  return new Fault('step.path', `files: ${JSON.stringify(file)} cannot be added to the prompt: ${why}`, { hint });
}
