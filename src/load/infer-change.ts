/** What a type is when the value at one path into it is known to be something. */
import { DYNAMIC, type Field, forms, isNever, NEVER, type Type, union } from './infer-types.js';

export type Key = string | number;
export type Path = readonly Key[];

interface Change {
  /** Of the value at the path. */
  to(type: Type): Type;
  /** Whether the whole path is known to exist. */
  readonly isThere: boolean;
  readonly isLenient: boolean;
}

export function changeType(type: Type, path: Path, change: Change): Type {
  const [key, ...rest] = path;
  const all = forms(type);
  // Which of several forms it has cannot be told then; what stands beside the value in one form can.
  const within = { ...change, isLenient: change.isLenient && all.length === 1 };
  const changed =
    key === undefined
      ? change.to(type)
      : union(
          all.map((form): Type => {
            if (form.kind === 'map' && typeof key === 'string') return changeField(form, key, rest, within);
            if (form.kind === 'list' && typeof key === 'number') return changeItem(form, key, rest, within);
            if (form.kind === 'dynamic') return form;
            return change.isThere ? NEVER : form;
          }),
        );
  return change.isLenient && isNever(changed) ? DYNAMIC : changed;
}

function changeField(map: Type & { kind: 'map' }, key: string, rest: Path, change: Change): Type {
  const field: Field | undefined = map.fields.get(key) ?? (map.rest && { type: map.rest, optional: true });
  if (!field) return change.isThere && !change.isLenient ? NEVER : map;
  if (!change.isThere && field.optional) return map;
  const type = changeType(field.type, rest, change);
  if (isNever(type)) return NEVER;
  if (type === field.type && !field.optional) return map;
  return { ...map, fields: new Map(map.fields).set(key, { type, optional: false }) };
}

/** Items beyond this are not followed one by one. */
const MAX_FOLLOWED_ITEMS = 20;

function changeItem(list: Type & { kind: 'list' }, index: number, rest: Path, change: Change): Type {
  if (!Number.isInteger(index) || index < 0 || index >= MAX_FOLLOWED_ITEMS) return list;
  const first = list.first ?? [];
  const before = first[index] ?? list.item;
  const type = changeType(before, rest, change);
  if (type === before) return list;
  if (isNever(type)) return NEVER;
  const length = Math.max(first.length, index + 1);
  const all = Array.from({ length }, (_, place) => (place === index ? type : (first[place] ?? list.item)));
  return { ...list, first: all };
}
