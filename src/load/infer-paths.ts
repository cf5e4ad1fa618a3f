/** Fields and items: whether they exist, and what they are. */
import { nearest } from '../core/problems.js';
import { staticPath, type Tree } from '../core/tree.js';
import { certainly } from './certain.js';
import { find, keyPlace, type Look, names, nonNull, type Place, write } from './infer-findings.js';
import { showType } from './infer-show.js';
import { DYNAMIC, type Field, forms, isNever, type MapType, nullable, type Type, union } from './infer-types.js';

export function member(tree: Tree & { op: '.' | '[]' }, of: Type, key: string | number, look: Look): Type {
  const owner = tree.args[0];
  const known = nonNull(owner, of, look);
  if (isNever(known)) return DYNAMIC;
  const found = forms(known).map((form) => lookUp(form, key));
  const place = keyPlace(tree);
  const there = found.filter((field) => field !== undefined);
  if (there.length === 0) {
    noMember(place, owner, known, key, look);
    return DYNAMIC;
  }
  // How many items a list has cannot be told: no alarm.
  const lacks = (form: Type, at: number): boolean =>
    found[at] === undefined && !(form.kind === 'list' && typeof key === 'number');
  const missing = forms(known).some(lacks) || there.some((field) => field.optional);
  const type = union(there.map((field) => field.type));
  if (!missing) return type;
  if (look.missing !== 'fault') return nullable(type);
  const path = write(tree);
  const hint = `Guard it: ${path === undefined ? 'has(…)' : `has(${path}) && …, or default(${path}, …)`}.`;
  find(look, place, `${path ?? `The field ${JSON.stringify(key)}`} may be missing`, hint);
  return type;
}

export function lookUp(form: Type, key: string | number): Field | undefined {
  if (form.kind === 'dynamic') return { type: DYNAMIC, optional: false };
  if (form.kind === 'list' && typeof key === 'number') {
    if (!Number.isInteger(key) || key < 0 || (form.closed && key >= (form.first?.length ?? 0))) return undefined;
    return { type: form.first?.[key] ?? form.item, optional: false };
  }
  if (form.kind !== 'map' || typeof key !== 'string') return undefined;
  // Whether another key is there cannot be told: no alarm.
  return form.fields.get(key) ?? (form.rest && { type: form.rest, optional: false });
}

export function noMember(place: Place, owner: Tree, known: Type, key: string | number, look: Look): void {
  const from = write(owner);
  const maps = forms(known).filter((form): form is MapType => form.kind === 'map');
  if (maps.length === 0 || typeof key === 'number') {
    const hint = key === 'length' || key === 'size' ? `Write size(${from ?? '…'}).` : undefined;
    const what = typeof key === 'number' ? `no item ${key}` : `no field ${JSON.stringify(key)}`;
    find(look, place, `${from ?? 'This'} is ${showType(known)} and has ${what}`, hint);
    return;
  }
  const fields = [...new Set(maps.flatMap((map) => [...map.fields.keys()]))];
  const near = nearest(key, fields);
  const isStep = owner.op === 'id' && owner.args === 'steps';
  const message = isStep
    ? `There is no step ${JSON.stringify(key)} here`
    : `${from ?? 'The map'} has no field ${JSON.stringify(key)}`;
  const others = fields.length === 0 ? undefined : `${isStep ? 'There is' : 'It has'} ${names(fields)}.`;
  const meant = certainly(key, fields);
  const fits = meant !== undefined && (place.isQuoted || /^[A-Za-z_]\w*$/.test(meant));
  const replacement = fits ? (place.isQuoted ? JSON.stringify(meant) : meant) : undefined;
  const step = isStep ? key : stepOf(owner);
  find(look, place, message, near ? `Did you mean ${near}?` : others, { replacement, step });
}

/** The id in `steps.<id>`. */
function stepOf(tree: Tree): string | undefined {
  const path = staticPath(tree);
  return path?.root === 'steps' && path.path.length === 1 ? String(path.path[0]) : undefined;
}
