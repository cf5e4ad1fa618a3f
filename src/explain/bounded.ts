/** A JSON document of explanations: every step, path or code in it is whole, the values of steps are as far as a person would read. */

/** Characters of a text. */
const MOST_CHARACTERS = 200;
/** Of a list. */
const MOST_ITEMS = 200;

/** Named so, it is a value of a step or a run. */
const VALUES: ReadonlySet<string> = new Set(['before', 'now', 'value']);
/** Named so, it is a list of what differs in values; their places are whole. */
const DIFFERENCES: ReadonlySet<string> = new Set(['differences', 'result', 'lines']);

/** A list that was cut ends with `{ more: n }`. */
export function bounded(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(bounded);
  if (typeof document !== 'object' || document === null) return document;
  return Object.fromEntries(Object.entries(document).map(([name, one]) => [name, member(name, one)]));
}

function member(name: string, one: unknown): unknown {
  if (VALUES.has(name)) return boundedValue(one);
  if (!DIFFERENCES.has(name) || !Array.isArray(one)) return bounded(one);
  return cutList(one, name === 'lines' ? boundedLine : bounded);
}

function boundedLine(line: unknown): unknown {
  if (typeof line !== 'object' || line === null || !('text' in line)) return line;
  return { ...line, text: boundedValue(line.text) };
}

function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value);
  if (Array.isArray(value)) return cutList(value, boundedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, boundedValue(one)]));
}

function cutList(list: readonly unknown[], one: (item: unknown) => unknown): unknown[] {
  const kept = list.slice(0, MOST_ITEMS).map(one);
  return list.length > kept.length ? [...kept, { more: list.length - kept.length }] : kept;
}

/** Never in the middle of a character. */
function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
