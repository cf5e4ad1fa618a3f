/** What no run may be asked: options that exclude each other, secrets. */
import { Fault } from '../core/faults.js';
import { everyPlan, type Plan } from '../core/plan.js';
import type { Redactor } from '../core/secrets.js';
import { shellWord } from '../core/shell-word.js';
import { nameOfRun } from '../engine/ways-on.js';
import type { RunRequest } from '../request.js';

/** Throws `input.invalid`. */
export function refuseContradictions({ resume, fork, from, goOn }: RunRequest): void {
  if (fork && resume)
    throw new Fault('input.invalid', 'a run is either resumed or forked: `resume` and `fork` exclude each other');
  if (from !== undefined && !fork && !resume) {
    throw new Fault('input.invalid', `--from ${from} is about an earlier run`, {
      hint: 'Write pipeline resume <run> --from <step>, or pipeline fork <run> --from <step>.',
    });
  }
  if (goOn && !resume) {
    throw new Fault('input.invalid', '--step and --rounds are about a failed step of an earlier run', {
      hint: 'Write pipeline resume <run> --step <step> --rounds +10.',
    });
  }
  if (goOn && from !== undefined) {
    throw new Fault(
      'input.invalid',
      '--from does a step anew, --step and --rounds go on with it: they exclude each other',
    );
  }
}

/** A fork takes what steps gave and published; what a script wrote by itself is neither. Throws `input.invalid`. */
export function refuseForkOfDriven({ fork }: RunRequest, plan: Plan): void {
  const driven = everyPlan(plan).find((one) => one.driven);
  if (!fork || !driven) return;
  throw new Fault(
    'input.invalid',
    `"${driven.name}" is driven by its script, whose state is its files: it cannot be forked`,
    {
      hint: `Begin a new run, or go on with the run itself: pipeline resume ${shellWord(nameOfRun(fork.dir))}.`,
    },
  );
}

/** What a run is asked stands in its folder and goes to models: a secret has no place there. Throws `input.invalid`. */
export function refuseSecrets({ query, inputs = {} }: RunRequest, redactor: Redactor | undefined): void {
  const name = redactor?.find([query, inputs]);
  if (name === undefined) return;
  throw new Fault('input.invalid', `the query or an input holds the value of ${name}`, {
    hint: `Leave it out. A shell step that needs it takes it from the environment: permissions: { env: [${name}] }.`,
  });
}
