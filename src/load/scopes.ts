/** The types that the names have at each place of a plan. */
import { templateExpressions } from '../core/expression.js';
import { type GateOffer, gateOffer } from '../core/gate.js';
import type { JsonObject, JsonSchema } from '../core/json.js';
import type { ChildRead, Draft } from './draft.js';
import { assuming, infer, stepType, typeOfTemplate } from './infer.js';
import { type TypeScope, withNames } from './infer-narrow.js';
import { typeOfSchema } from './infer-schema.js';
import {
  DYNAMIC,
  type Field,
  forms,
  listOf,
  mapOf,
  NULL,
  NUMBER,
  nullable,
  STRING,
  type Type,
  union,
} from './infer-types.js';
import { endGuard, endsAbove, type KnownList, knowList } from './known-lists.js';
import { idsRead, type Names, subtreeExpressions } from './references.js';
import type { Compiled } from './templates.js';
import { toJson } from './yaml-tree.js';

/** Steps that are followed to know what one of them is; what hangs on more is dynamic. */
const MAX_CHAIN = 100;

export interface Checked {
  readonly steps: readonly Draft[];
  readonly inputs: JsonObject;
  readonly result: Compiled | undefined;
  /** As expressions write them. */
  readonly skillNames: readonly string[];
  /** What the steps run that run other pipelines. */
  readonly children: ReadonlyMap<Draft, ChildRead>;
}

export interface Scopes {
  /** For `when`. */
  before(draft: Draft): TypeScope;
  /** For `foreach`. */
  chosen(draft: Draft): TypeScope;
  /** For the config of a leaf. */
  inside(draft: Draft): TypeScope;
  /** For `until`, `assert`, `save`. */
  after(draft: Draft): TypeScope;
  /** `steps.<id>` for who looks at a run from outside, when it is over. */
  outside(draft: Draft): Type;
  /** For the result of a group, or of the file. */
  ofResult(group: Draft | undefined): TypeScope;
}

/** Of a child pipeline that declares no result. */
export const childResult: Type = mapOf({ summary: STRING, files: listOf(STRING) });

/** What a kind gives where no schema says it. */
const KIND_OUTPUT: Readonly<Record<string, Type>> = {
  shell: STRING,
  end: NULL,
};

function gateResult({ choices }: GateOffer): Type {
  const choice = choices.length > 0 ? typeOfSchema({ enum: choices }) : STRING;
  return mapOf({ choice, comment: STRING, by: STRING, at: STRING });
}

