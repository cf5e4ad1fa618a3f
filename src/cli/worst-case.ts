/** The worst case of a run on one line. */

import { duration } from '../core/words.js';
import type { WorstCase } from '../forecast/worst-case.js';

/** `worst case: 1 240 model calls, 96 processes; stops at 250 000 tokens or 1 h`. */
export function worstCaseText({ calls, processes, limits }: WorstCase): string {
  const parts = [
    ...(calls > 0 ? [`${grouped(calls)} model ${calls === 1 ? 'call' : 'calls'}`] : []),
    ...(processes > 0 ? [`${grouped(processes)} ${processes === 1 ? 'process' : 'processes'}`] : []),
  ];
  const stops = [
    ...(calls > 0 ? [`${grouped(limits.tokens)} tokens`] : []),
    ...(calls > 0 && limits.usd !== undefined ? [usdText(limits.usd)] : []),
    duration(limits.timeMs),
  ];
  const last = stops.pop();
  const stop = stops.length === 0 ? last : `${stops.join(', ')} or ${last}`;
  return `worst case: ${parts.length === 0 ? 'no model call, no process' : parts.join(', ')}; stops at ${stop}`;
}

/** Thousands apart: `1 240`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** `$3.00`, `$0.0042`. */
export function usdText(usd: number): string {
  if (usd === 0) return '$0';
  return usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`;
}
