/** What a kind takes as text is rendered as text, also where one expression stands alone: a list in a prompt is JSON. */
import type { Template } from '../core/expression.js';
import { isObject, type Json } from '../core/json.js';

/** @param schema the kind's, for this place */
export function asConfigText(template: Template, schema: Json | undefined): Template {
  if (!isObject(schema)) return template;
  if (template.type === 'expression') {
    return schema.type === 'string' ? { type: 'text', parts: [template.expression] } : template;
  }
  if (template.type === 'list') {
    return { type: 'list', items: template.items.map((item) => asConfigText(item, schema.items)) };
  }
  if (template.type !== 'map') return template;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const entries = template.entries.map(([key, value]) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    return [key, asConfigText(value, own)] as const;
  });
  return { type: 'map', entries };
}
