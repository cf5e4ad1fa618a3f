/** Checks that what a test names is in its pipeline: steps, inputs, gates with their choices, processes, fields of outputs. */
import type { Template } from '../core/expression.js';
import { gateOffer } from '../core/gate.js';
import { isObject, type Json } from '../core/json.js';
import { everyStep, kindOf, type Plan, type Step, stepsIn } from '../core/plan.js';
import { nearest, type Position, type Problem } from '../core/problems.js';
import { idsIn, names, type StepPattern } from '../core/step-pattern.js';
import { claimProblems } from './claim-types.js';
import { unknownField } from './output-fields.js';
import type { GateAnswer, OutputExpectation, SkillTest, Stubs } from './skill-test.js';

export function unknownNames(test: SkillTest, plan: Plan): Problem[] {
  const ids = new Set(everyStep(plan.steps).map(({ id }) => id));
  const inputs = isObject(plan.inputs.properties) ? Object.keys(plan.inputs.properties) : [];
  const places = placesOf(plan.steps);
  const meant = (pattern: StepPattern) =>
    places.filter(({ path }) => names(idsIn(pattern).join('/'), path)).map(({ step }) => step);
  return [
    ...test.steps.flatMap(({ pattern, at }) =>
      idsIn(pattern)
        .filter((id) => !ids.has(id))
        .map((id) => unknown('unknown-step', `"${plan.name}" has no step "${id}".`, at, id, ids)),
    ),
    ...test.givenInputs
      .filter(({ name }) => !inputs.includes(name))
      .map(({ name, at }) => unknown('unknown-input', `"${plan.name}" has no input "${name}".`, at, name, inputs)),
    ...test.stubs.flatMap((stubs) => stubProblems(stubs, meant(stubs.pattern))),
    ...(test.answers ?? []).flatMap((answer) => answerProblems(answer, meant(answer.pattern))),
    ...test.expect.outputs.flatMap((output) => fieldProblems(output, meant(output.pattern))),
    ...claimProblems(test.expect.claims, plan),
  ];
}

interface Place {
  /** Ids of the step and of those around it. */
  readonly path: string;
  readonly step: Step;
}

function placesOf(steps: readonly Step[], around = ''): Place[] {
  return steps.flatMap((step) => {
    const path = `${around}${step.id}`;
    return [{ path, step }, ...placesOf(stepsIn(step), `${path}/`)];
  });
}

function stubProblems({ pattern, at }: Stubs, steps: readonly Step[]): Problem[] {
  const [first] = steps;
  if (!first || steps.some(({ body }) => body.type === 'leaf' && body.inspection.startsProcess)) return [];
  const message = `"${pattern}" starts no process that a stub could stand in for: its step has "${kindOf(first)}".`;
  const hint = STAND_INS[kindOf(first)] ?? 'Leave the stub out.';
  return [{ severity: 'error', rule: 'stub-step', message, at, hint }];
}

/** What a test gives such steps instead. */
const STAND_INS: Readonly<Record<string, string>> = {
  agent: 'What an agent says stands under turns.',
  gate: 'What a person says stands under answers.',
  steps: 'Name a step in it.',
  pipeline: 'Name a step in it.',
};

function answerProblems({ pattern, choice, at, choiceAt }: GateAnswer, steps: readonly Step[]): Problem[] {
  const [first] = steps;
  if (!first) return [];
  const gates = steps.filter((step) => kindOf(step) === 'gate');
  if (gates.length === 0) {
    const message = `"${pattern}" is no gate: its step has "${kindOf(first)}".`;
    return [{ severity: 'error', rule: 'answer-step', message, at, hint: 'Only gates ask for an answer.' }];
  }
  const offers = gates.map(choicesOf);
  const choices = [...new Set(offers.flatMap((offer) => offer ?? []))];
  if (offers.includes(undefined) || choices.includes(choice)) return [];
  return [unknown('answer-choice', `"${choice}" is no choice of the gate "${pattern}".`, choiceAt, choice, choices)];
}

/** Undefined where they are not written as they are. */
function choicesOf({ body }: Step): readonly string[] | undefined {
  if (body.type !== 'leaf') return undefined;
  const { config } = body;
  if (config.type === 'literal') return gateOffer(config.value).choices;
  if (config.type !== 'map') return undefined;
  const choices = config.entries.find(([key]) => key === 'choices')?.[1];
  if (!choices) return gateOffer({}).choices;
  const written = literalOf(choices);
  return written === undefined ? undefined : gateOffer({ choices: written }).choices;
}

function literalOf(template: Template): Json | undefined {
  if (template.type === 'literal') return template.value;
  if (template.type !== 'list') return undefined;
  const items = template.items.map(literalOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function fieldProblems({ key, pattern, place, at }: OutputExpectation, steps: readonly Step[]): Problem[] {
  const [step] = steps;
  const wrong = step && steps.length === 1 ? unknownField(step, pattern, place) : undefined;
  if (!wrong) return [];
  const { name, known } = wrong;
  return [unknown('unknown-field', `The output of "${pattern}" has no "${name}" (${key}).`, at, name, known)];
}

function unknown(rule: string, message: string, at: Position, word: string, known: Iterable<string>): Problem {
  const near = nearest(word, known);
  const hint = near ? `Did you mean "${near}"?` : `There are: ${[...known].slice(0, 20).join(', ') || 'none'}.`;
  return { severity: 'error', rule, message, at, hint };
}
