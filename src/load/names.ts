/** Checks that the steps that expressions name are there, and are seen from where they are named. */
import { type Expression, templateExpressions } from '../core/expression.js';
import { nearest, type Position } from '../core/problems.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Reading } from './fields.js';
import { referencesIn } from './references.js';

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
    for (const { expression, ref, at } of referencesIn(expressions, 'steps')) {
      const [id, field] = ref.path;
      if (typeof id !== 'string') continue;
      const named = byId.get(id);
      const isAround = named !== undefined && around.includes(named);
      if (isAround && isInLoop(named, String(field), expression)) continue;
      if (!isAround && named && lists.has(named.parent)) continue;
      said.set(expression, (said.get(expression) ?? new Set()).add(id));
      if (isAround) sayAround(named, field, at, named === self);
      else sayUnseen(id, named, expression, at, lists);
    }
  };

  const sayAround = (
    { id, fields }: Draft,
    field: string | number | undefined,
    at: Position,
    isSelf: boolean,
  ): void => {
    const loop = LOOP_OF.get(String(field));
    if (loop) {
      const message = fields.has(loop)
        ? `"steps.${id}.${field}" is read before the loop of "${id}" begins.`
        : `Step "${id}" has no "${loop}", so there is no "steps.${id}.${field}".`;
      notes.error('self-reference', at, message, { hint: 'It is known inside of the loop only.' });
      return;
    }
    const what = isSelf ? 'this step itself' : 'the group around this step';
    const near = typeof field === 'string' ? nearest(field, LOOP_OF.keys()) : undefined;
    const hint = near
      ? `Did you mean "${near}"?`
      : isSelf
        ? 'In until, assert or save its own result is "output".'
        : 'Inside of a group only its loop is known: item, index, previous, iteration.';
    notes.error('self-reference', at, `"steps.${id}" is ${what}: it has no output yet.`, { hint });
  };

  const sayUnseen = (
    id: string,
    hidden: Draft | undefined,
    expression: Expression,
    at: Position,
    lists: ReadonlySet<Draft | undefined>,
  ): void => {
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
    const offset = source.offset(at) + 'steps.'.length;
    const isPlain =
      at.file === source.file &&
      source.text.slice(offset, offset + id.length) === id &&
      expression.source.includes(`steps.${id}`);
    const edit =
      near && isPlain
        ? { start: offset + source.skipped, end: offset + id.length + source.skipped, text: near }
        : undefined;
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
