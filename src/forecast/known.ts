/** What expressions come to before a run: those that read only the query, the inputs, folders, or what follows from them. */
import { type Expression, render, type Scope, type Template, templateExpressions } from '../core/expression.js';
import { Fault } from '../core/faults.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { showPath } from '../core/tree.js';

/** The values that are known at a place of the plan, by root. */
export type Known = Scope & { readonly steps: JsonObject };

export type Foreseen =
  | { readonly type: 'value'; readonly value: Json }
  /** `for`: what it reads and only a run can tell, as written. */
  | { readonly type: 'waits'; readonly for: readonly string[] }
  /** It is known that it will fail. */
  | { readonly type: 'fails'; readonly message: string };

/** @param query undefined if only a run can tell it; `inputs` likewise */
export function rootsOf(
  plan: Plan,
  query: string | undefined,
  inputs: JsonObject | undefined,
  projectDir: string,
): Known {
  const skills = Object.fromEntries(Object.entries(plan.skillDirs).map(([name, dir]) => [name, { dir }]));
  return {
    steps: {},
    skill: { dir: plan.skill.dir },
    skills,
    project: { dir: projectDir },
    ...(query === undefined ? {} : { query }),
    ...(inputs === undefined || query === undefined ? {} : { inputs: { query, ...inputs } }),
  };
}

/** With what a step is known to come to. */
export function withStep(known: Known, id: string, view: JsonObject): Known {
  const earlier = known.steps[id];
  return { ...known, steps: { ...known.steps, [id]: { ...(isObject(earlier) ? earlier : {}), ...view } } };
}

/** Inside a loop over items. */
export function withItem(known: Known, id: string, item: Json, index: number): Known {
  return withStep({ ...known, item, index }, id, { item, index });
}

/** Inside a loop whose items only a run can tell. */
export function withoutItem({ item: _, index: __, ...known }: Known): Known {
  return known;
}

export function foresee(template: Template, known: Known): Foreseen {
  const missing = missingOf(templateExpressions(template), known);
  if (missing.length > 0) return { type: 'waits', for: missing };
  return attempt(() => render(template, known));
}

export function foreseeCondition(expression: Expression, known: Known): Foreseen {
  const missing = missingOf([expression], known);
  if (missing.length > 0) return { type: 'waits', for: missing };
  return attempt(() => expression.evaluate(known));
}

/** What is not known of what the expressions read. */
export function missingOf(expressions: readonly Expression[], known: Known): string[] {
  const missing = expressions.flatMap(({ refs }) => refs).filter(({ root, path }) => !isKnown(root, path, known));
  return [...new Set(missing.map(({ root, path }) => showPath(root, path)))];
}

export function rootsIn(expressions: readonly Expression[]): Set<string> {
  return new Set(expressions.flatMap(({ refs }) => refs.map(({ root }) => root)));
}

/** Works it out for each place, and but once for all in which what it reads is the same as in the first. */
export function inEach<T>(
  roots: ReadonlySet<string>,
  places: readonly { readonly known: Known }[],
  work: (known: Known) => T,
): T[] {
  const [first] = places;
  if (!first) return [];
  const once = work(first.known);
  const isSame = (known: Known) => [...roots].every((root) => known[root] === first.known[root]);
  return places.map(({ known }) => (isSame(known) ? once : work(known)));
}

function isKnown(root: string, path: readonly (string | number)[], known: Known): boolean {
  if (root !== 'steps') return known[root] !== undefined;
  const [id, field] = path;
  const step = typeof id === 'string' ? known.steps[id] : undefined;
  return isObject(step) && typeof field === 'string' && Object.hasOwn(step, field);
}

function attempt(work: () => Json): Foreseen {
  try {
    return { type: 'value', value: work() };
  } catch (error) {
    if (error instanceof Fault) return { type: 'fails', message: error.message };
    throw error;
  }
}
