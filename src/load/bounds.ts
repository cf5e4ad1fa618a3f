/** How many items a foreach can meet at most, as far as schemas tell. */
import type { Expression } from '../core/expression.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js';
import { resolvePointer } from '../core/schema-references.js';
import { staticPath, type Tree, treeOf } from '../core/tree.js';

/** The schemas behind the roots of expressions. */
export interface Schemas {
  readonly inputs: JsonObject;
  /** Of one item, if the step is a loop. */
  outputOf(id: string): JsonSchema | undefined;
  /** Of a step that is a loop over items: how many it can meet, as far as that is known. */
  loopOf(id: string): { readonly most: number | undefined } | undefined;
}

/** Undefined if nothing bounds the list. */
export function maxItemsOf(expression: Expression, schemas: Schemas): number | undefined {
  return ofTree(treeOf(expression.ast), schemas);
}

function ofTree(tree: Tree, schemas: Schemas): number | undefined {
  if (tree.op === 'list') return Math.max(1, tree.args.length);
  if (tree.op === 'rcall' && (tree.args[0] === 'filter' || tree.args[0] === 'map'))
    return ofTree(tree.args[1], schemas);
  if (tree.op === '+') {
    const [left, right] = [ofTree(tree.args[0], schemas), ofTree(tree.args[1], schemas)];
    return left !== undefined && right !== undefined ? left + right : undefined;
  }
  const place = staticPath(tree);
  if (!place) return undefined;
  const [first, second, ...rest] = place.path;
  if (place.root === 'inputs') return within(schemas.inputs, schemas.inputs, place.path);
  if (place.root !== 'steps') return undefined;
  const loop = schemas.loopOf(String(first));
  const isOfEach = loop !== undefined && rest.length === 0 && (second === 'output' || second === 'failures');
  if (isOfEach) return loop.most;
  if (second !== 'output') return undefined;
  const schema = schemas.outputOf(String(first));
  if (loop)
    return schema !== undefined && typeof rest[0] === 'number' ? within(schema, schema, rest.slice(1)) : undefined;
  return schema === undefined ? undefined : within(schema, schema, rest);
}

function within(
  root: JsonSchema,
  schema: Json | undefined,
  path: readonly (string | number)[],
  hops = 0,
): number | undefined {
  if (!isObject(schema) || hops > 20) return undefined;
  if (typeof schema.$ref === 'string') return within(root, resolvePointer(root, schema.$ref), path, hops + 1);
  const [key, ...rest] = path;
  if (key === undefined) return typeof schema.maxItems === 'number' ? schema.maxItems : undefined;
  if (typeof key === 'number') return within(root, schema.items, rest, hops + 1);
  return within(root, isObject(schema.properties) ? schema.properties[key] : undefined, rest, hops + 1);
}
