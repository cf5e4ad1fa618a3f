/** What the steps before a step have published, as one hash: a process may read any of it. */
import { hashJson } from '../core/json.js';
import type { Step } from '../core/plan.js';
import { type Place, type Task, whereOf } from './place.js';
import type { Publisher } from './publish.js';

/**
 * Over all that must settle before the step starts, also before the groups around it. Each step's hash is made of its needs' hashes, once,
 * so that a list of thousands of steps stays linear. '' when nothing was published.
 */
export function createNeedsHash(publisher: Publisher): (task: Task) => string {
  const upTo = (step: Step, place: Place): string => {
    const made = place.hashes.get(step.id);
    if (made !== undefined) return made;
    const own = publisher.publishedHash(whereOf(place, step).path, place.prefix);
    const hash = combined([own, ...step.after.map((id) => ofId(id, place))]);
    place.hashes.set(step.id, hash);
    return hash;
  };
  const ofId = (id: string, place: Place): string => {
    const step = stepsById(place).get(id);
    return step ? upTo(step, place) : '';
  };
  const before = (step: Step, place: Place): string => {
    const outer = place.around ? before(place.around.step, place.around.place) : '';
    return combined([outer, ...step.after.map((id) => ofId(id, place))]);
  };
  return ({ step, home }) => before(step, home);
}

/** Equal parts count once, so that a chain in which nothing was published changes nothing. */
function combined(hashes: readonly string[]): string {
  const parts = [...new Set(hashes.filter((hash) => hash !== ''))].sort();
  if (parts.length <= 1) return parts[0] ?? '';
  return hashJson(parts);
}

const maps = new WeakMap<readonly Step[], Map<string, Step>>();

function stepsById({ steps }: Place): Map<string, Step> {
  const known = maps.get(steps) ?? new Map(steps.map((step) => [step.id, step]));
  maps.set(steps, known);
  return known;
}
