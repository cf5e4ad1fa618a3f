/** How a test names steps: by id, or by a path in which the numbers of items and rounds may be left out or be `*`. */
import type { StepPath } from './outcome.js';

// `audit` is every audit, `rounds/1/audit` that of the second round, `rounds/*/audit` that of each.
export type StepPattern = string;

export const STEP_PATTERN = /^[a-z][a-z0-9_]*(?:\/(?:[a-z][a-z0-9_]*|\d+|\*))*$/;

const isNumber = (part: string) => /^\d+$/.test(part);

/** Ids of the pattern, in order. */
export function idsIn(pattern: StepPattern): string[] {
  return pattern.split('/').filter((part) => part !== '*' && !isNumber(part));
}

/** How many numbers of the path the pattern leaves open; undefined when another step is meant. It may begin anywhere in the path. */
export function openNumbers(pattern: StepPattern, path: StepPath): number | undefined {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  let open = 0;
  let at = parts.length - 1;
  for (let want = wanted.length - 1; want >= 0; want--) {
    const word = wanted[want] as string;
    const isItem = word === '*' || isNumber(word);
    if (!isItem) {
      while (at >= 0 && isNumber(parts[at] as string)) {
        open++;
        at--;
      }
    }
    const part = parts[at];
    if (part === undefined || (word === '*' ? !isNumber(part) : word !== part)) return undefined;
    if (word === '*') open++;
    at--;
  }
  return open;
}

export function names(pattern: StepPattern, path: StepPath): boolean {
  return openNumbers(pattern, path) !== undefined;
}

/** The pattern that says most about the path. */
export function closest<T extends { readonly pattern: StepPattern }>(
  candidates: readonly T[],
  path: StepPath,
): T | undefined {
  let best: { readonly one: T; readonly open: number } | undefined;
  for (const one of candidates) {
    const open = openNumbers(one.pattern, path);
    if (open === undefined) continue;
    const isCloser = !best || open < best.open || (open === best.open && one.pattern.length > best.one.pattern.length);
    if (isCloser) best = { one, open };
  }
  return best?.one;
}
