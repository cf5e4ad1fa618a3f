/** The last lines of a run that goes on: time, steps, tokens with their limit, cost, and what a loop will still take. */
import { counted, duration, roundTokens, tokens, usd } from '../../core/words.js';
import { forecast } from './forecast.js';
import { knownSteps } from './known-steps.js';
import { fitted, type Line, type Span, span, widthOf } from './line.js';
import type { Progress } from './progress.js';
import type { Layout } from './row.js';

const MOST_LINES = 3;
const NEAR = 0.8;
/** Of the time limit: before, it is of no interest. */
const LATE = 0.5;

export function totalLines(progress: Progress, layout: Layout, now: number): Line[] {
  const parts = [timePart(progress, now), stepsPart(progress), ...usePart(progress), ...forecastParts(progress, now)];
  const lines: Span[][] = [];
  let here: Span[] = [];
  for (const part of parts) {
    const more = here.length === 0 ? [span('  '), ...part] : [...here, span(' · ', 'dim'), ...part];
    if (widthOf(more) > layout.columns && here.length > 0) {
      lines.push(here);
      here = [span('  '), ...part];
    } else here = more;
  }
  return [...lines, here].slice(0, MOST_LINES).map((line) => fitted(line, layout.columns));
}

function timePart({ since = 0, limits }: Progress, now: number): Span[] {
  const ms = Math.max(0, now - since);
  const limit = limits.timeMs;
  // Whole seconds: what changes ten times a second draws the eye.
  const shown = duration(Math.floor(ms / 1_000) * 1_000).replace(/^0 ms$/, '0 s');
  if (limit === undefined || ms < limit * LATE) return [span(shown, 'bold')];
  return [span(`${shown} of ${duration(limit)}`, ms > limit * NEAR ? 'warn' : 'bold')];
}

function stepsPart(progress: Progress): Span[] {
  const { settled, failed } = progress;
  const known = knownSteps(progress);
  const of = known ? `${settled}/${known.count}${known.isLeast ? '+' : ''} steps` : counted(settled, 'step');
  return [span(of), ...(failed > 0 ? [span(` ${failed} failed`, 'bad')] : [])];
}

function usePart({ tokens: known, estimatedTokens, usd: dollars, limits }: Progress): Span[][] {
  const used = known + estimatedTokens;
  if (used === 0 && dollars === 0) return [];
  const about = estimatedTokens > 0 ? '~' : '';
  const most = limits.tokens !== undefined && Number.isFinite(limits.tokens) ? limits.tokens : undefined;
  const text = `${about}${tokens(used)}${most === undefined ? '' : `/${roundTokens(most)}`} tokens`;
  const cost =
    dollars > 0
      ? [[span(`${usd(dollars)}${limits.usd === undefined ? '' : `/${usd(limits.usd)}`}`, near(dollars, limits.usd))]]
      : [];
  return [[span(text, near(used, most))], ...cost];
}

function forecastParts(progress: Progress, now: number): Span[][] {
  const ahead = forecast(progress, now);
  if (!ahead) return [];
  const { name, by, ms, tokens: more } = ahead;
  const time = [span(`about ${roughly(ms)} left in ${name}, by ${by} done`, 'dim')];
  const most = progress.limits.tokens;
  const isTooMuch = most !== undefined && progress.tokens + progress.estimatedTokens + more > most;
  return isTooMuch ? [time, [span(`about ${tokens(more)} tokens more: over the limit`, 'warn')]] : [time];
}

/** No more exact than it can be. */
function roughly(ms: number): string {
  if (ms < 10_000) return duration(Math.max(1, Math.ceil(ms / 1_000)) * 1_000);
  if (ms < 90_000) return duration(Math.ceil(ms / 5_000) * 5_000);
  return duration(Math.ceil(ms / 60_000) * 60_000);
}

function near(used: number, most: number | undefined): Span['tone'] {
  return most !== undefined && used > most * NEAR ? 'warn' : 'plain';
}
