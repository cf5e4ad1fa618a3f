/** The keyword `uniqueItems` in a time that grows with the list, not with its square. */
import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv';
import { canonicalJson, type Json } from './json.js';

const validate: SchemaValidateFunction = (isAsked: boolean, list: readonly Json[]): boolean => {
  validate.errors = [];
  if (!isAsked) return true;
  const seen = new Map<string, number>();
  for (const [i, item] of list.entries()) {
    const text = canonicalJson(item);
    const j = seen.get(text);
    if (j !== undefined) {
      validate.errors = [{ keyword: 'uniqueItems', params: { i, j } }];
      return false;
    }
    seen.set(text, i);
  }
  return true;
};

export const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate,
};
