/** Operators: whether they take what they are given, and whether a comparison can ever hold. */
import { nearest } from '../core/problems.js';
import type { Tree } from '../core/tree.js';
import { certainly } from './certain.js';
import { find, type Look, nonNull, span, write } from './infer-findings.js';
import { literalOf } from './infer-narrow.js';
import { lookUp, noMember } from './infer-paths.js';
import { showType } from './infer-show.js';
import {
  BOOLEAN,
  DYNAMIC,
  forms,
  isNever,
  isScalar,
  type Literal,
  listOf,
  mayBe,
  NUMBER,
  overlaps,
  STRING,
  type Type,
  union,
} from './infer-types.js';

export interface Sides {
  readonly left: Tree;
  readonly right: Tree;
  readonly leftType: Type;
  readonly rightType: Type;
  /** The types without guards outside of the expression: to ask again what these have decided is no mistake. */
  declared(): readonly [left: Type, right: Type];
}

/** An item of a list that is written out. */
interface Option {
  readonly tree: Tree;
  readonly type: Type;
  declared(): Type;
}

/** Finds what can never be equal. */
export function compare({ left, right, declared, ...narrowed }: Sides, look: Look): void {
  if (overlaps(narrowed.leftType, narrowed.rightType)) return;
  const [leftType, rightType] = declared();
  if (overlaps(leftType, rightType)) return;
  const literal = literalOf(right) ? right : literalOf(left) ? left : undefined;
  const [subject, type] = literal === left ? [right, rightType] : [left, leftType];
  const value = literal && literalOf(literal)?.value;
  const allowed = forms(type).flatMap((form) => (isScalar(form) ? ((form.literals ?? []) as readonly Literal[]) : []));
  const known = literalOf(subject);
  const path = known ? JSON.stringify(known.value) : (write(subject) ?? 'This');
  if (literal === undefined || value === undefined) {
    find(look, span(left, right), `${showType(leftType)} is never equal to ${showType(rightType)}`);
    return;
  }
  // Of two literals neither is what the other one should be.
  const words = known ? [] : allowed.filter((one) => typeof one === 'string');
  const near = typeof value === 'string' ? nearest(value, words) : undefined;
  const meant = typeof value === 'string' ? certainly(value, words, 'value') : undefined;
  const message = `${path} is never ${JSON.stringify(value)}`;
  const hint = near ? `Did you mean ${JSON.stringify(near)}? ` : '';
  find(look, literal, message, known ? undefined : `${hint}It is ${showType(type)}.`, {
    replacement: meant && JSON.stringify(meant),
  });
}

export function membership(sides: Sides, options: readonly Option[] | undefined, look: Look): void {
  const { left: item, leftType: itemType, right: all } = sides;
  const known = nonNull(all, sides.rightType, look);
  if (isNever(known)) return;
  if (!mayBe(known, 'list') && !mayBe(known, 'map')) {
    const hint = mayBe(known, 'string') ? 'For a part of a text write text.contains(part).' : undefined;
    find(look, all, `\`in\` looks into a list or a map, and this is ${showType(known)}`, hint);
    return;
  }
  if (options) {
    for (const { tree, type, declared } of options) {
      const both = (): [Type, Type] => [sides.declared()[0], declared()];
      compare({ left: item, right: tree, leftType: itemType, rightType: type, declared: both }, look);
    }
    return;
  }
  if (known.kind === 'list') compareItem(item, itemType, known, sides, look);
  const key = literalOf(item)?.value;
  if (known.kind === 'map' && typeof key === 'string' && !lookUp(known, key)) {
    noMember({ start: item.start, end: item.end, isQuoted: true }, all, known, key, look);
  }
}

function compareItem(item: Tree, type: Type, list: Type & { kind: 'list' }, { declared }: Sides, look: Look): void {
  if (overlaps(type, itemOf(list))) return;
  const [declaredType, declaredList] = declared();
  const inside = union(forms(declaredList).map((form) => (form.kind === 'list' ? itemOf(form) : DYNAMIC)));
  if (overlaps(declaredType, inside)) return;
  find(look, item, `${showType(declaredType)} is never in a list of ${showType(inside)}`);
}

function itemOf({ item, first }: Type & { kind: 'list' }): Type {
  return union([item, ...(first ?? [])]);
}

export function order(op: string, { left, right, leftType, rightType }: Sides, look: Look): Type {
  const a = nonNull(left, leftType, look);
  const b = nonNull(right, rightType, look);
  if (isNever(a) || isNever(b)) return BOOLEAN;
  const comparable = (['number', 'string', 'boolean'] as const).some((kind) => mayBe(a, kind) && mayBe(b, kind));
  if (!comparable) find(look, span(left, right), `${showType(a)} and ${showType(b)} have no order (${op})`);
  return BOOLEAN;
}

export function arithmetic(op: string, { left, right, leftType, rightType }: Sides, look: Look): Type {
  const a = nonNull(left, leftType, look);
  const b = nonNull(right, rightType, look);
  if (isNever(a) || isNever(b)) return DYNAMIC;
  const kinds = op === '+' ? (['number', 'string', 'list'] as const) : (['number'] as const);
  const possible = kinds.filter((kind) => mayBe(a, kind) && mayBe(b, kind));
  if (possible.length === 0) {
    const hint =
      op === '+' && (mayBe(a, 'string') || mayBe(b, 'string')) ? 'string(…) makes a text of any value.' : undefined;
    find(look, span(left, right), `\`${op}\` does not take ${showType(a)} with ${showType(b)}`, hint);
    return DYNAMIC;
  }
  if (possible.length > 1) return DYNAMIC;
  if (possible[0] === 'number') return NUMBER;
  return possible[0] === 'string' ? STRING : sumOfLists(a, b);
}

function sumOfLists(a: Type, b: Type): Type {
  const items = [a, b].flatMap(forms).map((form): Type => {
    if (form.kind !== 'list') return DYNAMIC;
    return union([form.item, ...(form.first ?? [])]);
  });
  return listOf(union(items));
}
