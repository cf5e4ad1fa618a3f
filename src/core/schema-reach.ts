/** Finds references that lead nowhere, back to themselves, or to so many schemas for one value that none could be checked. */
import { isObject, type Json, type JsonSchema } from './json.js';
import { nearest } from './problems.js';
import type { Dialect } from './schema-dialect.js';
import type { SchemaFault } from './schema-fault.js';
import { IN_PLACE, schemasIn } from './schema-keywords.js';
import type { Place, References } from './schema-references.js';

/** Schemas that apply to one value: what doubles with each reference is over it soon. */
const MAX_APPLIED = 10_000;
/** References and combinations one after the other. */
const MAX_STEPS = 200;

const REF_KEYS: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-07': ['$ref'],
  '2020-12': ['$ref', '$dynamicRef'],
};

export function referenceFaults(root: JsonSchema, references: References, dialect: Dialect): SchemaFault[] {
  const faults: SchemaFault[] = references.twice.map(({ name, path }) => ({
    severity: 'error',
    path,
    message: `The name ${JSON.stringify(name)} is given to more than one schema`,
    hint: 'Give each $id and $anchor once.',
  }));
  for (const place of references.places) faults.push(...lost(place, root, references, REF_KEYS[dialect]));
  return [...faults, ...tooFar(references, REF_KEYS[dialect])];
}

function lost(place: Place, root: JsonSchema, references: References, keys: readonly string[]): SchemaFault[] {
  const { schema } = place;
  if (!isObject(schema)) return [];
  return keys.flatMap((key): SchemaFault[] => {
    const ref = schema[key];
    if (typeof ref !== 'string' || references.target(ref, place)) return [];
    const path = [...place.path, key];
    if (ref.startsWith('#')) {
      const message = `The reference ${JSON.stringify(ref)} leads nowhere`;
      return [{ severity: 'error', path, message, ...missingHint(root, ref) }];
    }
    const message = `The reference ${JSON.stringify(ref)} leads out of the schema`;
    const hint = 'References go to #/$defs/… of the same schema, or to files of this skill or project.';
    return [{ severity: 'error', path, message, hint }];
  });
}

function missingHint(root: JsonSchema, ref: string): { readonly hint?: string } {
  const known = isObject(root)
    ? [root.$defs, root.definitions].flatMap((defs) => (isObject(defs) ? Object.keys(defs) : []))
    : [];
  const near = nearest(ref.split('/').at(-1) ?? '', known.slice(0, 1_000));
  return near ? { hint: `Did you mean ${near}?` } : {};
}

/** Follows what applies to the same value: references, allOf, anyOf, … */
function tooFar(references: References, keys: readonly string[]): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const applied = new Map<Json, number>();
  const open = new Set<Json>();
  const count = (place: Place, steps: number): number => {
    const { schema } = place;
    if (!isObject(schema)) return 1;
    const known = applied.get(schema);
    if (known !== undefined) return known;
    if (steps > MAX_STEPS) {
      const message = `More than ${MAX_STEPS} references and combinations follow one another`;
      if (faults.length === 0) faults.push({ severity: 'error', path: place.path, message });
      return 1;
    }
    open.add(schema);
    let sum = 1;
    for (const [at, inner] of schemasIn(schema)) {
      const next = isObject(inner) && IN_PLACE.has(String(at[0])) ? references.at(inner) : undefined;
      if (next && !open.has(next.schema as Json)) sum += count(next, steps + 1);
    }
    for (const key of keys) {
      const ref = schema[key];
      const next = typeof ref === 'string' ? references.target(ref, place) : undefined;
      if (!next) continue;
      if (!open.has(next.schema as Json)) {
        sum += count(next, steps + 1);
        continue;
      }
      const message = `The reference ${JSON.stringify(ref)} leads back to itself without going deeper into the value`;
      faults.push({ severity: 'error', path: [...place.path, key], message });
    }
    open.delete(schema);
    if (sum > MAX_APPLIED) {
      const message = `More than ${MAX_APPLIED} schemas apply to one value, by references to references`;
      if (faults.length === 0) faults.push({ severity: 'error', path: place.path, message });
      sum = 1;
    }
    applied.set(schema, sum);
    return sum;
  };
  for (const place of references.places) count(place, 0);
  return faults;
}
