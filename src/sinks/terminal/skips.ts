/** Steps that are skipped one after the other, for the same reason: a person gets one line of them. */
import { parentOf, type Told } from './told.js';

export interface Skips {
  /** What can be said now. */
  add(told: Told): readonly Told[];
  /** What was kept back. */
  rest(): readonly Told[];
}

export function gatherSkips(): Skips {
  let kept: Told | undefined;
  const rest = () => {
    const said = kept ? [kept] : [];
    kept = undefined;
    return said;
  };
  return {
    rest,
    add(told) {
      const { mark, path, text } = told;
      if (mark !== '-' || path === undefined) return [...rest(), told];
      if (kept?.path !== undefined && kept.text === text && parentOf(kept.path) === parentOf(path)) {
        kept = { ...kept, also: [...(kept.also ?? []), path] };
        return [];
      }
      const said = rest();
      kept = told;
      return said;
    },
  };
}
