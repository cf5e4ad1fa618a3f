/** What the values of a step may be made of so that its asserts can hold: what they compare with, as it is at this place of the run. */
import type { Recorded } from '../../core/events.js';
import { isObject, type Json } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import type { Step } from '../../core/plan.js';
import type { Hints } from './kinships.js';
import { literalsOf } from './literals.js';
import { NO_POOL, type Pool } from './values.js';

const MOST_TEXTS = 40;
const LONGEST_TEXT = 80;

export interface Pools {
  see(event: Recorded): void;
  poolOf(path: StepPath, step: Step | undefined, hints: ReadonlyMap<Step, Hints>): Pool;
}

export function createPools(): Pools {
  const outputs = new Map<StepPath, Json>();
  /** Nearest first: of the same list, then of the lists around it. */
  const outputSeenFrom = (path: StepPath, id: string): Json | undefined => {
    const parts = path.split('/');
    for (let end = parts.length - 1; end >= 0; end--) {
      const found = outputs.get([...parts.slice(0, end), id].join('/'));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    see(event) {
      if (event.type === 'step_done' || event.type === 'step_reused') outputs.set(event.path, event.output);
    },
    poolOf(path, step, hints) {
      const hint = step && hints.get(step);
      if (!step || !hint) return NO_POOL;
      const at = new Map(hint.wanted);
      for (const { here, id, there } of hint.kin) {
        const texts = new Set(at.get(here));
        collect(valueAt(outputSeenFrom(path, id), there), texts);
        if (texts.size > 0) at.set(here, [...texts]);
      }
      const numbers = new Set(hint.numbers);
      const texts = new Set(hint.texts);
      for (const { that } of step.assert) {
        const known = literalsOf(that);
        for (const text of known.texts) texts.add(text);
        for (const number of known.numbers) numbers.add(number);
      }
      const full = new Set([...hint.wanted.keys()].map((place) => place.replace(/\.?\*$/, '')));
      return { texts: [...texts], numbers: [...numbers], at, full, bare: hint.bare };
    },
  };
}

function collect(value: Json | undefined, into: Set<string>): void {
  if (into.size >= MOST_TEXTS) return;
  if (typeof value === 'string') {
    if (value.length <= LONGEST_TEXT) into.add(value);
  } else if (Array.isArray(value)) for (const one of value) collect(one, into);
  else if (isObject(value)) for (const one of Object.values(value)) collect(one, into);
}

function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let here = value;
  for (const part of path) {
    if (Array.isArray(here)) here = typeof part === 'number' ? here[part] : undefined;
    else here = isObject(here) ? here[part] : undefined;
  }
  return here;
}
