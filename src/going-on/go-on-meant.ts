/** The failed agents that a person told to go on where they stopped. */
import { Fault, type FaultData } from '../core/faults.js';
import type { Plan } from '../core/plan.js';
import { idsOf, isBelow } from '../core/step-path.js';
import { canGoOn } from '../engine/continued.js';
import type { GoOn } from '../engine/leaf-tools.js';
import type { Session } from '../engine/session.js';
import type { RunRequest } from '../request.js';
import { stepMeant, stepsByIds } from './step-meant.js';

/** @param session its failures are those of the last attempts. Throws `input.invalid` when there is none to go on with. */
export function goOnMeant(
  { goOn }: RunRequest,
  plan: Plan,
  { past, runDir }: Pick<Session, 'past' | 'runDir'>,
): GoOn | undefined {
  if (!goOn) return undefined;
  const { step, rounds = 0 } = goOn;
  const ids = stepMeant(step, plan) ?? '';
  const there = [...past.failedWith].filter(([path]) => isBelow(path, ids));
  const steps = stepsByIds(plan.steps);
  const can = (path: string, fault?: FaultData) => {
    const begun = steps.get(idsOf(path));
    return begun !== undefined && canGoOn(begun, fault, runDir.step(path));
  };
  const meant: GoOn = { ids, rounds, done: new Set() };
  if (there.some(([path, { fault }]) => can(path, fault))) return meant;
  const cut = past.interrupted.paths().filter((path) => isBelow(path, ids) && can(path));
  if (cut.length > 0) return meant;
  const [first] = there;
  const what = step === undefined ? 'no agent of the run has failed' : `"${step}" has not failed`;
  if (!first) {
    throw new Fault('input.invalid', `there is nothing to go on with: ${what}`, {
      hint: step === undefined ? 'Resume it without --rounds.' : `To do it anew: --from ${step}.`,
    });
  }
  const [path, { fault }] = first;
  throw new Fault('input.invalid', `"${path}" failed with ${fault.code}, after which no conversation can go on`, {
    hint: 'Mend what it names, then resume the run: the step begins anew.',
  });
}
