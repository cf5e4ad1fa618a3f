/** The place in a pipeline file that a path such as `steps.audit.agent.model` names. */
import { nearest } from '../core/problems.js';
import { pairOf, type YamlMap, type YamlNode } from './yaml-tree.js';

export interface Refusal {
  readonly message: string;
  readonly hint?: string;
}

/** A key of a mapping, which may be there or not. */
export interface Found {
  readonly map: YamlMap;
  readonly key: string;
  /** From the root to the mapping. */
  readonly path: readonly (string | number)[];
}

interface Here {
  readonly node: YamlNode;
  readonly path: readonly (string | number)[];
}

const WAY = 'Write for example steps.<id>.agent.model=…';

/** `steps.<id>` is the step of that id at any depth. */
export function findPlace(root: YamlNode, path: string): Found | Refusal {
  const keys = path.split('.');
  if (keys.includes('')) return { message: 'The path has an empty part.', hint: WAY };
  let here: Here = { node: root, path: [] };
  if (keys[0] === 'steps') {
    const steps = stepsIn(here);
    const [, id] = keys.splice(0, 2);
    if (id === undefined) return { message: 'It names no step.', hint: WAY };
    const step = steps.get(id);
    if (!step) {
      const near = nearest(id, steps.keys());
      const hint = near ? `Did you mean "${near}"?` : 'pipeline show lists the steps.';
      return { message: `No step has the id "${id}".`, hint };
    }
    here = step;
  }
  const key = keys.pop();
  if (key === undefined) return { message: 'It names no value to replace.', hint: WAY };
  for (const each of keys) {
    if (here.node.isAlias) return repeated(each);
    const next = inside(here, each);
    if (!next) return missing(here.node, each);
    here = next;
  }
  const { node } = here;
  if (node.type !== 'map') return { message: `There is nothing to set "${key}" in.` };
  return node.isAlias ? repeated(key) : { map: node, key, path: here.path };
}

function repeated(key: string): Refusal {
  return {
    message: `"${key}" stands in what an alias (*) repeats: it cannot be set here alone.`,
    hint: 'Set the whole value that stands as the alias.',
  };
}

/** The value of a key; of a group, also a step of it by its id. */
function inside({ node, path }: Here, key: string): Here | undefined {
  if (node.type !== 'map') return undefined;
  const own = pairOf(node, key)?.value;
  if (own) return { node: own, path: [...path, key] };
  const steps = pairOf(node, 'steps')?.value;
  if (steps?.type !== 'list' || steps.isAlias) return undefined;
  const at = steps.items.findIndex((step) => idOf(step) === key);
  const step = steps.items[at];
  return step && { node: step, path: [...path, 'steps', at] };
}

function idOf(step: YamlNode): string | undefined {
  const id = step.type === 'map' ? pairOf(step, 'id')?.value : undefined;
  return id?.type === 'scalar' ? String(id.value) : undefined;
}

function missing(here: YamlNode, key: string): Refusal {
  const keys = here.type === 'map' ? here.pairs.map((pair) => pair.key) : [];
  const near = nearest(key, keys);
  const hint = near ? `Did you mean "${near}"?` : keys.length > 0 ? `There are: ${keys.join(', ')}.` : undefined;
  return { message: `There is no "${key}".`, ...(hint ? { hint } : {}) };
}

/** Steps at any depth, by id. */
function stepsIn(root: Here): Map<string, Here> {
  const found = new Map<string, Here>();
  const visit = ({ node, path }: Here): void => {
    const list = node.type === 'map' ? pairOf(node, 'steps')?.value : undefined;
    if (list?.type !== 'list' || list.isAlias) return;
    for (const [at, step] of list.items.entries()) {
      const here = { node: step, path: [...path, 'steps', at] };
      const id = idOf(step);
      if (id !== undefined) found.set(id, here);
      visit(here);
    }
  };
  visit(root);
  return found;
}
