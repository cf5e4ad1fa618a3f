/** A JSON document of explanations that holds no more of a value than the text would show. */

/** Characters of a text. */
const MOST_CHARACTERS = 200;
/** Of a list. */
const MOST_ITEMS = 200;

export function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one)]));
}
