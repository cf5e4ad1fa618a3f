/** JSON text → its value, as long as it holds nothing that a tree with positions would have to tell. */
import { isObject, type Json } from '../core/json.js';

const MAX_DEPTH = 64;

/** Undefined if it is no JSON, nested too deeply, or if a key stands twice somewhere. */
export function parsePlainJson(text: string): Json | undefined {
  try {
    let depth = 0;
    let keys = 0;
    for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]/g)) {
      if (colon !== undefined) keys++;
      else if (token === '{' || token === '[') depth++;
      else if (token === '}' || token === ']') depth--;
      if (depth > MAX_DEPTH) return undefined;
    }
    const value = JSON.parse(text) as Json;
    return countKeys(value) === keys ? value : undefined;
  } catch {
    return undefined;
  }
}

function countKeys(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item: Json) => sum + countKeys(item), 0);
  if (!isObject(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + 1 + countKeys(item), 0);
}
