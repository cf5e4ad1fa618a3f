/** What is known where a condition holds, or does not. */
import { type BinaryOp, staticPath, type Tree } from '../core/tree.js';
import { changeType, type Key, type Path } from './infer-change.js';
import {
  DYNAMIC,
  exclude,
  forms,
  intersect,
  isNever,
  join,
  type Literal,
  literalType,
  NEVER,
  NULL,
  type Type,
  union,
  withoutNull,
} from './infer-types.js';

/** What the names mean at a place; what a guard has shown is already in the types. */
export interface TypeScope {
  readonly roots: ReadonlyMap<string, Type>;
  /** The same without what guards outside of the expression have shown; left out where none has. */
  readonly declared?: ReadonlyMap<string, Type>;
  /** A condition that cannot hold makes what it is about unknown, instead of impossible. */
  readonly isLenient?: true;
}

/** The scope where `tree` was evaluated and came out as `truth`. What a mistake in it is about is unknown then; the rest stays known. */
export function assume(scope: TypeScope, tree: Tree, truth: boolean): TypeScope {
  const strict = narrow(scope, tree, truth);
  const isImpossible = [...strict.roots].some(([name, type]) => isNever(type) && type !== scope.roots.get(name));
  if (!isImpossible) return strict;
  const { roots, declared } = narrow({ ...scope, isLenient: true }, tree, truth);
  return declared ? { roots, declared } : { roots };
}

function narrow(scope: TypeScope, tree: Tree, truth: boolean): TypeScope {
  switch (tree.op) {
    case '!_':
      return narrow(scope, tree.args, !truth);
    case '&&':
    case '||': {
      const [left, right] = tree.args;
      const decisive = tree.op === '||';
      const first = narrow(scope, left, truth);
      if (truth !== decisive) return narrow(first, right, truth);
      return either(first, narrow(narrow(scope, left, !truth), right, truth));
    }
    case '==':
    case '!=':
      return assumeEqual(scope, tree.args[0], tree.args[1], (tree.op === '==') === truth);
    case 'in':
      return assumeIn(scope, tree.args[0], tree.args[1], truth);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return assumeOrder(scope, tree.op, tree.args[0], tree.args[1], truth);
    case 'call':
      return assumeCall(scope, tree, truth);
    case '?:': {
      const [condition, yes, no] = tree.args;
      return either(
        narrow(narrow(scope, condition, true), yes, truth),
        narrow(narrow(scope, condition, false), no, truth),
      );
    }
    case 'value':
      return scope;
    default:
      return at(scope, tree, (type) => intersect(type, literalType(truth)));
  }
}

function assumeEqual(scope: TypeScope, left: Tree, right: Tree, isEqual: boolean): TypeScope {
  const literal = literalOf(right) ?? literalOf(left);
  if (!literal) return scope;
  const subject = literalOf(right) ? left : right;
  const { value } = literal;
  const stood = standIn(subject);
  if (stood) {
    // default(path, other): it is the path's own value that was compared, unless the other would do as well.
    return (stood.other === value) === isEqual ? scope : assumeEqual(scope, stood.path, literal.tree, isEqual);
  }
  if (value === null) {
    return isEqual ? at(scope, subject, (type) => nullOf(type), false) : at(scope, subject, withoutNull);
  }
  const before = at(scope, subject, (type) => (isEqual ? intersect(type, literalType(value)) : exclude(type, value)));
  return value === 0 && !isEqual ? previousIsThere(before, subject) : before;
}

function assumeIn(scope: TypeScope, item: Tree, all: Tree, truth: boolean): TypeScope {
  const key = literalOf(item)?.value;
  if (typeof key === 'string' && all.op !== 'list') return truth ? present(scope, all, key) : scope;
  if (all.op !== 'list') return scope;
  const literals = all.args.map((one) => literalOf(one));
  if (truth) {
    if (literals.includes(undefined)) return scope;
    const allowed = union(literals.map((literal) => literalType(literal?.value ?? null)));
    return at(scope, item, (type) => intersect(type, allowed));
  }
  return at(scope, item, (type) =>
    literals.reduce((rest, literal) => (literal ? exclude(rest, literal.value) : rest), type),
  );
}

function assumeOrder(scope: TypeScope, op: BinaryOp, left: Tree, right: Tree, truth: boolean): TypeScope {
  const flipped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
  const negated = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;
  const named = op as keyof typeof flipped;
  const limit = literalOf(right)?.value ?? literalOf(left)?.value;
  if (typeof limit !== 'number') return scope;
  const subject = literalOf(right) ? left : right;
  const oriented = literalOf(right) ? named : flipped[named];
  const holds = truth ? oriented : negated[oriented];
  const isLater = (holds === '>' && limit >= 0) || (holds === '>=' && limit > 0);
  return isLater ? previousIsThere(scope, subject) : scope;
}

