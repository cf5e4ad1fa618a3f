/** Which lines of two texts differ. */
import { diffArrays } from 'diff';

export interface LineChange {
  /** From 1: in the text as it is now; for what is gone, as it was. */
  readonly line: number;
  readonly type: 'removed' | 'added';
  readonly text: string;
}

/** Beyond this the texts have little in common, so all of it counts as changed. */
const MOST_EDITS = 2_000;

export function lineChanges(before: string, now: string): LineChange[] {
  const [was, is] = [before.split(/\r?\n/), now.split(/\r?\n/)];
  const chunks = diffArrays(was, is, { maxEditLength: MOST_EDITS }) ?? [
    { value: was, removed: true, added: false },
    { value: is, removed: false, added: true },
  ];
  let old = 1;
  let fresh = 1;
  return chunks.flatMap(({ value, removed, added }) => {
    const first = removed ? old : fresh;
    if (!added) old += value.length;
    if (!removed) fresh += value.length;
    if (!removed && !added) return [];
    return value.map((text, at): LineChange => ({ line: first + at, type: removed ? 'removed' : 'added', text }));
  });
}

/** The line to look at first: in the text as it is now, if anything of it is new. */
export function firstLine(changes: readonly LineChange[]): number | undefined {
  return (changes.find(({ type }) => type === 'added') ?? changes[0])?.line;
}
