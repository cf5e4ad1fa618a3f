/** Checks that the steps and inputs which a test names are in its pipeline. */
import { isObject } from '../core/json.js';
import { everyStep, type Plan } from '../core/plan.js';
import { nearest, type Position, type Problem } from '../core/problems.js';
import type { SkillTest } from './skill-test.js';
import { idsIn } from './step-pattern.js';

export function unknownNames({ steps, givenInputs }: SkillTest, plan: Plan): Problem[] {
  const ids = new Set(everyStep(plan.steps).map(({ id }) => id));
  const inputs = isObject(plan.inputs.properties) ? Object.keys(plan.inputs.properties) : [];
  return [
    ...steps.flatMap(({ pattern, at }) =>
      idsIn(pattern)
        .filter((id) => !ids.has(id))
        .map((id) => problem('unknown-step', `"${plan.name}" has no step "${id}".`, at, id, ids)),
    ),
    ...givenInputs
      .filter(({ name }) => !inputs.includes(name))
      .map(({ name, at }) => problem('unknown-input', `"${plan.name}" has no input "${name}".`, at, name, inputs)),
  ];
}

function problem(rule: string, message: string, at: Position, word: string, known: Iterable<string>): Problem {
  const near = nearest(word, known);
  const hint = near ? `Did you mean "${near}"?` : `There are: ${[...known].slice(0, 20).join(', ') || 'none'}.`;
  return { severity: 'error', rule, message, at, hint };
}
