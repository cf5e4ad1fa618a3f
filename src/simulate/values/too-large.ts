/** Schemas that ask for values too large to be made again and again. */
import { isObject, type Json } from '../../core/json.js';
import { everyStep, type Plan } from '../../core/plan.js';
import type { Problem } from '../../core/problems.js';
import { number } from '../../providers/sketch-schema.js';

/** Characters of a text, items of a list, that a value must have. */
const MOST: Readonly<Record<string, { readonly count: number; readonly what: string }>> = {
  minLength: { count: 100_000, what: 'characters' },
  minItems: { count: 10_000, what: 'items' },
  minProperties: { count: 10_000, what: 'fields' },
};

export function tooLargeFor({ steps }: Plan): Problem[] {
  return everyStep(steps).flatMap(({ id, output }): Problem[] => {
    const found = output && tooLargeIn(output.json);
    if (!found) return [];
    const message = `"${id}" cannot be simulated: its schema asks for at least ${found}.`;
    return [{ severity: 'error', rule: 'too-large', message, at: output.at }];
  });
}

function tooLargeIn(schema: Json): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema);
  if (!isObject(schema)) return undefined;
  for (const [key, { count, what }] of Object.entries(MOST)) {
    const least = number(schema[key]) ?? 0;
    if (least > count) return `${least} ${what} (${key}), and at most ${count} are made`;
  }
  return firstOf(Object.values(schema));
}

function firstOf(parts: readonly Json[]): string | undefined {
  for (const part of parts) {
    const found = tooLargeIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