function assumeCall(scope: TypeScope, tree: Tree & { op: 'call' }, truth: boolean): TypeScope {
  const [name, [first]] = tree.args;
  if (name === 'has' && first) {
    if (!truth) return first.op === '.' ? absent(scope, first.args[0], first.args[1]) : scope;
    if (first.op === '.') return present(scope, first.args[0], first.args[1]);
    const key = first.op === '[]' ? literalOf(first.args[1])?.value : undefined;
    if (first.op === '[]' && (typeof key === 'string' || typeof key === 'number'))
      return present(scope, first.args[0], key);
  }
  const stood = standIn(tree);
  return stood && stood.other !== truth ? narrow(scope, stood.path, truth) : scope;
}

/** `default(path, literal)`. */
function standIn(tree: Tree): { readonly path: Tree; readonly other: Literal } | undefined {
  if (tree.op !== 'call' || tree.args[0] !== 'default') return undefined;
  const [path, second, ...more] = tree.args[1];
  const other = second && literalOf(second);
  return path && other && more.length === 0 ? { path, other: other.value } : undefined;
}

/** In later rounds than the first there is a previous output. */
function previousIsThere(scope: TypeScope, subject: Tree): TypeScope {
  const path = staticPath(subject);
  if (!path) return scope;
  if (path.root === 'iteration' && path.path.length === 0) return change(scope, 'previous', [], withoutNull);
  if (path.path.at(-1) !== 'iteration') return scope;
  return change(scope, path.root, [...path.path.slice(0, -1), 'previous'], withoutNull);
}

function present(scope: TypeScope, owner: Tree, key: Key): TypeScope {
  const path = staticPath(owner);
  return path ? change(scope, path.root, [...path.path, key], (type) => type) : scope;
}

/** Leaves the forms of the owner that may lack the key. */
function absent(scope: TypeScope, owner: Tree, key: string): TypeScope {
  const lacks = (form: Type): boolean => form.kind !== 'map' || (form.fields.get(key)?.optional ?? true);
  return at(scope, owner, (type) => union(forms(type).filter(lacks)), false);
}

function at(scope: TypeScope, tree: Tree, to: (type: Type) => Type, isThere = true): TypeScope {
  const path = staticPath(tree);
  return path ? change(scope, path.root, path.path, to, isThere) : scope;
}

function change(scope: TypeScope, root: string, path: Path, to: (type: Type) => Type, isThere = true): TypeScope {
  const type = scope.roots.get(root);
  if (!type) return scope;
  const changed = changeType(type, path, { to, isThere, isLenient: scope.isLenient ?? false });
  if (changed === type) return scope;
  if (scope.isLenient && isNever(changed)) return scope;
  return { ...scope, roots: new Map(scope.roots).set(root, changed), declared: scope.declared ?? scope.roots };
}

function either(a: TypeScope, b: TypeScope): TypeScope {
  const roots = new Map(a.roots);
  for (const [name, type] of b.roots) {
    const other = a.roots.get(name);
    if (other) roots.set(name, isNever(other) ? type : isNever(type) ? other : join(other, type));
  }
  const declared = a.declared ?? b.declared;
  return { ...a, roots, ...(declared ? { declared } : {}) };
}

function nullOf(type: Type): Type {
  return union(forms(type).map((form) => (form.kind === 'dynamic' ? DYNAMIC : form.kind === 'null' ? NULL : NEVER)));
}

export function literalOf(tree: Tree): { readonly value: Literal; readonly tree: Tree } | undefined {
  if (tree.op === 'value') return { value: tree.args, tree };
  if (tree.op !== '-_' || tree.args.op !== 'value' || typeof tree.args.args !== 'number') return undefined;
  return { value: -tree.args.args, tree };
}

/** A scope in which a variable of a macro hides what had its name. */
export function withVariable(scope: TypeScope, name: string, type: Type): TypeScope {
  return withNames(scope, () => [[name, type]]);
}

/** @param added names with their types, of the types that are there */
export function withNames(
  { roots, declared }: TypeScope,
  added: (roots: ReadonlyMap<string, Type>) => Iterable<readonly [string, Type]>,
): TypeScope {
  const all = new Map([...roots, ...added(roots)]);
  return declared ? { roots: all, declared: new Map([...declared, ...added(declared)]) } : { roots: all };
}

/** What is known without guards outside of the expression. */
export function withoutGuards({ roots, declared }: TypeScope): TypeScope {
  return { roots: declared ?? roots };
}
