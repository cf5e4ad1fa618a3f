/** What a step gives, refused where a secret is in it. */
import { Fault } from '../core/faults.js';

/** A silent rewrite would make a resume untrue. */
export function refuseSecret(name: string | undefined, where: string): void {
  if (name === undefined) return;
  throw new Fault('step.secret_in_output', `${where} holds the value of ${name}, in one form or another`, {
    hint: `Let the step leave it out. What a step gives is kept on disk, and given to later steps. If the value is no secret, rename ${name}.`,
  });
}