export function scopesOf(plan: Checked): Scopes {
  const outputs = new Map<Draft, Type>();
  const underWay = new Set<Draft>();
  /** Loops whose items are being told: two may go over each other. */
  const itemsUnderWay = new Set<Draft>();
  const kept = new Map<Draft, TypeScope>();
  const seenBefore = new Map<Draft, Type>();
  const base: TypeScope = { roots: new Map(Object.entries(baseRoots(plan))) };

  const schemaTypes = new Map<JsonSchema, Type>();
  const schemaType = (schema: JsonSchema): Type => {
    const type = schemaTypes.get(schema) ?? typeOfSchema(schema);
    schemaTypes.set(schema, type);
    return type;
  };

  const siblings = (draft: Draft): readonly Draft[] => listOfDraft(draft, plan.steps);

  /** The scope of a list, as one of its steps sees it: what stands around it, and the other steps. */
  const before = (draft: Draft): TypeScope => {
    const known = kept.get(draft);
    if (known) return known;
    const list = siblings(draft);
    const own = subtreeExpressions(draft);
    const guards = endsAbove(draft, own, knownOf(list));
    const read = idsRead([...own, ...guards]);
    const outer = draft.parent ? inside(draft.parent) : base;
    let scope = withSteps(outer, namedIn(list, read, draft));
    for (const guard of guards) scope = assuming(scope, guard, false);
    if (underWay.size === 0) kept.set(draft, scope);
    return scope;
  };

  const chosen = (draft: Draft): TypeScope => (draft.when ? assuming(before(draft), draft.when, true) : before(draft));

  const inside = (draft: Draft): TypeScope => {
    let scope = chosen(draft);
    const loop: Record<string, Type> = {};
    if (draft.fields.has('foreach')) Object.assign(loop, { item: itemOf(draft, scope), index: NUMBER });
    if (draft.fields.has('repeat')) Object.assign(loop, { previous: nullable(outputOf(draft)), iteration: NUMBER });
    if (Object.keys(loop).length === 0) return scope;
    scope = withNames(scope, () => Object.entries(loop));
    return withSteps(scope, [[draft.id, mapOf(loop)]]);
  };

  const after = (draft: Draft): TypeScope => withNames(inside(draft), () => [['output', outputOf(draft)]]);

  const ofResult = (group: Draft | undefined): TypeScope => {
    const list = group?.body.type === 'group' ? group.body.steps : plan.steps;
    const result = group?.body.type === 'group' ? group.body.result : plan.result;
    const guards = list.flatMap(endGuard);
    const read = idsRead([...(result ? templateExpressions(result.template) : []), ...guards]);
    let scope = withSteps(group ? inside(group) : base, namedIn(list, read));
    for (const guard of guards) scope = assuming(scope, guard, false);
    return scope;
  };

  /** The steps of a list that are read; that the others are there is no matter of types. */
  const namedIn = (list: readonly Draft[], read: Names, except?: Draft): (readonly [string, Type])[] => {
    const { byId } = knownOf(list);
    const byName = read === 'all' ? [...byId.values()] : [...read].map((id) => byId.get(id) ?? []);
    return byName.flatMap((drafts): (readonly [string, Type])[] => {
      const other = drafts.find((each) => each !== except);
      // Which of two steps of one id is meant cannot be told.
      return other ? [[other.id, drafts.length > 1 ? DYNAMIC : seen(other)]] : [];
    });
  };

  const listsKnown = new Map<readonly Draft[], KnownList>();
  const knownOf = (list: readonly Draft[]): KnownList => {
    const known = listsKnown.get(list) ?? knowList(list);
    listsKnown.set(list, known);
    return known;
  };

  /** `steps.<id>` as another step reads it. */
  const seen = (draft: Draft): Type => {
    const known = seenBefore.get(draft);
    if (known) return known;
    const type = look(draft);
    if (underWay.size === 0) seenBefore.set(draft, type);
    return type;
  };

  const look = (draft: Draft): Type => {
    const output = outputOf(draft);
    const isLoop = draft.fields.has('foreach');
    const isNullable = draft.fields.has('when') || draft.plain.onError === 'continue';
    return stepType(isLoop ? listOf(output) : output, {
      nullable: isNullable,
      loop: isLoop,
      ...(isLoop ? { item: itemSeen(draft) } : {}),
    });
  };

  const outside = (draft: Draft): Type => {
    const output = outputOf(draft);
    const isLoop = draft.fields.has('foreach');
    return stepType(isLoop ? listOf(output) : output, { nullable: true, loop: isLoop, item: 'untold' });
  };

  /** The item of a loop, as another step reads it in a failure. */
  const itemSeen = (draft: Draft): Type => {
    if (underWay.has(draft) || itemsUnderWay.has(draft) || itemsUnderWay.size > MAX_CHAIN) return DYNAMIC;
    itemsUnderWay.add(draft);
    const type = itemOf(draft, chosen(draft));
    itemsUnderWay.delete(draft);
    return type;
  };

  /** Of one item, if the step is a loop. What it would need itself to be known is dynamic. */
  const outputOf = (draft: Draft): Type => {
    const known = outputs.get(draft);
    if (known) return known;
    if (underWay.has(draft) || underWay.size > MAX_CHAIN) return DYNAMIC;
    underWay.add(draft);
    const type = computeOutput(draft);
    underWay.delete(draft);
    outputs.set(draft, type);
    return type;
  };

  const computeOutput = (draft: Draft): Type => {
    const { body } = draft;
    if (draft.output) return schemaType(draft.output.json);
    if (draft.hasOutput || body.type === 'unknown') return DYNAMIC;
    if (body.type === 'leaf') {
      if (body.kind.name === 'gate') return gateResult(gateOffer(toJson(body.node)));
      if (body.kind.name !== 'set') return KIND_OUTPUT[body.kind.name] ?? DYNAMIC;
      return body.config.isWhole ? typeOfTemplate(body.config.template, inside(draft)) : DYNAMIC;
    }
    if (body.type === 'child') return plan.children.get(draft)?.resultType?.() ?? DYNAMIC;
    if (body.result) return body.result.isWhole ? typeOfTemplate(body.result.template, ofResult(draft)) : DYNAMIC;
    const fields = body.steps.map((each): [string, Type] => {
      const output = each.fields.has('foreach') ? listOf(outputOf(each)) : outputOf(each);
      const isNullable = each.fields.has('when') || each.plain.onError === 'continue';
      return [each.id, isNullable ? nullable(output) : output];
    });
    return mapOf(Object.fromEntries(fields));
  };

  const itemOf = (draft: Draft, scope: TypeScope): Type => {
    if (!draft.foreach?.over.isWhole) return DYNAMIC;
    const { template } = draft.foreach.over;
    const type =
      template.type === 'expression' ? infer(template.expression, scope).type : typeOfTemplate(template, scope);
    const items = forms(type).flatMap((form): Type[] => {
      if (form.kind === 'list') return [form.item, ...(form.first ?? [])];
      return form.kind === 'null' ? [] : [DYNAMIC];
    });
    return items.length === 0 ? DYNAMIC : union(items);
  };

  return { before, chosen, inside, after, outside, ofResult };
}

function baseRoots(plan: Checked): Record<string, Type> {
  return {
    query: STRING,
    inputs: typeOfSchema(plan.inputs, { defaultsApply: true }),
    run: mapOf({ id: STRING, slug: STRING, dir: STRING, skill: STRING, started: STRING }),
    skill: mapOf({ dir: STRING }),
    skills: mapOf(Object.fromEntries(plan.skillNames.map((name) => [name, mapOf({ dir: STRING })]))),
    project: mapOf({ dir: STRING }),
    steps: mapOf({}),
  };
}

/** The list that a step stands in. */
export function listOfDraft(draft: Draft, roots: readonly Draft[]): readonly Draft[] {
  if (!draft.parent) return roots;
  return draft.parent.body.type === 'group' ? draft.parent.body.steps : [];
}

function withSteps(scope: TypeScope, added: readonly (readonly [string, Type])[]): TypeScope {
  const fields = added.map(([id, type]): [string, Field] => [id, { type, optional: false }]);
  return withNames(scope, (roots) => {
    const steps = forms(roots.get('steps') ?? mapOf({})).map((form): Type => {
      if (form.kind !== 'map') return form;
      return { ...form, fields: new Map([...form.fields, ...fields]) };
    });
    return [['steps', union(steps)]];
  });
}
