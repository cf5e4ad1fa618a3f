/** Every expression of a step, with the references in it. */
import { type Expression, positionIn, type Ref, templateExpressions } from '../core/expression.js';
import type { Position } from '../core/problems.js';
import { children, staticPath, type Tree, treeOf } from '../core/tree.js';
import { type Draft, everyDraft } from './draft.js';
import { keyPlace, type Place } from './infer-findings.js';

export interface Reference {
  readonly expression: Expression;
  readonly ref: Ref;
  /** Reckoned when it is asked for. */
  readonly at: Position;
}

/** Of the step itself, not of the steps inside of it. */
export function ownExpressions(draft: Draft): readonly Expression[] {
  const before = expressionsOf.get(draft);
  if (before) return before;
  const all = readExpressions(draft);
  expressionsOf.set(draft, all);
  return all;
}

const expressionsOf = new WeakMap<Draft, readonly Expression[]>();

function readExpressions(draft: Draft): Expression[] {
  const templates = [
    ...(draft.foreach ? [draft.foreach.over.template] : []),
    ...draft.assert.map(({ message }) => message.template),
    ...draft.save.flatMap(({ path, value }) => [path, ...(value ? [value.template] : [])]),
    ...(draft.body.type === 'leaf' || draft.body.type === 'child' ? [draft.body.config.template] : []),
    ...(draft.body.type === 'group' && draft.body.result ? [draft.body.result.template] : []),
  ];
  const conditions = [draft.when, draft.repeat?.until, ...draft.assert.map(({ that }) => that)];
  return [...conditions.filter((each) => each !== undefined), ...templates.flatMap(templateExpressions)];
}

/** Of a step and of the steps inside of it. */
export function subtreeExpressions(draft: Draft): Expression[] {
  const inner = draft.body.type === 'group' ? everyDraft(draft.body.steps) : [];
  return [draft, ...inner].flatMap(ownExpressions);
}

export function referencesIn(expressions: readonly Expression[], root: string): Reference[] {
  return expressions.flatMap((expression) => referencesOf(expression).filter(({ ref }) => ref.root === root));
}

const known = new WeakMap<Expression, readonly Reference[]>();

function referencesOf(expression: Expression): readonly Reference[] {
  const before = known.get(expression);
  if (before) return before;
  const references = expression.refs.map((ref) => ({
    expression,
    ref,
    get at() {
      return positionIn(expression, ref.start);
    },
  }));
  known.set(expression, references);
  return references;
}

export type Names = ReadonlySet<string> | 'all';

/** Ids of steps; all of them if one is chosen by a value. */
export function idsRead(expressions: readonly Expression[]): Names {
  const references = referencesIn(expressions, 'steps');
  if (references.some(({ ref }) => typeof ref.path[0] !== 'string')) return 'all';
  return new Set(references.map(({ ref }) => String(ref.path[0])));
}

/** Of one key of a reference, as it stands in the expression: with its quotes, if it has them. */
export function keyPlaceOf({ ast }: Expression, { start, end, path }: Ref, key: number): Place {
  let node = nodeAt(treeOf(ast), start, end);
  for (let more = path.length - 1 - key; more > 0 && isMember(node); more--) node = node.args[0];
  return node && isMember(node) ? keyPlace(node) : { start, end };
}

function isMember(tree: Tree | undefined): tree is Tree & { op: '.' | '[]' } {
  return tree?.op === '.' || tree?.op === '[]';
}

/** The path that spans just these offsets. */
function nodeAt(tree: Tree, start: number, end: number): Tree | undefined {
  if (tree.start === start && tree.end === end && staticPath(tree)) return tree;
  for (const child of children(tree)) {
    const found = child.start <= start && child.end >= end ? nodeAt(child, start, end) : undefined;
    if (found) return found;
  }
  return undefined;
}
