/** Checks that the steps that expressions name are there, and are seen from where they are named. */
import { type Expression, positionIn, templateExpressions } from '../core/expression.js';
import { nearest, type Position } from '../core/problems.js';
import { certainly } from './certain.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import { editInside } from './expression-edit.js';
import type { Reading } from './fields.js';
import type { Place } from './infer-findings.js';
import { keyPlaceOf, referencesIn } from './references.js';

/** The keys that make a step a loop, by what they make known inside of it. */
const LOOP_OF: ReadonlyMap<string, string> = new Map([
  ['item', 'foreach'],
  ['index', 'foreach'],
  ['previous', 'repeat'],
  ['iteration', 'repeat'],
]);

export interface NameCheck {
  /** Expressions of a step itself. */
  ofStep(draft: Draft, expressions: readonly Expression[]): void;
  /** Of the result of a group, or of the file. */
  ofResult(group: Draft | undefined, expressions: readonly Expression[]): void;
  /** Whether something was said of this step in this expression: its type is then no matter. */
  isSaid(expression: Expression, id: string): boolean;
}

export function nameCheck(roots: readonly Draft[], { notes, source }: Reading): NameCheck {
  const byId = new Map(
    everyDraft(roots)
      .toReversed()
      .map((draft) => [draft.id, draft]),
  );

  const said = new Map<Expression, Set<string>>();

  /** @param lists the groups whose steps are seen; undefined for the list of the file */
  const check = (
    expressions: readonly Expression[],
    around: readonly Draft[],
    lists: ReadonlySet<Draft | undefined>,
    self?: Draft,
  ): void => {
    for (const { expression, ref } of referencesIn(expressions, 'steps')) {
      const [id, field] = ref.path;
      const placeOf = (key: number): Position => positionIn(expression, keyPlaceOf(expression, ref, key).start);
      if (typeof id !== 'string') continue;
      const named = byId.get(id);
      const isAround = named !== undefined && around.includes(named);
      if (isAround && isInLoop(named, String(field), expression)) continue;
      if (!isAround && named && lists.has(named.parent)) continue;
      said.set(expression, (said.get(expression) ?? new Set()).add(id));
      if (isAround) sayAround(named, field, placeOf, named === self);
      else sayUnseen(id, named, expression, keyPlaceOf(expression, ref, 0), lists);
    }
  };

  const sayAround = (
    { id, fields }: Draft,
    field: string | number | undefined,
    placeOf: (key: number) => Position,
    isSelf: boolean,
  ): void => {
    const loop = LOOP_OF.get(String(field));
    if (loop) {
      const message = fields.has(loop)
        ? `"steps.${id}.${field}" is read before the loop of "${id}" begins.`
        : `Step "${id}" has no "${loop}", so there is no "steps.${id}.${field}".`;
      notes.error('self-reference', placeOf(1), message, { hint: 'It is known inside of the loop only.' });
      return;
    }
    const what = isSelf ? 'this step itself' : 'the group around this step';
    const near = typeof field === 'string' ? nearest(field, LOOP_OF.keys()) : undefined;
    const hint = near
      ? `Did you mean "${near}"?`
      : isSelf
        ? 'In until, assert or save its own result is "output".'
        : 'Inside of a group only its loop is known: item, index, previous, iteration.';
    notes.error('self-reference', placeOf(near ? 1 : 0), `"steps.${id}" is ${what}: it has no output yet.`, { hint });
  };

  const sayUnseen = (
    id: string,
    hidden: Draft | undefined,
    expression: Expression,
    place: Place,
    lists: ReadonlySet<Draft | undefined>,
  ): void => {
    const at = positionIn(expression, place.start);
    if (hidden?.parent) {
      const group = hidden.parent.id;
      const message = `Step "${id}" stands inside of the group "${group}"; from here only the group's output is seen.`;
      notes.error('hidden-step', at, message, { hint: `Read the group: steps.${group}.output.` });
      return;
    }
    const ids = [...byId.values()]
      .filter((each) => lists.has(each.parent) && !each.id.startsWith('?'))
      .map((each) => each.id)
      .toReversed();
    const near = nearest(id, ids);
    const edit = editInside(expression, place, certainly(id, ids), source);
    const known = `Known here: ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ', …' : ''}.`;
    notes.error('unknown-step', at, `There is no step "${id}".`, {
      hint: near ? `Did you mean "${near}"?` : known,
      edit,
    });
  };

  return {
    ofStep(draft, expressions) {
      const line = lineage(draft);
      check(expressions, line, new Set(line.map((each) => each.parent)), draft);
    },
    ofResult(group, expressions) {
      const line = group ? lineage(group) : [];
      check(expressions, line, new Set([group, undefined, ...line]));
    },
    isSaid: (expression, id) => said.get(expression)?.has(id) ?? false,
  };
}

/** Whether the loop of a step around, or of the step itself, is under way where the expression is read. */
function isInLoop({ fields, when, foreach }: Draft, field: string, expression: Expression): boolean {
  const loop = LOOP_OF.get(field);
  if (loop === undefined || !fields.has(loop)) return false;
  return expression !== when && !(foreach && templateExpressions(foreach.over.template).includes(expression));
}
