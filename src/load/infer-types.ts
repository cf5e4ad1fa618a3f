/** The types that the check reasons with, and their algebra. */
import { isObject, type Json } from '../core/json.js';
import { typeKey } from './infer-key.js';

export type Type =
  /** Nothing is known: never an alarm. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'null' }
  /** `literals`: the only values it can have. */
  | { readonly kind: 'boolean'; readonly literals?: readonly boolean[] }
  | { readonly kind: 'number'; readonly literals?: readonly number[] }
  | { readonly kind: 'string'; readonly literals?: readonly string[] }
  /** `first`: the types of the first items, where they differ from the rest. `closed`: there are no others than these. */
  | { readonly kind: 'list'; readonly item: Type; readonly first?: readonly Type[]; readonly closed?: true }
  /** `rest`: of the keys that are no fields; without it there are no others. */
  | MapType
  /** Of none: a value that cannot be. */
  | { readonly kind: 'union'; readonly of: readonly Type[] };

export interface MapType {
  readonly kind: 'map';
  readonly fields: ReadonlyMap<string, Field>;
  readonly rest?: Type;
  /** Its schema says nothing about other keys: another schema for the same value decides. */
  readonly unsaid?: true;
}

export interface Field {
  readonly type: Type;
  readonly optional: boolean;
}

export type Literal = null | boolean | number | string;

export const DYNAMIC: Type = { kind: 'dynamic' };
export const NULL: Type = { kind: 'null' };
export const BOOLEAN: Type = { kind: 'boolean' };
export const NUMBER: Type = { kind: 'number' };
export const STRING: Type = { kind: 'string' };
export const NEVER: Type = { kind: 'union', of: [] };

/** A union of more forms than this is not followed. */
const MAX_FORMS = 32;

export function listOf(item: Type): Type {
  return { kind: 'list', item };
}

/** A list of these items and no others. */
export function tupleOf(first: readonly Type[]): Type {
  return { kind: 'list', item: union(first), first, closed: true };
}

/** A map with these fields and no others. */
export function mapOf(fields: Readonly<Record<string, Type | Field>>): MapType {
  const entries = Object.entries(fields).map(([key, field]): [string, Field] => [
    key,
    'kind' in field ? { type: field, optional: false } : field,
  ]);
  return { kind: 'map', fields: new Map(entries) };
}

export function optional(type: Type): Field {
  return { type, optional: true };
}

export function nullable(type: Type): Type {
  return union([type, NULL]);
}

export function literalType(value: Json): Type {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return { kind: 'boolean', literals: [value] };
  if (typeof value === 'number') return { kind: 'number', literals: [value] };
  if (typeof value === 'string') return { kind: 'string', literals: [value] };
  if (!isObject(value)) {
    return tupleOf((value as readonly Json[]).map(literalType));
  }
  const fields = Object.entries(value).map(([key, inner]): [string, Field] => [
    key,
    { type: literalType(inner), optional: false },
  ]);
  return { kind: 'map', fields: new Map(fields) };
}

/** The forms a value can have; a type that is no union has one. */
export function forms(type: Type): readonly Type[] {
  return type.kind === 'union' ? type.of : [type];
}

export function isNever(type: Type): boolean {
  return type.kind === 'union' && type.of.length === 0;
}

export function mayBe(type: Type, kind: Type['kind']): boolean {
  return forms(type).some((form) => form.kind === kind || form.kind === 'dynamic');
}

/** Whether null is one of its known forms. */
export function mayBeNull(type: Type): boolean {
  return forms(type).some((form) => form.kind === 'null');
}

export function withoutNull(type: Type): Type {
  return mayBeNull(type) ? union(forms(type).filter((form) => form.kind !== 'null')) : type;
}

export function union(types: readonly Type[]): Type {
  const [first] = types;
  if (first && types.length === 1) return first;
  const all = types.flatMap(forms);
  const merged: Type[] = [];
  for (const form of all) {
    if (form.kind === 'dynamic') return DYNAMIC;
    const alike = merged.filter((one) => one.kind === form.kind);
    if (isScalar(form)) {
      // A list in a file may hold thousands: they are taken together once.
      if (alike.length === 0) merged.push(widened(all.filter((one): one is Scalar => one.kind === form.kind)));
      continue;
    }
    if (alike.some((one) => one === form || typeKey(one) === typeKey(form))) continue;
    merged.push(form);
  }
  if (merged.length > MAX_FORMS) return DYNAMIC;
  const [only] = merged;
  return only && merged.length === 1 ? only : { kind: 'union', of: merged };
}

type Scalar = Extract<Type, { kind: 'boolean' | 'number' | 'string' }>;

export function isScalar(type: Type): type is Scalar {
  return type.kind === 'boolean' || type.kind === 'number' || type.kind === 'string';
}

