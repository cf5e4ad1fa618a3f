/** What reads texts of others, and must end well whatever they are. */
import { Fault } from '../../src/core/faults.js';

/** From 0 up to, but not including, 1. */
export type Random = () => number;

export interface Target {
  readonly name: string;
  /** Inputs at small size: two or three seconds of them. */
  readonly inputs: number;
  /** @param dir absolute, empty */
  open(dir: string): Promise<(random: Random) => Attempt>;
}

/** One input, made already: only the reading of it is timed. */
export interface Attempt {
  readonly input: string | Uint8Array;
  /** @returns what is wrong with how it ended; nothing when it is well. What it throws is wrong too. */
  read(): string | undefined | Promise<string | undefined>;
}

/** Runs what may end in a fault; anything else that it throws is thrown on. */
export function orFault<T>(work: () => T): T | Fault {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault && error.message !== '') return error;
    throw error;
  }
}
