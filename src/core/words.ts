/** Figures with their nouns or units, as people read them. */
import type { Census, UsageTotal } from './events.js';

/** `1 step`, `2 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What became of the steps of a run; of what there is none nothing is said. */
export function censusTexts({ asked, done, reused, failed, skipped, open }: Census): string[] {
  const some = (count: number, what: string) => (count > 0 ? [`${count} ${what}`] : []);
  return [
    counted(asked, 'step'),
    `${done} done${reused > 0 ? ` (${reused} reused)` : ''}`,
    ...some(failed, 'failed'),
    ...some(skipped, 'skipped'),
    ...some(open, 'not finished'),
  ];
}

/** From 1, as people count, with the path that commands take: `round 3 (candidates/0/rounds/2)`. */
export function roundName({ path, count }: { readonly path: string; readonly count: number }): string {
  return `round ${count} (${path}/${count - 1})`;
}

/** The time of a record, to the second: `2026-11-30 00:14:07 UTC`. @param iso in UTC */
export function timeText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
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

/** Of a figure that is mostly round, such as a limit: `128k`, where `tokens` says `128.0k`. */
export function roundTokens(count: number): string {
  return tokens(count).replace(/\.0+(?=[kM]$)/, '');
}

/** Of a model, how much it can read: `context 1.05M`. */
export function contextText(count: number): string {
  return `context ${roundTokens(count)}`;
}

/** Of a model, whether it takes images. */
export function sightText(sees: boolean): string {
  return sees ? 'sees images' : 'no images';
}

/** What a server did not say is unknown, not 0. Calls that were lost are among the unknown ones, not among `calls`. */
export function tokensOfCalls(
  known: number,
  { calls, unknownCalls }: { readonly calls: number; readonly unknownCalls: number },
): string {
  if (unknownCalls === 0) return tokenCount(known);
  if (known === 0 && unknownCalls >= calls) return 'tokens unknown';
  return `${tokenCount(known)} and those of ${counted(unknownCalls, 'call')} unknown`;
}

/** For a column of a table: `12.3k tokens`, `12.3k+ tokens` where some calls are unknown, '' for no calls. */
export function tokensBriefly(known: number, of: { readonly calls: number; readonly unknownCalls: number }): string {
  if (of.calls === 0 && of.unknownCalls === 0) return '';
  if (of.unknownCalls === 0) return tokenCount(known);
  return known === 0 ? 'tokens unknown' : `${tokens(known)}+ tokens`;
}

/** US dollars: `$0`, `$0.0031`, `$0.12`, `$3.40`, `$1 204`. */
export function usd(dollars: number): string {
  if (dollars < LEAST_USD) return '$0';
  if (dollars >= 999.995) return `$${Math.round(dollars)}`.replace(/(?<=\d)(?=(\d{3})+$)/g, ' ');
  const further = Number(dollars.toPrecision(1)) === Number(dollars.toPrecision(6)) ? 0 : 1;
  const exponent = Number(dollars.toExponential(further).split('e')[1]);
  return `$${dollars.toFixed(Math.max(2, further - exponent))}`;
}

/** What is less is a rounding error. */
const LEAST_USD = 1e-9;

/** `unpriced` where no price is known, `$0.12+` where some are not, '' for no calls. */
export function costOfCalls({
  calls,
  usd: dollars,
  unpricedCalls,
}: {
  readonly calls: number;
  readonly usd: number;
  readonly unpricedCalls: number;
}): string {
  if (calls === 0 && unpricedCalls === 0) return '';
  if (unpricedCalls === 0) return usd(dollars);
  return dollars < LEAST_USD ? 'unpriced' : `${usd(dollars)}+`;
}

/**
 * Tokens and cost of model calls; nothing where none was begun.
 * @param unpriced whether a cost of which nothing is known is said
 */
export function spentTexts(usage: UsageTotal, unpriced: 'said' | 'left out'): string[] {
  const { calls, inputTokens, outputTokens, unknownCalls, unpricedCalls, usd: dollars } = usage;
  if (calls === 0 && unknownCalls === 0 && unpricedCalls === 0) return [];
  const isUnpriced = unpricedCalls > 0 && dollars < LEAST_USD;
  const cost = isUnpriced && unpriced === 'left out' ? '' : costOfCalls(usage);
  return [tokensOfCalls(inputTokens + outputTokens, usage), ...(cost === '' ? [] : [cost])];
}
