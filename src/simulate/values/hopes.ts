/** What must be so of a step's output for its run to go on: no end that looks at it holds, and its loop is left. */
import type { Expression, Template } from '../../core/expression.js';
import { isObject, type Json } from '../../core/json.js';
import { type Step, stepsIn } from '../../core/plan.js';
import { staticPath, treeOf } from '../../core/tree.js';

export interface Hope {
  /** Whether it is a loop's, or is of a loop's output: a chance in each round. */
  readonly isLoops: boolean;
  readonly condition: Expression;
  holds(output: Json): boolean;
}

/** By step. Of conditions that look at one step's output alone, perhaps by way of the results of the groups that it stands in. */
export function hopesOf(steps: readonly Step[]): ReadonlyMap<Step, readonly Hope[]> {
  const hopes = new Map<Step, Hope[]>();
  const add = (condition: Expression, around: readonly Step[], isWanted: boolean, root: 'steps' | 'output') => {
    const found = aboutOne(condition, around, root);
    if (!found) return;
    const { step, isLoops, scopeOf } = found;
    const holds = (output: Json) => (evaluated(condition, scopeOf(output)) === true) === isWanted;
    hopes.set(step, [...(hopes.get(step) ?? []), { isLoops: isLoops || root === 'output', condition, holds }]);
  };
  const visit = (all: readonly Step[]) => {
    for (const step of all) {
      if (step.when && step.body.type === 'leaf' && step.body.kind.name === 'end') add(step.when, all, false, 'steps');
      if (step.repeat) add(step.repeat.until, [step], true, 'output');
      visit(stepsIn(step));
    }
  };
  visit(steps);
  return hopes;
}

type Path = readonly string[];

interface Source {
  readonly step: Step;
  readonly path: Path;
  readonly isLoops: boolean;
}

/** @param around the steps that it may speak of; for `output` the one whose output that is */
function aboutOne({ refs }: Expression, around: readonly Step[], root: 'steps' | 'output') {
  const parts: { readonly to: Path; readonly source: Source }[] = [];
  for (const ref of refs) {
    const path = ref.path.filter((part) => typeof part === 'string');
    if (ref.root !== root || path.length !== ref.path.length) return undefined;
    const [id, field, ...inner] = root === 'steps' ? path : [around[0]?.id ?? '', 'output', ...path];
    if (field === 'status') continue;
    const step = around.find((one) => one.id === id);
    const source = step && field === 'output' && !step.foreach ? sourceOf(step, inner) : undefined;
    if (!source) return undefined;
    parts.push({ to: [root, ...path], source });
  }
  const [first] = parts;
  if (!first || parts.some(({ source }) => source.step !== first.source.step)) return undefined;
  const ids = root === 'steps' ? new Set(refs.map(({ path }) => String(path[0]))) : [];
  const scopeOf = (output: Json): Readonly<Record<string, Json>> => {
    const scope: Record<string, Json> = {};
    for (const id of ids) put(scope, ['steps', id], { status: 'done', output: null, error: null, failures: [] });
    for (const { to, source } of parts) put(scope, to, at(output, source.path));
    return scope;
  };
  return { step: first.source.step, isLoops: parts.some(({ source }) => source.isLoops), scopeOf };
}

/** Which leaf gives what stands at a place of a step's output. */
function sourceOf(step: Step, path: Path): Source | undefined {
  if (step.body.type === 'leaf') return { step, path, isLoops: false };
  if (step.body.type !== 'group') return undefined;
  const { steps, result } = step.body;
  const there = result ? within(result, path) : path;
  const [id, ...inner] = there ?? [];
  const next = steps.find((one) => one.id === id);
  const source = next && !next.foreach ? sourceOf(next, inner) : undefined;
  return source && { ...source, isLoops: source.isLoops || step.repeat !== undefined };
}

/** The place that a result takes it from: the id of a step, then a path in its output. */
function within(result: Template, path: Path): Path | undefined {
  if (result.type === 'map') {
    const [name, ...inner] = path;
    const found = result.entries.find(([key]) => key === name);
    return found && within(found[1], inner);
  }
  if (result.type !== 'expression') return undefined;
  const known = staticPath(treeOf(result.expression.ast));
  const [id, field, ...rest] = known?.path ?? [];
  const words = rest.filter((part) => typeof part === 'string');
  if (known?.root !== 'steps' || typeof id !== 'string' || field !== 'output' || words.length < rest.length) {
    return undefined;
  }
  return [id, ...words, ...path];
}

function at(value: Json, path: Path): Json | undefined {
  let here: Json | undefined = value;
  for (const part of path) here = isObject(here) ? here[part] : undefined;
  return here;
}

function put(into: Record<string, Json>, path: Path, value: Json | undefined): void {
  const [name, ...inner] = path;
  if (name === undefined || value === undefined) return;
  if (inner.length === 0) {
    into[name] = value;
    return;
  }
  const before = into[name];
  const below: Record<string, Json> = isObject(before) ? { ...before } : {};
  into[name] = below;
  put(below, inner, value);
}

function evaluated(condition: Expression, scope: Readonly<Record<string, Json>>): Json | undefined {
  try {
    return condition.evaluate(scope);
  } catch {
    return undefined;
  }
}
