/** Checks every expression of a file against the types that the names have at its place. */
import { type Expression, positionIn, templateExpressions } from '../core/expression.js';
import { nearest } from '../core/problems.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Reading } from './fields.js';
import { infer } from './infer.js';
import type { Finding } from './infer-findings.js';
import type { TypeScope } from './infer-narrow.js';
import { LOOP_FIELDS } from './order.js';
import { ownExpressions, referencesIn } from './references.js';
import { type Checked, listOfDraft, scopesOf, visibleIds } from './scopes.js';
import type { Compiled } from './templates.js';

export interface CheckedFile extends Checked {
  readonly result: Compiled | undefined;
}

export function checkTypes(plan: CheckedFile, reading: Reading): void {
  const all = everyDraft(plan.steps);
  const scopes = scopesOf(plan);
  const say = judge(reading);
  for (const draft of all) {
    checkNames(
      draft,
      ownExpressions(draft).filter((each) => !resultExpressions(draft).includes(each)),
      plan,
      all,
      reading,
    );
    if (draft.when) say(draft.when, scopes.before(draft), 'boolean');
    if (draft.foreach) sayAll(draft.foreach.over, scopes.chosen(draft), say, 'list');
    if (draft.repeat?.until) say(draft.repeat.until, scopes.after(draft), 'boolean');
    for (const { that, message } of draft.assert) {
      if (that) say(that, scopes.after(draft), 'boolean');
      sayAll(message, scopes.after(draft), say);
    }
    for (const { path, value } of draft.save) {
      sayAll({ template: path, isWhole: true }, scopes.after(draft), say);
      if (value) sayAll(value, scopes.after(draft), say);
    }
    if (draft.body.type === 'leaf') sayAll(draft.body.config, scopes.inside(draft), say);
    if (draft.body.type === 'group' && draft.body.result) {
      const [first] = draft.body.steps;
      if (first) checkNames(first, resultExpressions(draft), plan, all, reading, true);
      sayAll(draft.body.result, scopes.ofResult(draft), say);
    }
    checkReach(draft, plan.steps, reading);
  }
  if (!plan.result) return;
  checkNames(undefined, templateExpressions(plan.result.template), plan, all, reading);
  sayAll(plan.result, scopes.ofResult(undefined), say);
}

function resultExpressions(draft: Draft): Expression[] {
  return draft.body.type === 'group' && draft.body.result ? templateExpressions(draft.body.result.template) : [];
}

type Say = (expression: Expression, scope: TypeScope, expected?: 'boolean' | 'list') => void;

function sayAll({ template }: Compiled, scope: TypeScope, say: Say, expected?: 'list'): void {
  for (const expression of templateExpressions(template)) {
    say(expression, scope, template.type === 'expression' ? expected : undefined);
  }
}

function judge({ notes, source }: Reading): Say {
  return (expression, scope, expected) => {
    for (const finding of infer(expression, scope, expected).findings) {
      if (isNameOfStep(expression, finding)) continue;
      const at = positionIn(expression, finding.start);
      notes.error('type', at, finding.message, { hint: finding.hint, edit: editOf(finding) });
    }
    function editOf({ start, end, replacement }: Finding): { start: number; end: number; text: string } | undefined {
      const at = positionIn(expression, start);
      if (replacement === undefined || at.file !== source.file) return undefined;
      const offset = source.offset(at);
      const written = expression.source.slice(start, end);
      if (source.text.slice(offset, offset + written.length) !== written) return undefined;
      return { start: offset + source.skipped, end: offset + written.length + source.skipped, text: replacement };
    }
  };
}

/** Ids of steps are judged by checkNames, which knows where the others stand. */
function isNameOfStep(expression: Expression, { start, end }: Finding): boolean {
  return expression.refs.some(
    (ref) =>
      ref.root === 'steps' &&
      ref.start <= start &&
      end <= ref.start + `steps.${String(ref.path[0])}`.length &&
      end > ref.start + 'steps'.length,
  );
}

/** @param fromResult whether the expressions are those of the result of the group around `draft` */
function checkNames(
  draft: Draft | undefined,
  expressions: readonly Expression[],
  plan: CheckedFile,
  all: readonly Draft[],
  reading: Reading,
  fromResult = false,
): void {
  const visible = visibleIds(draft, plan.steps);
  for (const { expression, ref, at } of referencesIn(expressions, 'steps')) {
    const [id, field] = ref.path;
    if (typeof id !== 'string') continue;
    const around = draft ? lineage(draft).find((each) => each.id === id && (each !== draft || !fromResult)) : undefined;
    if (around) {
      const isLoopField = LOOP_FIELDS.has(String(field));
      if (isLoopField) continue;
      const hint =
        around === draft
          ? 'In until, assert or save its own result is "output".'
          : 'Inside of a group only its loop is known: item, index, previous, iteration.';
      reading.notes.error(
        'self-reference',
        at,
        `"steps.${id}" is ${around === draft ? 'this step itself' : 'the group around this step'}: it has no output yet.`,
        { hint },
      );
      continue;
    }
    if (visible.has(id)) continue;
    sayUnknown(id, expression, at, visible, all, reading);
  }
}

function sayUnknown(
  id: string,
  expression: Expression,
  at: ReturnType<typeof positionIn>,
  visible: ReadonlySet<string>,
  all: readonly Draft[],
  { notes, source }: Reading,
): void {
  const hidden = all.find((each) => each.id === id);
  if (hidden?.parent) {
    const hint = `Read the group: steps.${hidden.parent.id}.output.`;
    notes.error(
      'hidden-step',
      at,
      `Step "${id}" stands inside of the group "${hidden.parent.id}"; from here only the group's output is seen.`,
      { hint },
    );
    return;
  }
  const ids = [...visible].filter((each) => !each.startsWith('?'));
  const near = nearest(id, ids);
  const offset = source.offset(at) + 'steps.'.length;
  const isPlain =
    at.file === source.file &&
    source.text.slice(offset, offset + id.length) === id &&
    expression.source.includes(`steps.${id}`);
  notes.error('unknown-step', at, `There is no step "${id}".`, {
    hint: near
      ? `Did you mean "${near}"?`
      : `Known here: ${ids.slice(0, 12).join(', ')}${ids.length > 12 ? ', …' : ''}.`,
    edit:
      near && isPlain
        ? { start: offset + source.skipped, end: offset + id.length + source.skipped, text: near }
        : undefined,
  });
}

/** Behind an end without a condition nothing runs. */
function checkReach(draft: Draft, roots: readonly Draft[], { notes }: Reading): void {
  if (draft.body.type !== 'leaf' || draft.body.kind.name !== 'end' || draft.fields.has('when')) return;
  const list = listOfDraft(draft, roots);
  const next = list[list.indexOf(draft) + 1];
  if (next)
    notes.error(
      'unreachable',
      next.at,
      `Step "${next.id}" never runs: step "${draft.id}" always ends the run before it.`,
      { hint: `Give "${draft.id}" a when.` },
    );
}
