/** The heart of the language: types of expressions, from CEL's syntax tree with JSON Schemas as types. */
import type { Expression, Template } from '../core/expression.js';
import { never } from '../core/json.js';
import { treeOf } from '../core/tree.js';
import { type Finding, type Look, requireKind } from './infer-findings.js';
import { assume, type TypeScope } from './infer-narrow.js';
import {
  DYNAMIC,
  type Field,
  listOf,
  literalType,
  mapOf,
  NULL,
  NUMBER,
  nullable,
  optional,
  STRING,
  type Type,
  tupleOf,
  union,
} from './infer-types.js';
import { typeOf } from './infer-walk.js';

/** What the value of an expression is, and what is certainly wrong with it. What is unknown is never a finding. */
export function infer(
  expression: Expression,
  scope: TypeScope,
  expected?: 'boolean' | 'list',
): { readonly type: Type; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const look: Look = { scope, source: expression.source, missing: 'fault', findings };
  const tree = treeOf(expression.ast);
  const type = typeOf(tree, look);
  if (expected) requireKind(tree, type, expected, look);
  return { type, findings: findings.sort((a, b) => a.start - b.start) };
}

/** The scope of what runs only where a condition held, or did not. */
export function assuming(scope: TypeScope, condition: Expression, truth: boolean): TypeScope {
  return assume(scope, treeOf(condition.ast), truth);
}

/** The type of a `set` or a `result`. Findings are those of its expressions, one by one. */
export function typeOfTemplate(template: Template, scope: TypeScope): Type {
  switch (template.type) {
    case 'literal':
      return literalType(template.value);
    case 'expression':
      return infer(template.expression, scope).type;
    case 'text':
      return STRING;
    case 'list':
      return tupleOf(template.items.map((item) => typeOfTemplate(item, scope)));
    case 'map': {
      const fields = template.entries.map(([key, value]): [string, Field] => [
        key,
        { type: typeOfTemplate(value, scope), optional: false },
      ]);
      return { kind: 'map', fields: new Map(fields) };
    }
    default:
      return never(template);
  }
}

const ERROR: Type = mapOf({
  code: STRING,
  message: STRING,
  exit: optional(union([NUMBER, STRING])),
  stderr: optional(STRING),
});

/**
 * What `steps.<id>` is.
 * @param options.nullable the step may be skipped, or may fail and let the run go on
 * @param options.item of what a `foreach` goes over; `untold` where its failures do not say it
 */
export function stepType(
  output: Type,
  options: { readonly nullable: boolean; readonly loop: boolean; readonly item?: Type | 'untold' },
): Type {
  const { item = DYNAMIC } = options;
  const failures = listOf(mapOf({ index: NUMBER, ...(item === 'untold' ? {} : { item }), error: ERROR }));
  if (!options.nullable) {
    const status: Type = { kind: 'string', literals: ['done', 'skipped', 'failed'] };
    return mapOf({ output, status, error: nullable(ERROR), failures });
  }
  return union([
    mapOf({ output, status: literalType('done'), error: NULL, failures }),
    mapOf({ output: NULL, status: literalType('skipped'), error: NULL, failures }),
    mapOf({ output: NULL, status: literalType('failed'), error: ERROR, failures }),
  ]);
}
