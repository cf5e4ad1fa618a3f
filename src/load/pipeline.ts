/** A pipeline file → a Plan, or every problem in it. */
import path from 'node:path';
import { type Expression, templateExpressions } from '../core/expression.js';
import type { JsonObject } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import type { Limits, Plan, Skill } from '../core/plan.js';
import { hasErrors, type Problem } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import { readLimits, readPermissions } from './allowance.js';
import { maxItemsOf } from './bounds.js';
import { checkTypes, resultTypeOf } from './check.js';
import type { PlanSize } from './child-size.js';
import { checkChildInputs, checkChildPermissions, checkChildSize, readChildren, sayTooLarge } from './child-step.js';
import { type Draft, everyDraft, type PipelineReading } from './draft.js';
import { type Fields, readFields } from './fields.js';
import { finishSteps } from './finish.js';
import type { Type } from './infer-types.js';
import { checkDefaults, readInputs } from './inputs.js';
import { DRIVER_KEYS, TOP_ALIASES, TOP_KEYS } from './keys.js';
import { inOrder, takeNotes } from './notes.js';
import { orderSteps } from './order.js';
import { checkUniqueIds, readSteps } from './pipeline-steps.js';
import { ownExpressions, referencesIn } from './references.js';
import type { SchemaPlaces } from './schema-document.js';
import { checkSchema } from './schema-file.js';
import { skillFolders } from './skill-folders.js';
import { writtenIds } from './step-keys.js';
import { type Compiled, compileNode } from './templates.js';
import type { Source } from './text.js';
import { readBoolean, readChoice, readLabel, readNumber, readString, readTexts } from './values.js';
import { checkWriters } from './writers.js';
import { parseYaml } from './yaml-text.js';
import type { YamlNode, YamlPair } from './yaml-tree.js';

const DEFAULT_LIMITS: Limits = { tokens: 2_000_000, timeMs: 2 * 3_600_000, maxParallel: 4 };

export interface PipelineOptions {
  readonly skill: Skill;
  /** Absolute. */
  readonly projectDir: string;
  readonly kinds: readonly StepKind[];
  readonly tools: readonly Tool[];
  /** Roles that the project configures. */
  readonly roles: readonly string[];
  readonly places: SchemaPlaces;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  findSkill(name: string): Skill | undefined;
  /** What another skill runs as; the names from the outermost to it if that would never end. */
  loadChild(skill: Skill): Promise<PlanRead | { readonly cycle: readonly string[] } | 'too-deep'>;
  skillNames(): readonly string[];
  /** Why a skill that is there cannot be used. */
  skillFault(name: string): Problem | undefined;
}

export interface PlanRead {
  /** Undefined if there is an error. */
  readonly plan?: Plan;
  /** Of the result, as a step that runs this pipeline sees it. */
  readonly resultType?: () => Type;
  /** Of `steps.<id>`, by id, as one who looks at a run from outside sees them. */
  readonly stepTypes?: () => ReadonlyMap<string, Type>;
  /** With what its steps run; undefined if there is an error. */
  readonly size?: PlanSize;
  readonly problems: readonly Problem[];
}

interface Top {
  readonly fields: Fields;
  readonly inputs: JsonObject;
  readonly models: readonly string[];
  readonly steps: readonly Draft[];
  readonly result: Compiled | undefined;
}

export async function readPipeline(source: Source, options: PipelineOptions): Promise<PlanRead> {
  const { root, problems } = parseYaml(source);
  const notes = takeNotes();
  notes.problems.push(...problems);
  if (!root) {
    if (problems.length === 0)
      notes.error('empty', source.position(0), 'The file is empty.', { hint: 'Begin with "name: …" and "steps: …".' });
    return { problems: inOrder(notes.problems) };
  }
  const dir = path.dirname(source.file);
  const said = new Set<PlanRead>();
  const reading: PipelineReading = {
    ...options,
    source,
    notes,
    file: source.file,
    dir,
    loadChild: async (skill, at) => {
      const read = await options.loadChild(skill);
      if (read === 'too-deep') {
        sayTooLarge(at, notes);
        return {};
      }
      if (!('cycle' in read)) {
        if (!said.has(read)) notes.problems.push(...read.problems);
        said.add(read);
        return read;
      }
      const way = read.cycle.join(' → ');
      notes.error('child-cycle', at, `The pipeline would run itself without end: ${way}.`, {
        hint: 'Remove one of these steps.',
      });
      return {};
    },
    stepIds: writtenIds(root),
    schemas: [],
    schemaFiles: new Map(),
  };
  const top = readTop(root, reading);
  if (!top) return { problems: inOrder(notes.problems) };
  return { ...(await finish(top, { ...reading, roles: rolesOf(top, options) })) };
}

function rolesOf(top: Top, { roles }: PipelineOptions): string[] {
  return [...new Set(['default', ...top.models, ...roles])];
}

function readTop(root: YamlNode, reading: PipelineReading): Top | undefined {
  const hasSteps = root.type !== 'map' || root.pairs.some(({ key }) => key === 'steps');
  const keys = hasSteps ? TOP_KEYS : [...TOP_KEYS, ...DRIVER_KEYS];
  const fields = readFields(root, { what: 'a pipeline file', keys, aliases: TOP_ALIASES }, reading);
  if (!fields) return undefined;
  checkVersion(fields.get('version'), reading);
  const stepsPair = fields.get('steps');
  if (!stepsPair)
    reading.notes.error('no-steps', root.at, 'The file has no "steps".', { hint: 'Add steps: with a list.' });
  const result = fields.get('result');
  return {
    fields,
    inputs: readInputs(fields.get('inputs'), reading),
    models: readModels(fields.get('models'), reading),
    steps: stepsPair ? readSteps(stepsPair, reading) : [],
    result: result && compileNode(result.value, reading.notes),
  };
}

