/** Types in the words of findings. */
import type { Literal, Type } from './infer-types.js';

/** For people: `a text`, `one of "a", "b"`, `a map`. */
export function showType(type: Type): string {
  switch (type.kind) {
    case 'dynamic':
      return 'any value';
    case 'null':
      return 'null';
    case 'union':
      return [...new Set(type.of.map(showType))].join(' or ') || 'nothing';
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    default: {
      const literals = (type.literals as readonly Literal[] | undefined)?.map((literal) => JSON.stringify(literal));
      if (literals?.length === 1) return literals[0] ?? '';
      if (literals && literals.length <= 12) return `one of ${literals.join(', ')}`;
      return type.kind === 'string' ? 'a text' : `a ${type.kind}`;
    }
  }
}
