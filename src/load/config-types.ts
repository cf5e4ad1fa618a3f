/** Checks that an expression in a step's config can be what its kind takes at that place. */
import type { Template } from '../core/expression.js';
import { isObject, type Json } from '../core/json.js';
import { infer } from './infer.js';
import type { TypeScope } from './infer-narrow.js';
import { typeOfSchema } from './infer-schema.js';
import { showType } from './infer-show.js';
import { isNever, overlaps, withoutNull } from './infer-types.js';
import type { Notes } from './notes.js';

/** @param what for messages: `"agent"` */
export function checkConfigTypes(
  template: Template,
  schema: Json | undefined,
  what: string,
  scope: TypeScope,
  notes: Notes,
): void {
  if (!isObject(schema)) return;
  if (template.type === 'expression') {
    const wanted = typeOfSchema(schema);
    const type = withoutNull(infer(template.expression, scope).type);
    if (isNever(type) || overlaps(type, wanted)) return;
    const message = `${what} must be ${showType(wanted)}, and this is ${showType(type)}.`;
    notes.error('type', template.expression.at, message);
    return;
  }
  if (template.type === 'list') {
    for (const item of template.items) checkConfigTypes(item, schema.items, `An item of ${what}`, scope, notes);
  }
  if (template.type !== 'map') return;
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [key, value] of template.entries) {
    const own = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    checkConfigTypes(value, own, `"${key}"`, scope, notes);
  }
}
