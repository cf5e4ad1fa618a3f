/** The type of every node of an expression's tree. */
import { FUNCTIONS, METHODS } from '../core/functions.js';
import { nearest } from '../core/problems.js';
import { bindMacro, loopMacro, type Tree } from '../core/tree.js';
import { certainly } from './certain.js';
import { apply } from './infer-calls.js';
import { find, inner, type Look, names, nonNull, requireKind, silent } from './infer-findings.js';
import { assume, literalOf, withoutGuards, withVariable } from './infer-narrow.js';
import { arithmetic, compare, membership, order, type Sides } from './infer-operators.js';
import { member } from './infer-paths.js';
import { showType } from './infer-show.js';
import {
  BOOLEAN,
  DYNAMIC,
  type Field,
  forms,
  isNever,
  listOf,
  literalType,
  mayBe,
  NUMBER,
  STRING,
  type Type,
  tupleOf,
  union,
  withoutNull,
} from './infer-types.js';

export function typeOf(tree: Tree, look: Look): Type {
  switch (tree.op) {
    case 'value':
      return literalType(tree.args);
    case 'id':
      return variable(tree, look);
    case '.':
      return member(tree, typeOf(tree.args[0], look), tree.args[1], look);
    case '[]':
      return index(tree, look);
    case 'list':
      return tupleOf(tree.args.map((item) => typeOf(item, inner(look))));
    case 'map':
      return mapLiteral(tree.args, inner(look));
    case '?:': {
      const [condition, yes, no] = tree.args;
      requireKind(condition, typeOf(condition, inner(look)), 'boolean', look);
      return union([
        typeOf(yes, given(inner(look), condition, true)),
        typeOf(no, given(inner(look), condition, false)),
      ]);
    }
    case '&&':
    case '||': {
      const [left, right] = tree.args;
      requireKind(left, typeOf(left, inner(look)), 'boolean', look);
      const after = given(inner(look), left, tree.op === '&&');
      requireKind(right, typeOf(right, after), 'boolean', after);
      return BOOLEAN;
    }
    case '!_':
      requireKind(tree.args, typeOf(tree.args, inner(look)), 'boolean', look);
      return BOOLEAN;
    case '-_': {
      const literal = literalOf(tree);
      requireKind(tree.args, typeOf(tree.args, inner(look)), 'number', look);
      return literal ? literalType(literal.value) : NUMBER;
    }
    case 'call':
      return call(tree, look);
    case 'rcall':
      return method(tree, inner(look));
    case '==':
    case '!=':
      return comparison(tree.args[0], tree.args[1], look);
    case 'in':
      return contained(tree.args, inner(look));
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(tree.op, sides(tree.args, inner(look)), inner(look));
    default:
      return arithmetic(tree.op, sides(tree.args, inner(look)), inner(look));
  }
}

function given(look: Look, condition: Tree, truth: boolean): Look {
  const { roots } = assume(look.scope, condition, truth);
  const declared = look.scope.declared && assume({ roots: look.scope.declared }, condition, truth).roots;
  return { ...look, scope: declared ? { roots, declared } : { roots } };
}

function variable(tree: Tree & { op: 'id' }, look: Look): Type {
  const type = look.scope.roots.get(tree.args);
  if (type) return type;
  const known = [...look.scope.roots.keys()];
  const near = nearest(tree.args, known);
  find(look, tree, `${tree.args} does not exist here`, near ? `Did you mean ${near}?` : `There is ${names(known)}.`, {
    replacement: certainly(tree.args, known),
  });
  return DYNAMIC;
}

function index(tree: Tree & { op: '[]' }, look: Look): Type {
  const [owner, key] = tree.args;
  const ownerType = typeOf(owner, look);
  const literal = literalOf(key)?.value;
  if (typeof literal === 'string' || typeof literal === 'number') return member(tree, ownerType, literal, look);
  const keyType = typeOf(key, inner(look));
  const known = nonNull(owner, ownerType, look);
  const values = forms(known).map((form): Type => {
    if (form.kind === 'list') return union([form.item, ...(form.first ?? [])]);
    if (form.kind !== 'map' || form.rest) return DYNAMIC;
    return union([...form.fields.values()].map((field) => field.type));
  });
  const isMap = forms(known).every((form) => form.kind === 'map');
  const isList = forms(known).every((form) => form.kind === 'list');
  if (!isNever(known) && (isMap || isList)) requireKind(key, keyType, isMap ? 'string' : 'number', look);
  return isNever(known) ? DYNAMIC : union(values);
}

