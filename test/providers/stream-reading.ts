/** Reads a stream that comes in given pieces, in memory, as the provider reads it: to the first end. */
import { Fault, type FaultData } from '../../src/core/faults.js';
import type { ModelReply } from '../../src/core/model.js';
import { createAssembler } from '../../src/providers/assemble.js';
import { idsBeside } from '../../src/providers/call-ids.js';
import { createSseReader, type SseEvent } from '../../src/providers/sse.js';

export type Outcome = ModelReply | FaultData;

export const isFault = (outcome: Outcome): outcome is FaultData => 'code' in outcome;

/** What is thrown and is no fault is thrown on. */
export function readPieces(pieces: readonly Uint8Array[]): Outcome {
  const assembler = createAssembler({ label: 'host', uniqueId: idsBeside([]) });
  const reader = createSseReader();
  const take = (events: readonly SseEvent[]) => {
    for (const event of events) if (assembler.state() !== 'closed') assembler.push(event);
  };
  try {
    for (const piece of pieces) {
      if (assembler.state() === 'closed') break;
      take(reader.push(piece));
      if (assembler.state() !== 'closed') reader.throwIfBroken();
    }
    if (assembler.state() !== 'closed') take(reader.end());
    return assembler.finish();
  } catch (error) {
    if (error instanceof Fault) return error.data;
    throw error;
  }
}

export const bytewise = (bytes: Uint8Array): Uint8Array[] => [...bytes].map((byte) => Uint8Array.of(byte));
