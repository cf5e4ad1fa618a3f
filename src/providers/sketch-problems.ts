/** What `sketch` cannot honour in a plan's output schemas, said before the run. */

import { everyStep, type Plan, type Step } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { LONGEST_TEXT, MAX_VALUES, sketchUnsupported } from './sketch-schema.js';

/** For a plan whose models are sketch. */
export function sketchProblems(plan: Plan): Problem[] {
  return everyStep(plan.steps)
    .filter(callsModel)
    .flatMap((step) =>
      sketchUnsupported(step.output?.json ?? true).map(({ path, keyword }): Problem => {
        const place = path === '' ? 'its output schema' : `${path} of its output schema`;
        return {
          severity: 'error',
          rule: 'sketch-schema',
          message: `sketch cannot answer step "${step.id}": it does not honour "${keyword}" in ${place}.`,
          at: step.output?.at ?? step.at,
          hint: BOUNDS[keyword] ?? 'Use a real model, or say the same with keywords that sketch knows.',
        };
      }),
    );
}

/** Honoured up to here. */
const BOUNDS: Readonly<Record<string, string>> = {
  minLength: `Its texts have ${LONGEST_TEXT} characters at most: ask for less, or use a real model.`,
  minItems: `Its lists have ${MAX_VALUES} items at most: ask for less, or use a real model.`,
};

function callsModel({ body }: Step): boolean {
  return body.type === 'leaf' && body.inspection.models.length > 0;
}
