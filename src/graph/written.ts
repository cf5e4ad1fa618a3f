/** What an author wrote, as far as it can be said without running anything. */
import type { Template } from '../core/expression.js';
import { isObject, type Json } from '../core/json.js';

/** As it stands in the file: text with its `${{ }}`, anything else as JSON. */
export function sourceOf(template: Template): string {
  const value = writtenValue(template);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A template with its expressions as the text that they are. */
function writtenValue(template: Template): Json {
  switch (template.type) {
    case 'literal':
      return template.value;
    case 'expression':
      return `\${{ ${template.expression.source} }}`;
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : `\${{ ${part.source} }}`)).join('');
    case 'list':
      return template.items.map(writtenValue);
    case 'map':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, writtenValue(value)]));
  }
}

/** The value under a key of a mapping. */
export function valueAt(template: Template, key: string): Template | undefined {
  if (template.type === 'map') return template.entries.find(([name]) => name === key)?.[1];
  if (template.type !== 'literal' || !isObject(template.value)) return undefined;
  const value = template.value[key];
  return value === undefined ? undefined : { type: 'literal', value };
}

/** The text under a key of a mapping, its expressions as written. */
export function literalAt(template: Template, key: string): string | undefined {
  const found = valueAt(template, key);
  return found && sourceOf(found);
}

/** What a loop goes over. */
export function overText(over: Template): string {
  return over.type === 'expression' ? over.expression.source : 'a list that is written there';
}

/** How many items a list has that is written in YAML. */
export function itemsKnown(over: Template): number | undefined {
  if (over.type === 'list') return over.items.length;
  return over.type === 'literal' && Array.isArray(over.value) ? over.value.length : undefined;
}