function call(tree: Tree & { op: 'call' }, look: Look): Type {
  const [name, args] = tree.args;
  if (name === 'has') {
    for (const arg of args) typeOf(arg, { ...look, missing: 'path' });
    return BOOLEAN;
  }
  if (name === 'default') {
    const types = args.map((arg, place) =>
      typeOf(arg, place < args.length - 1 ? { ...look, missing: 'default' } : inner(look)),
    );
    const last = types.at(-1) ?? DYNAMIC;
    return union([...types.slice(0, -1).map(withoutNull), last]);
  }
  const types = args.map((arg) => typeOf(arg, inner(look)));
  return apply(tree, name, FUNCTIONS[name], { args, types, isMethod: false }, inner(look));
}

function method(tree: Tree & { op: 'rcall' }, look: Look): Type {
  const loop = loopMacro(tree);
  if (loop) return iteration(loop, look);
  const bind = bindMacro(tree);
  if (bind) {
    const value = typeOf(bind.value, look);
    return typeOf(bind.body, { ...look, scope: withVariable(look.scope, bind.variable, value) });
  }
  const [name, receiver, args] = tree.args;
  const all = [receiver, ...args];
  const types = all.map((arg) => typeOf(arg, look));
  return apply(tree, name, METHODS[name], { args: all, types, isMethod: true }, look);
}

function iteration(loop: NonNullable<ReturnType<typeof loopMacro>>, look: Look): Type {
  const over = nonNull(loop.list, typeOf(loop.list, look), look);
  if (!isNever(over) && !mayBe(over, 'list') && !mayBe(over, 'map')) {
    find(look, loop.list, `${loop.name}() goes over a list, and this is ${showType(over)}`);
  }
  const items = forms(over).map((form): Type => {
    if (form.kind === 'list') return union([form.item, ...(form.first ?? [])]);
    return form.kind === 'map' ? STRING : DYNAMIC;
  });
  const item = items.length === 0 ? DYNAMIC : union(items);
  const within: Look = { ...look, scope: withVariable(look.scope, loop.variable, isNever(item) ? DYNAMIC : item) };
  const [first, second] = loop.bodies as readonly [Tree, Tree?];
  const firstType = typeOf(first, within);
  if (loop.name === 'map' && !second) return listOf(firstType);
  requireKind(first, firstType, 'boolean', within);
  if (loop.name === 'map' && second) return listOf(typeOf(second, given(within, first, true)));
  if (loop.name !== 'filter') return BOOLEAN;
  return listOf(assume(within.scope, first, true).roots.get(loop.variable) ?? item);
}

function comparison(left: Tree, right: Tree, look: Look): Type {
  const withNull = literalOf(left)?.value === null || literalOf(right)?.value === null;
  const side: Look = withNull && look.missing === 'fault' ? { ...look, missing: 'path' } : inner(look);
  const both = sides([left, right], side);
  if (!withNull) compare(both, look);
  return BOOLEAN;
}

function mapLiteral(entries: readonly (readonly [Tree, Tree])[], look: Look): Type {
  const fields = new Map<string, Field>();
  let isOpen = false;
  for (const [key, value] of entries) {
    requireKind(key, typeOf(key, look), 'string', look);
    const type = typeOf(value, look);
    const literal = literalOf(key)?.value;
    if (typeof literal === 'string') fields.set(literal, { type, optional: false });
    else isOpen = true;
  }
  return { kind: 'map', fields, ...(isOpen ? { rest: DYNAMIC } : {}) };
}

function contained([item, all]: readonly [Tree, Tree], look: Look): Type {
  const pair = sides([item, all], look);
  const options =
    all.op === 'list'
      ? all.args.map((one) => ({ tree: one, type: typeOf(one, silent(look)), declared: () => declaredType(one, look) }))
      : undefined;
  membership(pair, options, look);
  return BOOLEAN;
}

function sides([left, right]: readonly [Tree, Tree], look: Look): Sides {
  return {
    left,
    right,
    leftType: typeOf(left, look),
    rightType: typeOf(right, look),
    declared: () => [declaredType(left, look), declaredType(right, look)],
  };
}

function declaredType(tree: Tree, look: Look): Type {
  return typeOf(tree, { ...silent(look), scope: withoutGuards(look.scope) });
}