async function finish(top: Top, reading: PipelineReading): Promise<PlanRead> {
  const { notes } = reading;
  const { fields, steps } = top;
  const all = everyDraft(steps);
  checkUniqueIds(all, reading);
  const order = orderSteps(steps, reading);
  checkItemBounds(all, top, reading);
  checkWriters(steps, notes);
  const resultExpressions = top.result ? templateExpressions(top.result.template) : [];
  const expressions: Expression[] = [...all.flatMap(ownExpressions), ...resultExpressions];
  const skillDirs = skillFolders(expressions, reading);
  const children = await readChildren(all, reading);
  const before = notes.problems.length;
  const distinct = new Map(reading.schemas.map((schema) => [schema.json, schema]));
  for (const schema of distinct.values()) await checkSchema(schema, notes);
  if (!hasErrors(notes.problems.slice(before))) await checkDefaults(top.inputs, fields.get('inputs'), reading);
  const checked = { steps, result: top.result, inputs: top.inputs, skillNames: namesRead(expressions), children };
  const scopes = checkTypes(checked, reading);
  const size = checkChildSize(all, children, notes);
  const permissions = readPermissions(fields.get('permissions'), reading);
  for (const [draft, child] of children) {
    checkChildInputs(draft, child, reading);
    checkChildPermissions(draft, child, permissions, reading);
  }
  const finished = finishSteps(steps, order, reading, children, (draft) => itemBound(draft, all, top));
  const ownLimits = readLimits(fields.get('limits'), reading);
  const plan: Plan = {
    name: readLabel(fields.get('name'), reading) ?? reading.skill.name,
    description: readString(fields.get('description'), reading) ?? reading.skill.description ?? '',
    file: reading.file,
    dir: reading.dir,
    skill: reading.skill,
    inputs: top.inputs,
    models: top.models,
    limits: { ...DEFAULT_LIMITS, ...ownLimits },
    ownLimits,
    permissions,
    onFailure: readChoice(fields.get('on_failure'), ['continue', 'stop'], reading) ?? 'continue',
    acceptPartial: readBoolean(fields.get('accept_partial'), reading) ?? false,
    steps: finished,
    ...(top.result ? { result: top.result.template } : {}),
    skillDirs,
  };
  const problems = inOrder(notes.problems);
  return hasErrors(problems)
    ? { problems }
    : {
        plan,
        resultType: once(() => resultTypeOf(checked, scopes)),
        stepTypes: once(() => new Map(all.map((draft) => [draft.id, scopes.outside(draft)]))),
        size,
        problems,
      };
}

/** Few ask for it: a step that runs this pipeline, claims about its runs. */
function once<T>(compute: () => T): () => T {
  let known: T | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

/** Unknown ones too: they were said already. */
function namesRead(expressions: readonly Expression[]): string[] {
  return [...new Set(referencesIn(expressions, 'skills').map(({ ref }) => String(ref.path[0])))];
}

function checkVersion(pair: YamlPair | undefined, reading: PipelineReading): void {
  const version = readNumber(pair, reading, {});
  if (pair && version !== undefined && version !== 1) {
    reading.notes.error('version', pair.value.at, `Version ${version} is not known here.`, {
      hint: 'Write version: 1.',
    });
  }
}

function readModels(pair: YamlPair | undefined, reading: PipelineReading): string[] {
  const items = readTexts(pair, reading, 'a list of roles') ?? [];
  for (const { text, at } of items) {
    if (!/^[a-z][a-z0-9_]*$/.test(text))
      reading.notes.error('model-role', at, `"${text}" is no name of a role.`, {
        hint: 'Use lower-case letters, digits and _; models are configured in pipeline.config.yaml.',
      });
  }
  return [...new Set(items.map(({ text }) => text))];
}

/** @param inside loops whose own bounds hang on this one */
function itemBound(draft: Draft, all: readonly Draft[], top: Top, inside: readonly Draft[] = []): number | undefined {
  if (!draft.foreach || inside.includes(draft)) return undefined;
  const { template } = draft.foreach.over;
  if (draft.foreach.maxItems !== undefined || template.type !== 'expression') return draft.foreach.maxItems;
  const named = (id: string) => all.find((each) => each.id === id);
  return maxItemsOf(template.expression, {
    inputs: top.inputs,
    outputOf: (id) => named(id)?.output?.json,
    loopOf: (id) => {
      const source = named(id);
      return source?.fields.has('foreach') ? { most: itemBound(source, all, top, [...inside, draft]) } : undefined;
    },
  });
}

function checkItemBounds(all: readonly Draft[], top: Top, { notes }: PipelineReading): void {
  for (const draft of all) {
    if (!draft.foreach?.over.isWhole || itemBound(draft, all, top) !== undefined) continue;
    notes.error('max-items', draft.foreach.at, `Step "${draft.id}" may meet any number of items.`, {
      hint: 'Add max_items: …, or maxItems to the schema of the list.',
    });
  }
}
