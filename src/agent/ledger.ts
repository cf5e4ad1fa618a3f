/** What a round has done so far, on disk before each call that has an effect: after a kill the round goes on, and no effect is repeated unseen. */
import type { Message, ModelReply } from '../core/model.js';
import type { Spent } from './call.js';
import type { Read } from './transcript.js';
import type { TranscriptWriter } from './transcript-writer.js';

/** A round whose reply is on disk, while its end is not. */
export interface OpenRound {
  /** From 1. */
  readonly round: number;
  readonly reply: ModelReply;
  /** `provider/model-id` of the model that answered. */
  readonly model: string;
  /** What the call used; absent when the journal has counted it already. */
  readonly spent?: Spent;
  /** Results of calls, by their index in the reply. */
  readonly results: ReadonlyMap<number, Message>;
  readonly reads: readonly Read[];
  /** Calls with an effect that were begun: those without a result have an unknown outcome. */
  readonly begun: ReadonlySet<number>;
}

/** Of one round. */
export interface Ledger {
  /** What an earlier session left of this round. */
  readonly earlier: Pick<OpenRound, 'results' | 'reads' | 'begun'> | undefined;
  /**
   * Awaited before a call with an effect: that it begins, and all that led to it, is on disk.
   * @param known the results so far, and the files that these calls read, by the index of the call
   */
  begins(call: number, known: ReadonlyMap<number, Message>, reads: ReadonlyMap<number, Read>): Promise<void>;
  /** Its outcome is written: a kill does not lose it. */
  ended(call: number, result: Message): void;
}

export function openLedger(
  file: Pick<TranscriptWriter, 'begun' | 'outcome' | 'synced'>,
  earlier: OpenRound | undefined,
): Ledger {
  const written = new Set(earlier?.results.keys());
  const write = (call: number, result: Message, read?: Read) => {
    if (!written.has(call)) file.outcome(call, result, read);
    written.add(call);
  };
  return {
    earlier,
    async begins(call, known, reads) {
      for (const [at, result] of known) write(at, result, reads.get(at));
      file.begun(call);
      await file.synced();
    },
    ended: (call, result) => write(call, result),
  };
}

/** To the model, of a call that was at work when the run was killed. */
export const UNKNOWN_OUTCOME =
  'Error: the run was interrupted while this call was at work. Nobody knows whether it took effect, wholly, in part or not at all. Look before you repeat it.';

/** To the model, of a call that comes behind one of which nobody knows how it ended. */
export const NOT_BEGUN =
  'Error: not executed: the run was interrupted during the call before it. Repeat it if it is still right.';
