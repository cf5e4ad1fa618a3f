/** The shapes of CEL's syntax tree: what `args` holds for each `op`. */
import type { Node } from './expression.js';

interface Of<Op extends string, Args> extends Node {
  readonly op: Op;
  readonly args: Args;
}

export type Tree =
  | Of<'value', null | boolean | number | string>
  | Of<'id', string>
  | Of<'.', readonly [Tree, string]>
  | Of<'[]', readonly [Tree, Tree]>
  /** A function and its arguments. */
  | Of<'call', readonly [string, readonly Tree[]]>
  /** A method, its receiver and its arguments. */
  | Of<'rcall', readonly [string, Tree, readonly Tree[]]>
  | Of<'list', readonly Tree[]>
  | Of<'map', readonly (readonly [Tree, Tree])[]>
  | Of<'?:', readonly [Tree, Tree, Tree]>
  | Of<'&&' | '||', readonly [Tree, Tree]>
  | Of<'!_' | '-_', Tree>
  | Of<BinaryOp, readonly [Tree, Tree]>;

export type BinaryOp = (typeof BINARY_OPS)[number];
export const BINARY_OPS = ['==', '!=', '<', '<=', '>', '>=', 'in', '+', '-', '*', '/', '%'] as const;

/** Macros whose first argument names a variable that stands for each element of the receiver. */
export const LOOP_MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export function treeOf(node: Node): Tree {
  return node as Tree;
}

/** `all(x, …)` and its like, as they stand in the tree, or undefined for any other node. */
export function loopMacro(
  tree: Tree,
): { name: string; list: Tree; variable: string; bodies: readonly Tree[] } | undefined {
  if (tree.op !== 'rcall') return undefined;
  const [name, list, [first, ...bodies]] = tree.args;
  if (!LOOP_MACROS.has(name) || first?.op !== 'id') return undefined;
  return { name, list, variable: first.args, bodies };
}

/** `cel.bind(x, value, body)`. */
export function bindMacro(tree: Tree): { variable: string; value: Tree; body: Tree } | undefined {
  if (tree.op !== 'rcall') return undefined;
  const [name, receiver, [first, value, body]] = tree.args;
  if (name !== 'bind' || receiver.op !== 'id' || receiver.args !== 'cel') return undefined;
  if (first?.op !== 'id' || !value || !body) return undefined;
  return { variable: first.args, value, body };
}

export function children(tree: Tree): readonly Tree[] {
  switch (tree.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
      return [tree.args[0]];
    case 'call':
      return tree.args[1];
    case 'rcall':
      return [tree.args[1], ...tree.args[2]];
    case 'list':
      return tree.args;
    case 'map':
      return tree.args.flat();
    case '!_':
    case '-_':
      return [tree.args];
    default:
      return tree.args;
  }
}

/** The same node over other children. */
export function withChildren(tree: Tree, change: (child: Tree) => Tree): Tree {
  switch (tree.op) {
    case 'value':
    case 'id':
      return tree;
    case '.':
      return { ...tree, args: [change(tree.args[0]), tree.args[1]] };
    case 'call':
      return { ...tree, args: [tree.args[0], tree.args[1].map(change)] };
    case 'rcall':
      return { ...tree, args: [tree.args[0], change(tree.args[1]), tree.args[2].map(change)] };
    case 'list':
      return { ...tree, args: tree.args.map(change) };
    case 'map':
      return { ...tree, args: tree.args.map(([key, value]): [Tree, Tree] => [change(key), change(value)]) };
    case '!_':
    case '-_':
      return { ...tree, args: change(tree.args) };
    case '?:':
      return { ...tree, args: [change(tree.args[0]), change(tree.args[1]), change(tree.args[2])] };
    default:
      return { ...tree, args: [change(tree.args[0]), change(tree.args[1])] };
  }
}

/** A path that is known without evaluating: `a.b["c"][0]`, for what hangs on a name. */
export function staticPath(tree: Tree): { root: string; path: readonly (string | number)[] } | undefined {
  if (tree.op === 'id') return { root: tree.args, path: [] };
  if (tree.op !== '.' && tree.op !== '[]') return undefined;
  const key = tree.op === '.' ? tree.args[1] : tree.args[1].op === 'value' ? tree.args[1].args : undefined;
  if (typeof key !== 'string' && typeof key !== 'number') return undefined;
  const before = staticPath(tree.args[0]);
  return before && { root: before.root, path: [...before.path, key] };
}

/** As an author would write it: `a.b["c-d"][0]`. */
export function showPath(root: string, path: readonly (string | number)[]): string {
  const steps = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return root + steps.join('');
}
