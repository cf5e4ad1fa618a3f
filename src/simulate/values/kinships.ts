/** Which values of a step's output must be among those of another's, as its asserts say it: so that an answer can be one that holds. */
import { isObject, type Json, type JsonSchema } from '../../core/json.js';
import { everyStep, type Plan, type Step } from '../../core/plan.js';
import { bindMacro, children, loopMacro, type Tree, treeOf } from '../../core/tree.js';
import { generateMatch } from '../../providers/sketch-pattern.js';
import { flatten } from '../../providers/sketch-schema.js';
import { type Hope, hopesOf } from './hopes.js';
import { literalsOf } from './literals.js';

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
  /** What conditions anywhere compare something of it with. */
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  /** Lists in its output that asserts of others want empty. */
  readonly bare: ReadonlySet<string>;
  readonly hopes: readonly Hope[];
}

const EXAMPLES = 8;

export function hintsOf(plan: Plan): ReadonlyMap<Step, Hints> {
  const hints = new Map<Step, Hints>();
  const all = everyStep(plan.steps);
  const hopes = hopesOf(plan.steps);
  const bare = all.flatMap((step) => step.assert.flatMap(({ that }) => emptiesIn(treeOf(that.ast))));
  const kinOf = new Map(all.map((step) => [step, step.assert.flatMap(({ that }) => kinshipsIn(treeOf(that.ast)))]));
  for (const step of all) {
    const wanted = new Map<string, readonly string[]>();
    for (const other of all) {
      for (const { here, id, there } of kinOf.get(other) ?? []) {
        if (id !== step.id) continue;
        const texts = examplesAt(other.output?.json, here.split('.'));
        if (texts.length > 0) wanted.set([...there, '*'].join('.'), texts);
      }
    }
    const conditions = all.flatMap((one) => [one.when ?? [], one.repeat?.until ?? []].flat());
    const about = conditions.filter(({ refs }) =>
      refs.some(({ root, path }) => root === 'steps' && path[0] === step.id),
    );
    const hoped = hopes.get(step) ?? [];
    const spoken = [...new Set([...about, ...hoped.map(({ condition }) => condition)])].map(literalsOf);
    hints.set(step, {
      kin: kinOf.get(step) ?? [],
      wanted,
      bare: new Set(bare.flatMap(({ id, there }) => (id === step.id ? [there.join('.')] : []))),
      numbers: [...new Set(spoken.flatMap(({ numbers }) => numbers))],
      texts: [...new Set(spoken.flatMap(({ texts }) => texts))],
      hopes: hoped,
    });
  }
  return hints;
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

/** Every `steps.<id>.output.….size() == 0` that helps the whole to hold. */
function emptiesIn(tree: Tree): Pick<Kinship, 'id' | 'there'>[] {
  if (tree.op === '||' || tree.op === '&&') return tree.args.flatMap(emptiesIn);
  if (tree.op !== '==') return [];
  const [left, right] = tree.args;
  if (right.op !== 'value' || right.args !== 0 || left.op !== 'rcall' || left.args[0] !== 'size') return [];
  return [otherOf(left.args[1]) ?? []].flat();
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
