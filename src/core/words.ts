/** Counts with their nouns, as people read them. */

/** `1 step`, `2 steps`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
