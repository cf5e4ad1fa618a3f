/** The full texts of tool results that a conversation holds only in part: files in the step's work folder, which nobody publishes. */
import { writeFileAtomic } from '../files/atomic-write.js';
import { writeInside } from '../files/folder.js';
import { RESULTS } from '../files/names.js';

/** Of one result; a tool that keeps within 64 KB by itself adds a note or two. */
const MAX_BYTES = 66 * 1024;
const HEAD_BYTES = 44 * 1024;
const TAIL_BYTES = 20 * 1024;

/**
 * A long result as a model gets it: its start, its end, its size, and where the whole text is.
 * @param path relative to the work folder, see `resultPath`
 */
export function boundResult(text: string, path: string, work: string): string {
  if (text.length * 3 <= MAX_BYTES) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  keepText(work, path, bytes);
  const [head, tail] = [decode(bytes.subarray(0, HEAD_BYTES)), decode(bytes.subarray(-TAIL_BYTES))];
  const left = bytes.length - HEAD_BYTES - TAIL_BYTES;
  return `${head}\n[${left} of ${bytes.length} bytes are left out here; the whole text is the file ${path}]\n${tail}`;
}

export function keepText(work: string, path: string, text: string | Uint8Array): void {
  writeInside(work, path, (target, mode) => {
    if (mode === undefined) writeFileAtomic(target, text, { durable: false, mode: 0o600 });
  });
}

/** Relative to the work folder, as a tool takes it. @param what tells it from the others of the step */
export function resultPath(what: string, tool: string): string {
  return `${RESULTS}/${what}-${tool.replace(/[^\w-]/g, '_').slice(0, 60)}.txt`;
}

/** Without the halves of characters at its ends. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, '');
}
