/** The texts and numbers that an expression speaks of. */
import type { Expression } from '../../core/expression.js';
import type { Json } from '../../core/json.js';
import { children, type Tree, treeOf } from '../../core/tree.js';

export interface Literals {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

const known = new WeakMap<Expression, Literals>();

/** Each once, in the order in which they are written. */
export function literalsOf(expression: Expression): Literals {
  const before = known.get(expression);
  if (before) return before;
  const values = [...new Set(valuesIn(treeOf(expression.ast)))];
  const literals = {
    texts: values.filter((one) => typeof one === 'string'),
    numbers: values.filter((one) => typeof one === 'number'),
  };
  known.set(expression, literals);
  return literals;
}

function valuesIn(tree: Tree): Json[] {
  return [...(tree.op === 'value' ? [tree.args] : []), ...children(tree).flatMap(valuesIn)];
}
