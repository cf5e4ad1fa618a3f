/** A plan as text or JSON: its inputs, its steps, what decides about each. */
import { isObject, type Json, type JsonObject } from '../core/json.js';
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
      ? ['', 'Inputs', table(inputs.map(([name, schema]) => inputRow(name, schema, plan.inputs.required)))]
      : []),
    '',
    'Steps',
    table(rows),
  ].join('\n');
}

/** `tone  plain | formal  (plain)  How to write`. */
function inputRow(name: string, schema: Json, required: Json | undefined): string[] {
  const said = isObject(schema) ? schema : {};
  const isNeeded = Array.isArray(required) && required.includes(name);
  const value = said.default === undefined ? (isNeeded ? '(required)' : '') : `(${valueText(said.default)})`;
  return [`  ${name}`, typeText(said), value, typeof said.description === 'string' ? said.description : ''].map(
    plainText,
  );
}

function typeText({ enum: values, type, items }: JsonObject): string {
  if (Array.isArray(values)) return values.map(valueText).join(' | ');
  if (type === 'array') return isObject(items) && items.type !== undefined ? `list of ${typeText(items)}` : 'list';
  return Array.isArray(type) ? type.map(valueText).join(' | ') : typeof type === 'string' ? type : 'anything';
}

function valueText(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
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
