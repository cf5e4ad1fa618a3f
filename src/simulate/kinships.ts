/** Which values of a step's output must be among those of another's, as its asserts say it: so that an answer can be one that holds. */
import type { Expression } from '../core/expression.js';
import { isObject, type Json, type JsonSchema } from '../core/json.js';
import { type Plan, type Step, stepsIn } from '../core/plan.js';
import { bindMacro, children, loopMacro, type Tree, treeOf } from '../core/tree.js';
import { generateMatch } from '../providers/sketch-pattern.js';
import { flatten } from '../providers/sketch-schema.js';

/** `here`: a place in the step's own output, lists as `*`; `there`: of the step with this id. */
export interface Kinship {
  readonly here: string;
  readonly id: string;
  readonly there: readonly string[];
}

/** What a plan's conditions say of the outputs of its steps; by step. */
export interface Hints {
  readonly kin: readonly Kinship[];
  /** Texts that others will compare with: by the place in its output. */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** Numbers that conditions anywhere compare something of it with. */
  readonly numbers: readonly number[];
  /** Ends whose conditions look at this step alone: for the run to go on, they must not hold. */
  readonly ends: readonly Expression[];
}

const EXAMPLES = 8;

export function hintsOf(plan: Plan): ReadonlyMap<Step, Hints> {
  const hints = new Map<Step, Hints>();
  const all = everyListed(plan.steps);
  const kinOf = new Map(all.map(({ step }) => [step, step.assert.flatMap(({ that }) => kinshipsIn(treeOf(that.ast)))]));
  for (const { step } of all) {
    const wanted = new Map<string, readonly string[]>();
    for (const { step: other } of all) {
      for (const { here, id, there } of kinOf.get(other) ?? []) {
        if (id !== step.id) continue;
        const texts = examplesAt(other.output?.json, here.split('.'));
        if (texts.length > 0) wanted.set([...there, '*'].join('.'), texts);
      }
    }
    const conditions = all.flatMap(({ step: one }) => [one.when ?? [], one.repeat?.until ?? []].flat());
    const about = conditions.filter(({ refs }) =>
      refs.some(({ root, path }) => root === 'steps' && path[0] === step.id),
    );
    hints.set(step, {
      kin: kinOf.get(step) ?? [],
      wanted,
      numbers: [...new Set(about.flatMap(({ ast }) => numbersIn(treeOf(ast))))],
      ends: all.flatMap(({ step: one }) =>
        one.when && one.body.type === 'leaf' && one.body.kind.name === 'end' && isAbout(one.when, step.id)
          ? [one.when]
          : [],
      ),
    });
  }
  return hints;
}

function everyListed(steps: readonly Step[]): { readonly step: Step }[] {
  return steps.flatMap((step) => [{ step }, ...everyListed(stepsIn(step))]);
}

function isAbout({ refs }: Expression, id: string): boolean {
  return refs.every(({ root, path }) => root === 'steps' && path[0] === id);
}

function numbersIn(tree: Tree): number[] {
  const own = tree.op === 'value' && typeof tree.args === 'number' ? [tree.args] : [];
  return [...own, ...children(tree).flatMap(numbersIn)];
}

type Bound = ReadonlyMap<string, string>;

/** Every `x in steps.<id>.output.…` where x stands in `output`. */
function kinshipsIn(tree: Tree, bound: Bound = new Map()): Kinship[] {
  if (tree.op === 'in') {
    const here = placeOf(tree.args[0], bound);
    const there = otherOf(tree.args[1]);
    return here === undefined || !there ? [] : [{ here, ...there }];
  }
  const loop = loopMacro(tree);
  if (loop) {
    const list = placeOf(loop.list, bound);
    const inner = list === undefined ? bound : new Map([...bound, [loop.variable, list === '' ? '*' : `${list}.*`]]);
    return loop.bodies.flatMap((body) => kinshipsIn(body, inner));
  }
  const bind = bindMacro(tree);
  if (bind) return kinshipsIn(bind.body, bound);
  return children(tree).flatMap((child) => kinshipsIn(child, bound));
}

/** A place in `output`, or undefined for anything else. */
function placeOf(tree: Tree, bound: Bound): string | undefined {
  if (tree.op === 'id') return tree.args === 'output' ? '' : bound.get(tree.args);
  if (tree.op !== '.') return undefined;
  const before = placeOf(tree.args[0], bound);
  if (before === undefined) return undefined;
  return before === '' ? tree.args[1] : `${before}.${tree.args[1]}`;
}

function otherOf(tree: Tree): Pick<Kinship, 'id' | 'there'> | undefined {
  const path: string[] = [];
  let at = tree;
  while (at.op === '.') {
    path.unshift(at.args[1]);
    at = at.args[0];
  }
  const [id, field, ...there] = path;
  return at.op === 'id' && at.args === 'steps' && id !== undefined && field === 'output' ? { id, there } : undefined;
}

function examplesAt(schema: JsonSchema | undefined, place: readonly string[]): readonly string[] {
  let here: Json | undefined = schema;
  for (const part of place) {
    const flat = flatten(here, schema ?? true);
    here = part === '*' ? flat.items : isObject(flat.properties) ? flat.properties[part] : undefined;
  }
  const { pattern, enum: choices } = flatten(here, schema ?? true);
  if (Array.isArray(choices)) return choices.filter((one): one is string => typeof one === 'string');
  if (typeof pattern !== 'string') return [];
  return Array.from({ length: EXAMPLES }, (_, index) => generateMatch(pattern, index)).filter(
    (one) => one !== undefined,
  );
}
