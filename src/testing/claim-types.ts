/** Holds claims against a pipeline before anything runs: steps that are not there, fields that no schema has, values that never come. */
import { positionIn, type Template } from '../core/expression.js';
import { gateOffer } from '../core/gate.js';
import { isObject, type Json } from '../core/json.js';
import { kindOf, type Plan, type Step, stepsOfFile } from '../core/plan.js';
import type { Problem } from '../core/problems.js';
import { infer, stepType } from '../load/infer.js';
import { typeOfSchema } from '../load/infer-schema.js';
import { BOOLEAN, DYNAMIC, listOf, mapOf, NULL, NUMBER, nullable, STRING, type Type } from '../load/infer-types.js';
import { inOrder } from '../load/notes.js';
import { typesOfPlan } from '../load/plan-types.js';
import { missingSteps } from './claim-lookups.js';
import type { Claim } from './claims.js';

const STATUSES = ['done', 'failed', 'partial', 'refused', 'limit', 'waiting', 'cancelled'];

/** What is wrong with the claims about this plan. */
export function claimProblems(claims: readonly Claim[], plan: Plan): Problem[] {
  const scope = { roots: new Map(Object.entries(rootTypes(plan))) };
  const ids = stepsOfFile(plan).map(({ id }) => id);
  const all = claims.flatMap(({ that }) => [
    ...missingSteps(that, ids),
    ...infer(that, scope, 'boolean').findings.map(
      ({ start, message, hint }): Problem => ({
        severity: 'error',
        rule: 'claim',
        message,
        at: positionIn(that, start),
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
  ]);
  return inOrder(all);
}

function rootTypes(plan: Plan): Record<string, Type> {
  const types = typesOfPlan(plan);
  const steps = stepsOfFile(plan).map((step) => [step.id, types?.steps().get(step.id) ?? typeOfStep(step)] as const);
  // Which steps there are is said of the ids themselves.
  const byId = (of: Type): Type => ({ kind: 'map', fields: new Map(), rest: of });
  return {
    ran: byId(BOOLEAN),
    before: byId(byId(BOOLEAN)),
    steps: mapOf(Object.fromEntries(steps)),
    query: STRING,
    status: typeOfSchema({ enum: STATUSES }),
    outcome: outcomeOf(plan),
    message: STRING,
    result: plan.result ? nullable(types?.result() ?? DYNAMIC) : NULL,
    census: mapOf({ asked: NUMBER, done: NUMBER, failed: NUMBER, skipped: NUMBER, open: NUMBER, reused: NUMBER }),
    tokens: NUMBER,
    files: listOf(STRING),
  };
}

/** Of a step of which the check of the pipeline knows nothing. */
function typeOfStep(step: Step): Type {
  const output = step.output ? typeOfSchema(step.output.json) : DYNAMIC;
  const isLoop = step.foreach !== undefined;
  return stepType(isLoop ? listOf(output) : output, { nullable: true, loop: isLoop, item: 'untold' });
}

/** The names of its ends, the choices of its gates that end it, or else a status; any text where one is computed. */
function outcomeOf(plan: Plan): Type {
  const names = new Set(STATUSES);
  for (const step of stepsOfFile(plan)) {
    const own = outcomesOf(step);
    if (!own) return STRING;
    for (const name of own) names.add(name);
  }
  return typeOfSchema({ enum: [...names] });
}

/** Undefined where they cannot be told. */
function outcomesOf(step: Step): string[] | undefined {
  const { body } = step;
  if (body.type !== 'leaf') return [];
  switch (kindOf(step)) {
    case 'end': {
      const name = literalAt(body.config, 'outcome');
      return typeof name === 'string' ? [name] : undefined;
    }
    case 'gate': {
      const [choices, reject] = [literalAt(body.config, 'choices'), literalAt(body.config, 'reject')];
      if (choices === undefined || reject === undefined) return undefined;
      return [...gateOffer({ choices, reject }).reject];
    }
    case 'ending':
      return undefined;
    default:
      return [];
  }
}

/** Null where nothing is written; undefined where it is computed. */
function literalAt(config: Template, key: string): Json | undefined {
  if (config.type === 'literal') return (isObject(config.value) ? config.value[key] : undefined) ?? null;
  if (config.type !== 'map') return undefined;
  const value = config.entries.find(([name]) => name === key)?.[1];
  if (!value) return null;
  return value.type === 'literal' ? value.value : undefined;
}
