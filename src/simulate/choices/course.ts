/** What course a run takes: up to which step it is calm, and whether the rounds and items of a loop go alike. A function of the seed alone. */
import { type Plan, type Step, stepsByIds } from '../../core/plan.js';
import { idsOf } from '../../core/step-path.js';
import { randomAt } from './choices.js';

/** Of the runs: with trouble at one step alone; with trouble at one step or from it on. */
const ALONE = 0.2;
const LATE = 0.55;
/** In which all rounds and items of a loop begin alike, so that a loop comes to its last round. */
const ALIKE = 0.3;

/** @returns the name of what is drawn at a place; undefined where each choice is the plainest one. Crashes and the like belong to no step. */
type Course = (place: string) => string | undefined;

export function courseOf(seed: string, plan: Plan): Course {
  const steps = troubled(plan);
  const random = randomAt(seed, 'course');
  const kind = random();
  const from = Math.floor(random() * steps.size);
  const isAlike = random() < ALIKE;
  const isLate = kind < LATE;
  if (!isLate && !isAlike) return (place) => place;
  return (place) => {
    const end = place.search(/[@#?]/);
    if (end < 0) return place;
    const ids = idsOf(place.slice(0, end));
    const at = steps.get(ids);
    if (isLate && at !== undefined && (at < from || (kind < ALONE && at > from))) return undefined;
    return isAlike ? ids + place.slice(end) : place;
  };
}

const orders = new WeakMap<Plan, ReadonlyMap<string, number>>();

/** The steps that something is chosen for, numbered in the order in which they are written. */
function troubled(plan: Plan): ReadonlyMap<string, number> {
  const known = orders.get(plan);
  if (known) return known;
  const ids = [...stepsByIds(plan)].flatMap(([id, step]) => (isChosenFor(step) ? [id] : []));
  const order = new Map(ids.map((id, number) => [id, number] as const));
  orders.set(plan, order);
  return order;
}

function isChosenFor({ body }: Step): boolean {
  return body.type === 'leaf' && body.kind.name !== 'set' && body.kind.name !== 'end';
}
