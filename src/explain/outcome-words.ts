/** What became of a step, in a word. */
import type { Outcome } from './history.js';

export function outcomeWord(outcome: Outcome): string {
  if (outcome === 'open') return 'not finished';
  return outcome === 'ended' ? 'ended the run' : outcome;
}