/** @param alike scalars of one kind, at least one */
function widened(alike: readonly Scalar[]): Type {
  const [first] = alike;
  if (!first) return NEVER;
  if (alike.length === 1) return first;
  const literals = new Set<Literal>();
  for (const one of alike) {
    if (!one.literals) return { kind: first.kind };
    for (const literal of one.literals) literals.add(literal);
  }
  if (first.kind === 'boolean' && literals.size === 2) return BOOLEAN;
  return { kind: first.kind, literals: [...literals] } as Type;
}

/** What satisfies both. */
export function intersect(a: Type, b: Type): Type {
  if (a === b || b.kind === 'dynamic') return a;
  if (a.kind === 'dynamic') return b;
  if (a.kind === 'union' || b.kind === 'union') {
    return union(forms(a).flatMap((one) => forms(b).map((other) => intersect(one, other))));
  }
  if (a.kind !== b.kind) return NEVER;
  if (isScalar(a) && isScalar(b)) return narrowed(a, b);
  if (a.kind === 'list' && b.kind === 'list') return intersectLists(a, b);
  if (a.kind === 'map' && b.kind === 'map') return intersectMaps(a, b);
  return a;
}

function narrowed(a: Scalar, b: Scalar): Type {
  if (!a.literals) return b;
  if (!b.literals) return a;
  const allowed = new Set<Literal>(b.literals);
  const literals = (a.literals as readonly Literal[]).filter((literal) => allowed.has(literal));
  return literals.length === 0 ? NEVER : ({ kind: a.kind, literals } as Type);
}

function intersectLists(a: Type & { kind: 'list' }, b: Type & { kind: 'list' }): Type {
  const item = intersect(a.item, b.item);
  const [lengthOfA, lengthOfB] = [a.first?.length ?? 0, b.first?.length ?? 0];
  const isClosed = a.closed || b.closed;
  const length = isClosed
    ? Math.min(a.closed ? lengthOfA : Number.POSITIVE_INFINITY, b.closed ? lengthOfB : Number.POSITIVE_INFINITY)
    : Math.max(lengthOfA, lengthOfB);
  if (length === 0 && !isClosed) return { kind: 'list', item };
  const first = Array.from({ length }, (_, at) => intersect(a.first?.[at] ?? a.item, b.first?.[at] ?? b.item));
  return { kind: 'list', item, first, ...(isClosed ? { closed: true as const } : {}) };
}

function intersectMaps(a: MapType, b: MapType): Type {
  const fields = new Map<string, Field>();
  for (const key of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [a.fields.get(key), b.fields.get(key)];
    const type = one && other ? intersect(one.type, other.type) : ((one ?? other)?.type ?? DYNAMIC);
    const isOptional = (one?.optional ?? true) && (other?.optional ?? true);
    if (isNever(type) && !isOptional) return NEVER;
    fields.set(key, { type, optional: isOptional });
  }
  if (a.unsaid || b.unsaid) {
    const said = a.unsaid ? b : a;
    const rest = said.rest ? { rest: said.rest } : {};
    return { kind: 'map', fields, ...rest, ...(a.unsaid && b.unsaid ? { unsaid: true as const } : {}) };
  }
  // Closed only if both are: a schema with properties of its own may allow what the other does not name.
  const rest = a.rest && b.rest ? intersect(a.rest, b.rest) : (a.rest ?? b.rest);
  return { kind: 'map', fields, ...(rest ? { rest } : {}) };
}

/** What is left of a type when a value is known not to be it. */
export function exclude(type: Type, value: Literal): Type {
  return union(
    forms(type).map((form) => {
      if (value === null) return form.kind === 'null' ? NEVER : form;
      if (!isScalar(form) || form.kind !== typeof value) return form;
      const all: readonly Literal[] | undefined =
        form.kind === 'boolean' ? (form.literals ?? [true, false]) : form.literals;
      if (!all) return form;
      const literals = all.filter((literal) => literal !== value);
      return literals.length === 0 ? NEVER : ({ kind: form.kind, literals } as Type);
    }),
  );
}

/** Whether a value can be of both types, as far as is known. */
export function overlaps(a: Type, b: Type): boolean {
  if (isNever(a) || isNever(b)) return true;
  return !isNever(intersect(a, b));
}

/** What two branches agree on. */
export function join(a: Type, b: Type): Type {
  if (a === b) return a;
  const isSame =
    a.kind === 'map' &&
    b.kind === 'map' &&
    a.rest === b.rest &&
    [...a.fields.keys()].join('\0') === [...b.fields.keys()].join('\0');
  if (!isSame) return union([a, b]);
  const fields = [...a.fields].map(([key, field]): [string, Field] => {
    const other = b.fields.get(key) ?? field;
    if (other === field) return [key, field];
    return [key, { type: join(field.type, other.type), optional: field.optional || other.optional }];
  });
  return { ...a, fields: new Map(fields) };
}
