/** Server-sent events from bytes, as the HTML standard defines them, in time linear in the bytes. */
import { Fault } from '../core/faults.js';
import type { ReadBytes } from './http.js';
import { strayLineFault } from './wire-faults.js';

export interface SseEvent {
  /** Undefined unless the server named it. */
  readonly event?: string;
  /** The `data` lines, joined by line feeds. */
  readonly data: string;
}

/** A larger event is a broken or hostile server. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
const LF = 10;
const CR = 13;

export interface SseReader {
  /** The events that these bytes complete, up to one that is broken. */
  push(bytes: Uint8Array): SseEvent[];
  /** What broke the stream, a `provider.*` fault, behind the events that were whole: how packets are cut changes nothing. */
  throwIfBroken(): void;
  /** The event that the last bytes left open, if it has data. Broken-off JSON is for the caller to notice. */
  end(): SseEvent[];
}

/** Reads line by line: a line ends at LF, CRLF or CR; bytes are decoded as whole lines, so a cut inside a character does no harm. */
export function createSseReader(maxEventBytes = MAX_EVENT_BYTES): SseReader {
  let line: Buffer[] = [];
  let lineBytes = 0;
  let data: string[] = [];
  let eventBytes = 0;
  let event: string | undefined;
  let firstLine = true;
  let afterCr = false;
  let broken: unknown;

  function throwIfBroken(): void {
    if (broken !== undefined) throw broken;
  }

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    line.push(bytes);
    lineBytes += bytes.length;
    if (lineBytes + eventBytes > maxEventBytes) throw tooLarge();
  }

  function endLine(events: SseEvent[]): void {
    let text = (line.length === 1 ? (line[0] as Buffer) : Buffer.concat(line)).toString('utf8');
    if (firstLine && text.startsWith('\uFEFF')) text = text.slice(1);
    firstLine = false;
    const bytes = lineBytes;
    line = [];
    lineBytes = 0;
    takeLine(text, bytes, events);
  }

  function takeLine(text: string, bytes: number, events: SseEvent[]): void {
    eventBytes += bytes;
    if (text === '') dispatch(events);
    else readField(text);
  }

  /** Whole lines that end at LF, the last one's left out, decoded at once. */
  function takeLines(buffer: Buffer, start: number, end: number, events: SseEvent[]): void {
    const text = buffer.toString('utf8', start, end);
    const isOneByteEach = text.length === end - start;
    for (let from = 0; from <= text.length; ) {
      const next = text.indexOf('\n', from);
      const line = text.slice(from, next < 0 ? text.length : next);
      const bytes = isOneByteEach ? line.length : Buffer.byteLength(line);
      if (bytes + eventBytes > maxEventBytes) throw tooLarge();
      takeLine(line, bytes, events);
      from += line.length + 1;
    }
  }

  function tooLarge(): Fault {
    return new Fault('provider.protocol', `The model server sent one event of more than ${maxEventBytes} bytes.`);
  }

  function readField(text: string): void {
    if (text.startsWith('data:')) {
      data.push(text.slice(text[5] === ' ' ? 6 : 5));
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) {
      if (holdsChunk(text)) throw strayLineFault(text);
      if (data.length === 0) eventBytes = 0;
      return;
    }
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (isStray(name, value)) throw strayLineFault(text);
  }

  function dispatch(events: SseEvent[]): void {
    const [first] = data;
    if (first !== undefined) {
      const text = data.length === 1 ? first : data.join('\n');
      events.push(event ? { event, data: text } : { data: text });
      data = [];
    }
    event = undefined;
    eventBytes = 0;
  }

  function take(bytes: Uint8Array, events: SseEvent[]): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let start = 0;
    if (afterCr && buffer.length > 0) {
      if (buffer[0] === LF) start = 1;
      afterCr = false;
    }
    let lf = buffer.indexOf(LF, start);
    let cr = buffer.indexOf(CR, start);
    const lastLf = cr < 0 ? buffer.lastIndexOf(LF) : -1;
    if (lf >= 0 && lastLf > lf) {
      keep(buffer.subarray(start, lf));
      endLine(events);
      takeLines(buffer, lf + 1, lastLf, events);
      start = lastLf + 1;
      lf = -1;
    }
    while (lf >= 0 || cr >= 0) {
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      keep(buffer.subarray(start, end));
      endLine(events);
      start = end + 1;
      if (end === cr) {
        if (start === buffer.length) afterCr = true;
        else if (buffer[start] === LF) start++;
      }
      // Each search goes on from where the last one of its kind stopped: no byte is looked at twice.
      if (lf >= 0 && lf < start) lf = buffer.indexOf(LF, start);
      if (cr >= 0 && cr < start) cr = buffer.indexOf(CR, start);
    }
    keep(buffer.subarray(start));
  }

  return {
    throwIfBroken,
    push(bytes) {
      throwIfBroken();
      const events: SseEvent[] = [];
      try {
        take(bytes, events);
      } catch (error) {
        broken = error;
        if (events.length === 0) throw error;
      }
      return events;
    },
    end() {
      throwIfBroken();
      const events: SseEvent[] = [];
      if (lineBytes > 0) endLine(events);
      dispatch(events);
      return events;
    },
  };
}

/** The standard ignores what it does not know; but a line with JSON or markup in it holds something that would be lost without a word. */
function isStray(name: string, value: string): boolean {
  if (/^[\w-]+$/.test(name)) return holdsChunk(value);
  return /[{}"<[]/.test(name) || /[{}"<[]/.test(value);
}

function holdsChunk(text: string): boolean {
  return /"(choices|delta|error)"/.test(text);
}

/** Gives each event to `take` as soon as it is whole, until that has enough or there are no more. */
export async function readSse(read: ReadBytes, take: (event: SseEvent) => 'more' | 'enough'): Promise<void> {
  const reader = createSseReader();
  const hasEnough = (event: SseEvent) => take(event) === 'enough';
  let isOver = false;
  await read((piece) => {
    isOver = reader.push(piece).some(hasEnough);
    if (isOver) return 'enough';
    reader.throwIfBroken();
    return 'more';
  });
  if (!isOver) reader.end().some(hasEnough);
}
