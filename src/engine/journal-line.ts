/** A line of the journal: an event with a checksum. */
import { crc32 } from 'node:zlib';
import type { Recorded } from '../core/events.js';
import { Fault } from '../core/faults.js';
import type { Blobs } from './blobs.js';

/** Stands in the journal for an event that is in a side file as a whole. */
interface Reference {
  readonly seq: number;
  readonly at: string;
  readonly type: Recorded['type'];
  /** Hash of the side file. */
  readonly whole: string;
}

/** The line's checksum covers every byte before `,"crc"`. */
export function encode(record: Recorded | Reference): string {
  const body = JSON.stringify(record).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** Undefined for a line that is not whole, or none of ours. */
export function decode(line: string): Recorded | Reference | undefined {
  const cut = line.lastIndexOf(',"crc":"');
  if (cut < 0 || line.slice(cut + 8, -2) !== checksum(line.slice(0, cut)) || !line.endsWith('"}')) return undefined;
  try {
    return JSON.parse(`${line.slice(0, cut)}}`) as Recorded | Reference;
  } catch {
    return undefined;
  }
}

/** Undefined if it is in a side file that is lost or damaged. */
export function wholeOf(record: Recorded | Reference, blobs: Pick<Blobs, 'read'>): Recorded | undefined {
  if (!('whole' in record)) return record;
  try {
    return JSON.parse(blobs.read(record.whole).toString()) as Recorded;
  } catch {
    return undefined;
  }
}

/** Of the first record: a journal that a later version wrote may say what this one does not know. */
export function refuseNewer(record: Recorded, file: string): void {
  if (record.type === 'run_started' && record.format > 1) {
    throw new Fault('run.journal', `the journal ${file} has format ${record.format}; this version reads format 1`, {
      hint: 'Use the version of pipeline that wrote it, or a newer one.',
    });
  }
}

export function damaged(file: string, line: number): Fault {
  return new Fault('run.journal', `the journal ${file} is damaged at line ${line}`, {
    hint: 'A run whose journal is damaged in the middle cannot be resumed. Start a new run.',
  });
}
