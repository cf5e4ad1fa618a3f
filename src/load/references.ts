/** Every expression of a step, with the references in it. */
import { type Expression, positionIn, type Ref, templateExpressions } from '../core/expression.js';
import type { Position } from '../core/problems.js';
import type { Draft } from './draft.js';

export interface Reference {
  readonly expression: Expression;
  readonly ref: Ref;
  readonly at: Position;
}

/** Of the step itself, not of the steps inside of it. */
export function ownExpressions(draft: Draft): Expression[] {
  const templates = [
    ...(draft.foreach ? [draft.foreach.over.template] : []),
    ...draft.assert.map(({ message }) => message.template),
    ...draft.save.flatMap(({ path, value }) => [path, ...(value ? [value.template] : [])]),
    ...(draft.body.type === 'leaf' ? [draft.body.config.template] : []),
    ...(draft.body.type === 'group' && draft.body.result ? [draft.body.result.template] : []),
  ];
  const conditions = [draft.when, draft.repeat?.until, ...draft.assert.map(({ that }) => that)];
  return [...conditions.filter((each) => each !== undefined), ...templates.flatMap(templateExpressions)];
}

export function referencesIn(expressions: readonly Expression[], root: string): Reference[] {
  return expressions.flatMap((expression) =>
    expression.refs
      .filter((ref) => ref.root === root)
      .map((ref) => ({ expression, ref, at: positionIn(expression, ref.start) })),
  );
}
