/** What the options of a run mean: `--input name=value`, `--limit name=value`, `--set path=value`, `--assume-done`. */
import { readFileSync } from 'node:fs';
import { Fault } from '../core/faults.js';
import type { Json } from '../core/json.js';
import type { Limits } from '../core/plan.js';
import { parseDuration } from '../load/duration.js';
import type { RunRequest } from '../request.js';

export function givenInputs(pairs: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1)
        throw new Fault('input.invalid', `--input ${pair} is not name=value`, { hint: 'Write --input year=2024' });
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
}

export function givenLimits(pairs: readonly string[], maxParallel: number | undefined): Partial<Limits> {
  const limits: { -readonly [K in keyof Limits]?: Limits[K] } = {};
  if (maxParallel !== undefined) limits.maxParallel = maxParallel;
  for (const pair of pairs) {
    const cut = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, cut));
    const value = pair.slice(cut + 1);
    const count = Number(value);
    const ms = parseDuration(value);
    if (name === 'tokens' && Number.isInteger(count) && count > 0) limits.tokens = count;
    else if (name === 'time' && ms !== undefined && ms > 0) limits.timeMs = ms;
    else if (name === 'usd' && value !== '' && Number.isFinite(count) && count >= 0) limits.usd = count;
    else
      throw new Fault('input.invalid', `--limit ${pair} is not understood`, {
        hint: 'Write --limit tokens=500000, --limit usd=2.50 or --limit time=30m',
      });
  }
  return limits;
}

export function givenOverrides(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      if (cut < 1)
        throw new Fault('input.invalid', `--set ${pair} is not path=value`, {
          hint: 'Write --set steps.audit.agent.model=openai/gpt-5-mini',
        });
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
}

export interface UnknownOptions {
  readonly retryUnknown?: boolean;
  /** True, or the path or id of a step. */
  readonly assumeDone?: boolean | string;
  /** Path of a file. */
  readonly output?: string;
}

/** A person's word on what became of interrupted `effect: once` steps. */
export function givenWord(
  { retryUnknown = false, assumeDone = false, output }: UnknownOptions,
  goesOn: boolean,
): Pick<RunRequest, 'retryUnknown' | 'assumeDone'> {
  if (retryUnknown && assumeDone) {
    throw new Fault('input.invalid', '--retry-unknown and --assume-done exclude each other', {
      hint: 'The first repeats the interrupted step, the second takes it as done.',
    });
  }
  if (output !== undefined && !assumeDone) {
    throw new Fault('input.invalid', '--output says what an interrupted step gave: it needs --assume-done', {
      hint: 'On resume: --assume-done --output <file>',
    });
  }
  const word = assumeDone ? '--assume-done' : '--retry-unknown';
  if ((assumeDone || retryUnknown) && !goesOn) {
    throw new Fault('input.invalid', `${word} is about an earlier run: it needs --resume`, {
      hint: `Write --resume ${word}, or pipeline resume <run> ${word}`,
    });
  }
  if (!assumeDone) return { retryUnknown };
  const step = typeof assumeDone === 'string' ? { step: assumeDone } : {};
  return { assumeDone: { ...step, ...(output === undefined ? {} : { text: textOf(output) }) } };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('input.invalid', `--output ${file} cannot be read: ${(error as Error).message}`);
  }
}
