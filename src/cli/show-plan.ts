/** A plan as text or JSON: its inputs, its steps, what decides about each. */
import { isObject } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { kindOf, type Plan, type Step, stepsIn } from '../core/plan.js';
import { here } from './output.js';
import { table } from './table.js';

export function planJson(plan: Plan): unknown {
  const { name, description, file, inputs, limits, permissions } = plan;
  const steps = plan.steps.map(stepJson);
  return { name, description, file, runsAs: plan.skill.runsAs, inputs, limits, permissions, steps };
}

function stepJson(step: Step): unknown {
  const { body } = step;
  return {
    id: step.id,
    title: step.title,
    kind: kindOf(step),
    after: step.after,
    when: step.when?.source ?? null,
    foreach: step.foreach !== undefined,
    repeat: step.repeat ? { until: step.repeat.until.source, max: step.repeat.max } : null,
    tools: body.type === 'leaf' ? body.inspection.tools : [],
    ...(body.type === 'leaf' ? {} : { steps: stepsIn(step).map(stepJson) }),
  };
}

export function planText(plan: Plan): string {
  const head = [
    plainText(`${plan.name}  ${here(plan.file)}`),
    ...(plan.description ? [plainText(plan.description)] : []),
  ];
  const inputs = isObject(plan.inputs.properties) ? Object.entries(plan.inputs.properties) : [];
  const rows = plan.steps.flatMap((step) => rowsOf(step, 1));
  return [
    ...head,
    ...(inputs.length > 0
      ? ['', 'Inputs', ...inputs.map(([name, schema]) => `  ${name}  ${JSON.stringify(schema)}`)]
      : []),
    '',
    'Steps',
    table(rows),
  ].join('\n');
}

function rowsOf(step: Step, depth: number): string[][] {
  const { body } = step;
  const notes = [
    ...(step.when ? [`when ${step.when.source}`] : []),
    ...(step.foreach ? ['foreach'] : []),
    ...(step.repeat ? [`repeat until ${step.repeat.until.source}, at most ${step.repeat.max}`] : []),
    ...(body.type === 'leaf' && body.inspection.tools.length > 0 ? [`tools: ${body.inspection.tools.join(', ')}`] : []),
  ];
  const title = step.title === step.id ? '' : plainText(step.title);
  const own = [`${'  '.repeat(depth)}${step.id}`, kindOf(step), title, plainText(notes.join('; '))];
  return [own, ...stepsIn(step).flatMap((inner) => rowsOf(inner, depth + 1))];
}
