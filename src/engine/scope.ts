/** What an expression can see at its place in the plan: the values behind its roots. */
import type { Expression, Scope, Template } from '../core/expression.js';
import { render, templateExpressions } from '../core/expression.js';
import type { Json, JsonObject } from '../core/json.js';
import type { StepOutcome } from '../core/outcome.js';

/** The roots that are the same everywhere in a run. */
export interface RunRoots {
  readonly query: string;
  readonly inputs: JsonObject;
  readonly run: JsonObject;
  readonly skill: JsonObject;
  readonly skills: JsonObject;
  readonly project: JsonObject;
}

/** One list of steps, or one item or round around it; inner frames see the outer ones. */
export interface Frame {
  readonly parent?: Frame;
  /** Settled steps of this list, by id. */
  readonly steps: Map<string, StepView>;
  /** `item` and `index`, or `previous` and `iteration`, of the loop whose body this is. */
  readonly loop?: { readonly id: string; readonly values: JsonObject };
}

/** What `steps.<id>` is. */
export interface StepView {
  readonly output: Json;
  readonly status: 'done' | 'skipped' | 'failed';
  readonly error: Json;
  readonly failures: readonly Json[];
}

export function viewOf(outcome: StepOutcome, failures: readonly Json[] = []): StepView {
  if (outcome.status === 'done') return { output: outcome.output, status: 'done', error: null, failures };
  if (outcome.status === 'failed') {
    return { output: null, status: 'failed', error: errorView(outcome.fault), failures };
  }
  return { output: null, status: 'skipped', error: null, failures };
}

/** `steps.x.error`: code and message, and of a process its exit and last words. */
export function errorView(fault: {
  code: string;
  message: string;
  outcome?: string;
  exit?: number | string;
  stderr?: string;
}): JsonObject {
  return {
    code: fault.outcome ?? fault.code,
    message: fault.message,
    ...(fault.exit === undefined ? {} : { exit: fault.exit }),
    ...(fault.stderr === undefined ? {} : { stderr: fault.stderr }),
  };
}

/** Builds only the roots that the expression reads, so that a run of ten thousand steps stays linear. */
export function scopeFor(expression: Expression, frame: Frame, roots: RunRoots, output?: Json): Scope {
  const scope: Record<string, Json | undefined> = {};
  const wanted = new Set<string>();
  for (const ref of expression.refs) {
    if (ref.root !== 'steps') {
      if (scope[ref.root] === undefined) scope[ref.root] = rootValue(ref.root, frame, roots, output);
    } else if (typeof ref.path[0] === 'string') wanted.add(ref.path[0]);
    else for (const id of visibleIds(frame)) wanted.add(id);
  }
  if (wanted.size > 0 || expression.refs.some((ref) => ref.root === 'steps')) {
    const steps: Record<string, Json> = {};
    for (const id of wanted) {
      const view = stepValue(id, frame);
      if (view) steps[id] = view;
    }
    scope.steps = steps;
  }
  return scope;
}

/** Evaluates a template where it stands. */
export function renderIn(template: Template, frame: Frame, roots: RunRoots, output?: Json): Json {
  const scope: Record<string, Json | undefined> = {};
  for (const expression of templateExpressions(template)) {
    const part = scopeFor(expression, frame, roots, output);
    const steps = { ...(scope.steps as JsonObject | undefined), ...(part.steps as JsonObject | undefined) };
    Object.assign(scope, part, part.steps === undefined ? {} : { steps });
  }
  return render(template, scope);
}

export function evaluateIn(expression: Expression, frame: Frame, roots: RunRoots, output?: Json): Json {
  return expression.evaluate(scopeFor(expression, frame, roots, output));
}

function rootValue(root: string, frame: Frame, roots: RunRoots, output: Json | undefined): Json | undefined {
  if (root === 'output') return output;
  if (root === 'item' || root === 'index' || root === 'previous' || root === 'iteration') {
    for (let at: Frame | undefined = frame; at; at = at.parent) {
      if (at.loop && root in at.loop.values) return at.loop.values[root];
    }
    return undefined;
  }
  return roots[root as keyof RunRoots];
}

/** A settled step's view, or, inside its own loop, what the loop is at. */
function stepValue(id: string, frame: Frame): JsonObject | undefined {
  let value: JsonObject | undefined;
  for (let at: Frame | undefined = frame; at; at = at.parent) {
    const view = at.steps.get(id);
    if (view) return { ...value, ...view };
    if (at.loop?.id === id) value = { ...at.loop.values, ...value };
  }
  return value;
}

function visibleIds(frame: Frame): Set<string> {
  const ids = new Set<string>();
  for (let at: Frame | undefined = frame; at; at = at.parent) {
    for (const id of at.steps.keys()) ids.add(id);
    if (at.loop) ids.add(at.loop.id);
  }
  return ids;
}
