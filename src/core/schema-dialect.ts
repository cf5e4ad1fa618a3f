/** In which draft a schema is written. */
import type { JsonSchema } from './json.js';

export type Dialect = 'draft-07' | '2020-12';

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft-07/schema': 'draft-07',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};
export const META_IDS = {
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
} as const satisfies Record<Dialect, string>;

export function schemaDialect(schema: JsonSchema): { readonly dialect: Dialect } | { readonly problem: string } {
  const named = typeof schema === 'boolean' ? undefined : schema.$schema;
  if (named === undefined) return { dialect: '2020-12' };
  const dialect = dialectNamed(named);
  if (dialect) return { dialect };
  const supported = Object.values(META_IDS).join(' and ');
  return { problem: `The dialect ${JSON.stringify(named)} is not known; supported are ${supported}` };
}

export function dialectNamed(name: unknown): Dialect | undefined {
  if (typeof name !== 'string') return undefined;
  const bare = name.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DIALECTS, bare) ? DIALECTS[bare] : undefined;
}
