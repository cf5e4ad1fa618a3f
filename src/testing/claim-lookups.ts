/** `ran("publish")` and `before("audit", "publish")`: to the author of a claim they ask about steps; in a claim that is read they look up facts of the run. */
import { type Expression, positionIn, readAs } from '../core/expression.js';
import { nearest, type Position, type Problem } from '../core/problems.js';
import { idsOf } from '../core/step-path.js';
import { children, type Tree, treeOf, withChildren } from '../core/tree.js';
import type { Notes } from '../load/notes.js';

const TAKES = {
  ran: { count: 1, what: 'the id of one step', example: 'ran("publish")' },
  before: { count: 2, what: 'the ids of two steps', example: 'before("audit", "publish")' },
} as const;

type Lookup = keyof typeof TAKES;

function isLookup(name: string): name is Lookup {
  return Object.hasOwn(TAKES, name);
}

/** The same claim with its calls as look-ups; a call with anything but ids in quotes is noted. */
export function withLookups(claim: Expression, notes: Notes): Expression {
  const change = (tree: Tree): Tree => {
    if (tree.op !== 'call' || !isLookup(tree.args[0])) return withChildren(tree, change);
    const [name, args] = tree.args;
    const { count, what, example } = TAKES[name];
    if (args.length !== count || !args.every(isText)) {
      notes.error('claim', positionIn(claim, tree.start), `${name} takes ${what}, in quotes.`, {
        hint: `Write it like ${example}.`,
      });
      return tree;
    }
    const root: Tree = { op: 'id', args: name, start: tree.start, end: tree.start + name.length };
    return args.reduce<Tree>((of, id) => ({ op: '[]', args: [of, id], start: tree.start, end: tree.end }), root);
  };
  return readAs(claim, change(treeOf(claim.ast)));
}

function isText(tree: Tree): boolean {
  return tree.op === 'value' && typeof tree.args === 'string';
}

/** Steps that a claim asks about and that are not there. @param ids of the steps of the pipeline's own file */
export function missingSteps(claim: Expression, ids: readonly string[]): Problem[] {
  const visit = (tree: Tree): Problem[] => [
    ...(tree.op === '[]' && isOfLookup(tree.args[0]) ? missing(tree.args[1], ids, claim) : []),
    ...children(tree).flatMap(visit),
  ];
  return visit(treeOf(claim.ast));
}

/** `ran`, `before`, or `before["audit"]`. */
function isOfLookup(tree: Tree): boolean {
  if (tree.op === 'id') return isLookup(tree.args);
  return tree.op === '[]' && tree.args[0].op === 'id' && tree.args[0].args === 'before';
}

function missing(id: Tree, ids: readonly string[], claim: Expression): Problem[] {
  if (id.op !== 'value' || typeof id.args !== 'string' || ids.includes(id.args)) return [];
  return [noStep(id.args, ids, positionIn(claim, id.start))];
}

function noStep(id: string, ids: readonly string[], at: Position): Problem {
  const last = idsOf(id).split('/').at(-1) ?? '';
  const near = nearest(id, ids);
  const hint = ids.includes(last)
    ? `Write "${last}": it stands for all items and rounds, wherever the step is.`
    : near === undefined
      ? `There is ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ', …' : ''}.`
      : `Did you mean "${near}"?`;
  return { severity: 'error', rule: 'claim', message: `There is no step "${id}".`, at, hint };
}
