/** Checks that the models which steps name are known before anything runs. */
import type { Template } from '../core/expression.js';
import { isObject } from '../core/json.js';
import { nearest, type Position } from '../core/problems.js';
import { certainly } from './certain.js';
import type { Draft, PipelineReading } from './draft.js';
import { infer } from './infer.js';
import type { TypeScope } from './infer-narrow.js';
import { forms } from './infer-types.js';
import { editOf } from './value-edit.js';
import { nodeAt } from './yaml-tree.js';

/** A role, a `provider/model-id`, or an expression that can come to nothing else. */
export function checkModel({ body }: Draft, scope: TypeScope, reading: PipelineReading): void {
  const { notes, roles } = reading;
  if (body.type !== 'leaf' || !body.isValid) return;
  const model = modelOf(body.config.template);
  if (!model || !isObject(body.kind.schema.properties) || body.kind.schema.properties.model === undefined) return;
  const node = nodeAt(body.node, ['model']);
  const { at } = node;
  const check = (name: string, place: Position): void => {
    if (roles.includes(name) || name.includes('/') || name === 'sketch') return;
    const near = nearest(name, roles);
    const hint = near
      ? `Did you mean "${near}"?`
      : `Roles are ${roles.join(', ')}. Declare it with models: [${name}], or write provider/model-id.`;
    const edit = place === at ? editOf(node, certainly(name, roles), reading) : undefined;
    notes.error('unknown-model', place, `There is no model role "${name}".`, { hint, edit });
  };
  if (model.type === 'literal') {
    if (typeof model.value === 'string') check(model.value, at);
    return;
  }
  const [expression, ...others] = model.type === 'text' ? model.parts : [];
  if (expression === undefined || typeof expression === 'string' || others.length > 0) {
    sayAnyText(at);
    return;
  }
  for (const form of forms(infer(expression, scope).type)) {
    if (form.kind !== 'string') continue;
    if (!form.literals) sayAnyText(expression.at);
    for (const name of form.literals ?? []) check(name, expression.at);
  }

  function sayAnyText(place: Position): void {
    notes.error('unknown-model', place, 'Which model this is cannot be told before the run.', {
      hint: `Let it be an expression whose schema is an enum of roles: { enum: [${roles.join(', ')}] }.`,
    });
  }
}

function modelOf(config: Template): Template | undefined {
  if (config.type === 'map') return config.entries.find(([key]) => key === 'model')?.[1];
  if (config.type !== 'literal' || !isObject(config.value) || config.value.model === undefined) return undefined;
  return { type: 'literal', value: config.value.model };
}
