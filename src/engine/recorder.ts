/** record(event): the only way a fact comes to be. Journaled first, shown afterwards. */

import type { Clock } from '../core/context.js';
import type { Recorded, RunEvent, Sink } from '../core/events.js';
import { type Json, type JsonObject, never } from '../core/json.js';
import type { Blobs } from './blobs.js';
import type { JournalFile } from './journal.js';
import { encode } from './journal-line.js';

/** Outputs above this many characters of JSON become side files. */
const LARGE_OUTPUT = 32 * 1024;
/** Values of a key's parts above this many characters of JSON become side files. */
const LONG_VALUE = 512;
/** As JSON a character takes six at most. */
const SURELY_SHORT = (LONG_VALUE - 2) / 6;
/** Events above this many characters become side files as a whole. */
const LARGE_EVENT = 1024 * 1024;

export interface Recorder {
  record(event: RunEvent): Promise<void>;
  close(): Promise<void>;
}

export function createRecorder(parts: {
  readonly journal: JournalFile;
  readonly blobs: Blobs;
  readonly sinks: readonly Sink[];
  readonly clock: Clock;
  readonly lastSeq: number;
  onSinkError(error: unknown): void;
}): Recorder {
  const { journal, blobs, clock } = parts;
  const sinks = [...parts.sinks];
  let seq = parts.lastSeq;
  return {
    async record(event) {
      const recorded: Recorded = { seq: seq + 1, at: new Date(clock.now()).toISOString(), ...event };
      const line = lineOf(recorded, blobs);
      const durable = isDurable(event);
      if (durable) blobs.sync();
      journal.write(line);
      seq++;
      if (durable) await journal.sync();
      for (const sink of [...sinks]) {
        try {
          sink.write(recorded);
        } catch (error) {
          sinks.splice(sinks.indexOf(sink), 1);
          parts.onSinkError(error);
        }
      }
    },
    async close() {
      await Promise.allSettled(sinks.map(async (sink) => sink.close?.()));
      await journal.close();
    },
  };
}

/** As it stands in the journal: what is large by its hash. */
function lineOf(event: Recorded, blobs: Blobs): string {
  const valued = event.type === 'step_started' && event.values ? slimValues(event, event.values, blobs) : event;
  const whole = encode(valued);
  // Nothing in it can be large.
  if (whole.length <= LARGE_OUTPUT) return whole;
  const slimmed = slimOutput(valued, blobs);
  const line = slimmed === valued ? whole : encode(slimmed);
  if (line.length <= LARGE_EVENT) return line;
  const { seq, at, type } = event;
  return encode({ seq, at, type, whole: blobs.putBytes(Buffer.from(JSON.stringify(slimmed))) });
}

function slimOutput(event: Recorded, blobs: Blobs): Recorded {
  if (event.type !== 'step_done' && event.type !== 'step_reused') return event;
  const text = JSON.stringify(event.output);
  if (text.length <= LARGE_OUTPUT) return event;
  return { ...event, output: null, outputBlob: blobs.putBytes(Buffer.from(text)) };
}

/** Values of a key's parts: they are many and alike, so what is not short is kept once. */
function slimValues(event: Extract<Recorded, { type: 'step_started' }>, values: JsonObject, blobs: Blobs): Recorded {
  const short: Record<string, Json> = {};
  const valueBlobs: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value.length <= SURELY_SHORT) {
      short[name] = value;
      continue;
    }
    const text = JSON.stringify(value);
    if (text.length <= LONG_VALUE) short[name] = value;
    else valueBlobs[name] = blobs.noteBytes(Buffer.from(text));
  }
  return { ...event, values: short, ...(Object.keys(valueBlobs).length > 0 ? { valueBlobs } : {}) };
}

/** Whether it survives a power cut once it was recorded. */
export function isDurable(event: RunEvent): boolean {
  switch (event.type) {
    case 'run_started':
    case 'run_ended':
    case 'decided':
    case 'step_done':
    case 'step_failed':
    case 'step_ended':
    case 'step_waiting':
    // What follows may have an effect that nobody can take back.
    case 'tool_started':
      return true;
    case 'step_started':
      return event.once === true;
    case 'run_resumed':
    case 'notice':
    case 'step_retry':
    case 'step_reused':
    case 'step_skipped':
    case 'step_stopped':
    case 'loop':
    case 'call_retry':
    case 'call_lost':
    case 'fallback':
    case 'tool':
    case 'round':
    case 'tool_refused':
    case 'answer_refused':
    case 'step_notice':
      return false;
    default:
      return never(event);
  }
}
