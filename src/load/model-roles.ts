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
import { nodeAt, type YamlNode } from './yaml-tree.js';

/** A role, a `provider/model-id`, or an expression that can come to nothing else; `fallback` holds no expressions. */
export function checkModel({ body }: Draft, scope: TypeScope, reading: PipelineReading): void {
  const { notes, roles } = reading;
  if (body.type !== 'leaf' || !body.isValid) return;
  checkFallback(body, reading);
  const model = writtenAt(body, 'model');
  if (!model) return;
  const node = nodeAt(body.node, ['model']);
  const { at } = node;
  const check = (name: string, place: Position): void => checkName(name, place, node, reading);
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

type Leaf = Extract<Draft['body'], { type: 'leaf' }>;

function checkFallback(body: Leaf, reading: PipelineReading): void {
  const fallback = writtenAt(body, 'fallback');
  if (fallback?.type !== 'literal' || !Array.isArray(fallback.value)) return;
  for (const [index, name] of fallback.value.entries()) {
    const node = nodeAt(body.node, ['fallback', index]);
    if (typeof name !== 'string') continue;
    if (!name.includes('${{')) checkName(name, node.at, node, reading);
    else {
      reading.notes.error('unknown-model', node.at, 'Which models stand in must be known before the run.', {
        hint: 'Write roles or provider/model-ids, without an expression.',
      });
    }
  }
}

/** @param node where it is written, if it stands there as it is */
function checkName(name: string, place: Position, node: YamlNode, reading: PipelineReading): void {
  const { notes, roles } = reading;
  if (roles.includes(name) || name.includes('/') || name === 'sketch') return;
  const near = nearest(name, roles);
  const hint = near
    ? `Did you mean "${near}"?`
    : `Roles are ${roles.join(', ')}. Declare it with models: [${name}], or write provider/model-id.`;
  const edit = place === node.at ? editOf(node, certainly(name, roles), reading) : undefined;
  notes.error('unknown-model', place, `There is no model role "${name}".`, { hint, edit });
}

/** Undefined for a kind that has no such key. */
function writtenAt({ kind, config: { template } }: Leaf, key: 'model' | 'fallback'): Template | undefined {
  if (!isObject(kind.schema.properties) || kind.schema.properties[key] === undefined) return undefined;
  if (template.type === 'map') return template.entries.find(([name]) => name === key)?.[1];
  if (template.type !== 'literal' || !isObject(template.value)) return undefined;
  const value = template.value[key];
  return value === undefined ? undefined : { type: 'literal', value };
}
