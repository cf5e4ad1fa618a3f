/** Types as texts that are equal for types of the same values. */
import type { Type } from './infer-types.js';

const typeKeys = new WeakMap<Type, string>();

export function typeKey(type: Type): string {
  const known = typeKeys.get(type) ?? writeKey(type);
  typeKeys.set(type, known);
  return known;
}

function writeKey(type: Type): string {
  switch (type.kind) {
    case 'union':
      return `(${type.of.map(typeKey).join('|')})`;
    case 'list':
      return `[${typeKey(type.item)};${type.first?.map(typeKey).join(',') ?? ''}${type.closed ? '!' : ''}]`;
    case 'map': {
      const fields = [...type.fields].map(
        ([key, field]) => `${JSON.stringify(key)}${field.optional ? '?' : ''}:${typeKey(field.type)}`,
      );
      return `{${fields.sort().join(',')};${type.rest ? typeKey(type.rest) : ''}${type.unsaid ? '!' : ''}}`;
    }
    case 'dynamic':
    case 'null':
      return type.kind;
    default:
      return `${type.kind}${JSON.stringify(type.literals ?? null)}`;
  }
}
