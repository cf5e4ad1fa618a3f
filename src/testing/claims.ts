/** What an author claims of every run of a pipeline, in `always` or `never`: expressions over what a run did, with types. */
import { type Expression, positionIn } from '../core/expression.js';
import { toFault } from '../core/faults.js';
import type { Json, JsonSchema } from '../core/json.js';
import { kindOf, type Plan, type Step } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { type Reading, readFields } from '../load/fields.js';
import { infer, stepType } from '../load/infer.js';
import { typeOfSchema } from '../load/infer-schema.js';
import { BOOLEAN, DYNAMIC, listOf, mapOf, NUMBER, nullable, STRING, type Type } from '../load/infer-types.js';
import { compileConditionNode } from '../load/templates.js';
import { readString } from '../load/values.js';
import type { YamlNode, YamlPair, YamlScalar } from '../load/yaml-tree.js';
import type { RunFacts } from './run-facts.js';

export interface Claim {
  readonly holds: 'always' | 'never';
  readonly that: Expression;
  /** As the author wrote it. */
  readonly text: string;
  /** What it means, as a person says it; the expression where the author says nothing. */
  readonly message: string;
}

/** A list of expressions, or of `{ that, message }`. */
export function readClaims(pair: YamlPair | undefined, holds: Claim['holds'], reading: Reading): Claim[] {
  if (!pair || pair.value.type === 'broken') return [];
  const nodes = pair.value.type === 'list' ? pair.value.items : [pair.value];
  return nodes.flatMap((node) => readClaim(node, holds, reading) ?? []);
}

function readClaim(node: YamlNode, holds: Claim['holds'], reading: Reading): Claim | undefined {
  const fields =
    node.type === 'map' ? readFields(node, { what: 'a claim', keys: ['that', 'message'] }, reading) : undefined;
  const value = fields ? fields.get('that')?.value : node;
  if (!value) {
    if (fields) reading.notes.error('missing-key', node.at, 'A claim needs "that", an expression.');
    return undefined;
  }
  const text = value.type === 'scalar' ? String(value.value) : '';
  const that = compileConditionNode(indexed(value), holds, reading.notes);
  if (!that) return undefined;
  const message = fields?.has('message') ? readString(fields.get('message'), reading) : undefined;
  return { holds, that, text, message: message ?? (holds === 'always' ? text : `not: ${text}`) };
}

/** `ran("publish")` and `before("audit", "publish")` are looked up: what a run did has them as values, at the same offsets. */
function indexed(node: YamlNode): YamlNode {
  if (node.type !== 'scalar' || typeof node.value !== 'string') return node;
  const value = node.value
    .replace(/\b(ran)\((\s*)((["'])[\w]*\4)(\s*)\)/g, '$1[$2$3$5]')
    .replace(/\b(before)\(((["'])\w*\3), ?((["'])\w*\5)\)/g, '$1[$2][$4]');
  return { ...(node as YamlScalar), value };
}

/** What is wrong with the claims about this plan: steps that are not there, fields, types. */
export function claimProblems(claims: readonly Claim[], plan: Plan): Problem[] {
  const scope = { roots: new Map(Object.entries(rootTypes(plan))) };
  return claims.flatMap(({ that }) =>
    infer(that, scope, 'boolean').findings.map(
      ({ start, message, hint }): Problem => ({
        severity: 'error',
        rule: 'claim',
        message,
        at: positionIn(that, start),
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
  );
}

function rootTypes(plan: Plan): Record<string, Type> {
  const steps = stepsOf(plan);
  const ids = steps.map(({ id }) => id);
  const each = <T extends Type>(type: T) => mapOf(Object.fromEntries(ids.map((id) => [id, type])));
  return {
    ran: each(BOOLEAN),
    before: each(each(BOOLEAN)),
    steps: mapOf(Object.fromEntries(steps.map((step) => [step.id, typeOfStep(step)]))),
    query: STRING,
    status: typeOfSchema({ enum: ['done', 'failed', 'partial', 'refused', 'limit', 'waiting', 'cancelled'] }),
    outcome: STRING,
    message: STRING,
    result: DYNAMIC,
    census: mapOf({ asked: NUMBER, done: NUMBER, failed: NUMBER, skipped: NUMBER, open: NUMBER, reused: NUMBER }),
    tokens: NUMBER,
    files: listOf(STRING),
  };
}

/** Ids are those of one file: what stands in another pipeline's steps is its own matter. */
export function stepsOf(plan: Plan): readonly Step[] {
  const inside = plan.steps.flatMap((step) => (step.body.type === 'child' ? [step] : everyOf(step)));
  return inside;
}

function everyOf(step: Step): Step[] {
  if (step.body.type !== 'group') return [step];
  return [step, ...step.body.steps.flatMap(everyOf)];
}

function typeOfStep(step: Step): Type {
  const own = step.output ? typeOfSchema(step.output.json as JsonSchema) : typeOfKind(step);
  const output = step.foreach ? listOf(own) : own;
  return stepType(output, { nullable: true, loop: step.foreach !== undefined });
}

function typeOfKind(step: Step): Type {
  switch (kindOf(step)) {
    case 'shell':
      return STRING;
    case 'gate':
      return mapOf({ choice: STRING, comment: STRING, by: STRING, at: STRING });
    default:
      return nullable(DYNAMIC);
  }
}

/** Undefined where it holds; else what speaks against it. */
export function brokenClaim({ holds, that }: Claim, facts: RunFacts): string | undefined {
  try {
    const value = that.evaluate(facts as unknown as Readonly<Record<string, Json>>);
    return (value === true) === (holds === 'always') ? undefined : 'it does not hold';
  } catch (error) {
    return `it cannot be told: ${toFault(error).message}`;
  }
}
