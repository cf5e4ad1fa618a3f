/** Which words of a next-loop script end a run, and as what: regular expressions. */
import type { JsonObject } from './json.js';

/** `any`: a match ends the run; as what, its own words say. */
export interface TerminalSignals extends JsonObject {
  readonly any: readonly string[];
  readonly done: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly string[];
}

export const NO_SIGNALS: TerminalSignals = { any: [], done: [], refused: [], failed: [] };
