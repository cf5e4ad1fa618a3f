/** What a plan and its children are granted: held to the places where it is before anything runs. */
import { everyPlan, type Plan } from '../core/plan.js';
import { type Held, hold } from '../files/held.js';
import { refuseLoose } from '../files/loose.js';

/** Throws `config.unsafe` where a grant leads by a link that a run may have put there. @param files of inputs, absolute */
export function refuseLooseGrants({ permissions }: Plan, files: readonly string[]): void {
  refuseLoose({ read: [...permissions.read, ...files], write: permissions.write });
}

/** @param more absolute: the run's own folder, the project, input files */
export function heldFor(plan: Plan, more: readonly string[]): Held {
  const paths = everyPlan(plan).flatMap(({ skill, permissions: { read, write } }) => [skill.dir, ...read, ...write]);
  return hold([...more, ...paths]);
}
