/** Checks every expression of a file against the types that the names have at its place. */
import { type Expression, positionIn, templateExpressions } from '../core/expression.js';
import { isObject, type JsonObject } from '../core/json.js';
import { sayBarePaths } from './bare-paths.js';
import { CHILD } from './child-step.js';
import { checkConfigTypes } from './config-types.js';
import { type ChildRead, type Draft, everyDraft, type PipelineReading } from './draft.js';
import { editInside } from './expression-edit.js';
import type { Reading } from './fields.js';
import { infer, typeOfTemplate } from './infer.js';
import type { Finding } from './infer-findings.js';
import type { TypeScope } from './infer-narrow.js';
import { DYNAMIC, nullable, type Type } from './infer-types.js';
import { checkModel } from './model-roles.js';
import { type NameCheck, nameCheck } from './names.js';
import { ownExpressions } from './references.js';
import { type Checked, childResult, listOfDraft, type Scopes, scopesOf } from './scopes.js';
import type { Compiled } from './templates.js';

/** @returns the types that the names have, for what else is asked of the file */
export function checkTypes(plan: Checked, reading: PipelineReading): Scopes {
  const all = everyDraft(plan.steps);
  const scopes = scopesOf(plan);
  const names = nameCheck(plan.steps, reading);
  const say = judge(reading, names);
  const ids = new Set(all.map(({ id }) => id));
  const sayBare = (compiled: Compiled, scope: TypeScope) => sayBarePaths(compiled, scope, ids, reading);
  for (const draft of all) {
    const ofResult = resultExpressions(draft);
    names.ofStep(
      draft,
      ownExpressions(draft).filter((each) => !ofResult.includes(each)),
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
      if (value) {
        sayAll(value, scopes.after(draft), say);
        sayBare(value, scopes.after(draft));
      }
    }
    if (draft.body.type === 'leaf') {
      const { config, kind, isValid } = draft.body;
      const scope = scopes.inside(draft);
      sayAll(config, scope, say);
      sayBare(config, scope);
      if (isValid) checkConfigTypes(config.template, kind.schema, `"${kind.name}"`, scope, reading.notes);
      checkModel(draft, scope, reading);
    }
    if (draft.body.type === 'child') {
      const { config, isValid } = draft.body;
      const scope = scopes.inside(draft);
      sayAll(config, scope, say);
      sayBare(config, scope);
      const schema = childSchema(plan.children.get(draft));
      if (isValid) checkConfigTypes(config.template, schema, '"pipeline"', scope, reading.notes);
    }
    if (draft.body.type === 'group' && draft.body.result) {
      names.ofResult(draft, ofResult);
      sayAll(draft.body.result, scopes.ofResult(draft), say);
      sayBare(draft.body.result, scopes.ofResult(draft));
    }
    checkReach(draft, plan.steps, reading);
  }
  if (!plan.result) return scopes;
  names.ofResult(undefined, templateExpressions(plan.result.template));
  sayAll(plan.result, scopes.ofResult(undefined), say);
  sayBare(plan.result, scopes.ofResult(undefined));
  return scopes;
}

/** The config's schema, with the inputs that the child declares. */
function childSchema(child: ChildRead | undefined): JsonObject {
  if (!child?.plan) return CHILD.schema;
  return { ...CHILD.schema, properties: { ...CHILD.schema.properties, inputs: child.plan.inputs } };
}

/** Of the pipeline's own result, as a step sees it that runs it; null after an end that is no failure. */
export function resultTypeOf(plan: Checked, scopes: Scopes): Type {
  if (!plan.result) return childResult;
  if (!plan.result.isWhole) return DYNAMIC;
  const type = typeOfTemplate(plan.result.template, scopes.ofResult(undefined));
  return everyDraft(plan.steps).some(mayEndAsDone) ? nullable(type) : type;
}

function mayEndAsDone({ body }: Draft): boolean {
  if (body.type !== 'leaf' || body.kind.name !== 'end') return false;
  const { template } = body.config;
  const status = template.type === 'map' ? template.entries.find(([key]) => key === 'status')?.[1] : template;
  if (status?.type !== 'literal') return true;
  const value = isObject(status.value) ? status.value.status : status.value;
  return value !== 'refused' && value !== 'failed';
}

function resultExpressions(draft: Draft): readonly Expression[] {
  return draft.body.type === 'group' && draft.body.result ? templateExpressions(draft.body.result.template) : [];
}

type Say = (expression: Expression, scope: TypeScope, expected?: 'boolean' | 'list') => void;

function sayAll({ template }: Compiled, scope: TypeScope, say: Say, expected?: 'list'): void {
  for (const expression of templateExpressions(template)) {
    say(expression, scope, template.type === 'expression' ? expected : undefined);
  }
}

/** Names of steps are judged by nameCheck, which knows where they stand: of those it spoke of, types say nothing more. */
function judge({ notes, source }: Reading, names: NameCheck): Say {
  return (expression, scope, expected) => {
    for (const finding of infer(expression, scope, expected).findings) {
      if (finding.step !== undefined && names.isSaid(expression, finding.step)) continue;
      const at = positionIn(expression, finding.start);
      const edit = editInside(expression, finding, wordOf(finding), source);
      notes.error('type', at, finding.message, { hint: finding.hint, edit });
    }
  };
}

/** Without the quotes of a text. */
function wordOf({ replacement }: Finding): string | undefined {
  return replacement?.startsWith('"') ? replacement.slice(1, -1) : replacement;
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
