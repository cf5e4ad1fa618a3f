/** Figures with their nouns or units, as people read them. */

/** `1 step`, `2 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1).replace('.0', '')} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`;
}

/** `1 token`, `12.3k tokens`. */
export function tokenCount(count: number): string {
  return `${tokens(count)} ${count === 1 ? 'token' : 'tokens'}`;
}

/** What a server did not say is unknown, not 0. */
export function tokensOfCalls(
  known: number,
  { calls, unknownCalls }: { readonly calls: number; readonly unknownCalls: number },
): string {
  if (unknownCalls === 0) return tokenCount(known);
  if (unknownCalls === calls) return 'tokens unknown';
  return `${tokenCount(known)} and those of ${counted(unknownCalls, 'call')} unknown`;
}
