/** Checks that the steps that expressions name are there, and are seen from where they are named. */
import type { Expression } from '../core/expression.js';
import { nearest, type Position } from '../core/problems.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Reading } from './fields.js';
import { LOOP_FIELDS } from './order.js';
import { referencesIn } from './references.js';

export interface NameCheck {
  /** Expressions of a step itself. */
  ofStep(draft: Draft, expressions: readonly Expression[]): void;
  /** Of the result of a group, or of the file. */
  ofResult(group: Draft | undefined, expressions: readonly Expression[]): void;
}

export function nameCheck(roots: readonly Draft[], { notes, source }: Reading): NameCheck {
  const byId = new Map(
    everyDraft(roots)
      .toReversed()
      .map((draft) => [draft.id, draft]),
  );

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
      if (named && around.includes(named)) {
        if (!LOOP_FIELDS.has(String(field))) sayAround(named, at, named === self);
      } else if (!named || !lists.has(named.parent)) sayUnseen(id, named, expression, at, lists);
    }
  };

  const sayAround = ({ id }: Draft, at: Position, isSelf: boolean): void => {
    const what = isSelf ? 'this step itself' : 'the group around this step';
    const hint = isSelf
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
  };
}
