/** What an author wrote, read and completed: the plan, its steps, the skill around it. */
import type { Expression, Template } from './expression.js';
import type { JsonObject, JsonSchema } from './json.js';
import type { Inspection, StepKind } from './kind.js';
import type { Position } from './problems.js';

/** A SKILL.md as it was read: leniently, with what was repaired said in `problems`. */
export interface Skill {
  /** The folder's name; look-ups ignore case and treat `-` and `_` alike. */
  readonly name: string;
  /** Absolute. */
  readonly dir: string;
  /** Absolute path of SKILL.md, if there is one. */
  readonly file?: string;
  /** Without it the skill is not offered to a model, but runs by name. */
  readonly description?: string;
  /** The Markdown after the front matter; '' without a SKILL.md. Never templated, never executed. */
  readonly body: string;
  /** REACT_AGENT.md beside it: words for this runner alone, which follow the body. */
  readonly notes?: { readonly file: string; readonly text: string };
  /** `allowed-tools` as our tool names, e.g. `read_file`, `shell(git log *)`; undefined if the key is absent. */
  readonly allowedTools?: readonly string[];
  readonly metadata: JsonObject;
  readonly runsAs: 'pipeline' | 'next-loop' | 'agent';
}

/** What an agent that the skill is for is told. */
export function instructionsOf({ body, notes }: Skill): string {
  return notes ? `${body}\n\n${notes.text}` : body;
}

export interface Limits {
  readonly tokens: number;
  readonly usd?: number;
  readonly timeMs: number;
  readonly maxParallel: number;
}

export interface Permissions {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Names of environment variables that children may see. */
  readonly env: readonly string[];
  readonly network: boolean;
}

/** A pipeline file that passed the check, or the one-agent pipeline that a bare SKILL.md stands for. Plain data but for parsed expressions. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  /** Absolute path of the pipeline file, or of SKILL.md. */
  readonly file: string;
  /** Absolute; relative paths of the file start here. */
  readonly dir: string;
  readonly skill: Skill;
  /** The closed object schema of the inputs, without `query`. */
  readonly inputs: JsonObject;
  /** Roles this file uses beside `default`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  /** What the file itself says of them: as a step of another pipeline, the rest is that pipeline's. */
  readonly ownLimits: Partial<Limits>;
  readonly permissions: Permissions;
  readonly onFailure: 'continue' | 'stop';
  readonly acceptPartial: boolean;
  readonly steps: readonly Step[];
  readonly result?: Template;
  /** The skill's own script says what comes next, and keeps its state in files that no record of a step names. */
  readonly driven?: true;
  /** Name of the log beside the run folders; pipeline.log unless the file says otherwise. */
  readonly logFile?: string;
  /** Folders of the skills that expressions name (`skills.paper_search.dir`), by look-up name with `_`. Absolute. */
  readonly skillDirs: Readonly<Record<string, string>>;
}

export interface LoadedSchema {
  /** Self-contained: every `$ref` to a file has become `#/$defs/…`. */
  readonly json: JsonSchema;
  /** For people: the path as written, or `inline`. */
  readonly source: string;
  readonly at: Position;
}

export interface Assertion {
  readonly that: Expression;
  readonly message: Template;
}

/** A step of the plan, with every default filled in. */
export interface Step {
  readonly id: string;
  readonly title: string;
  readonly at: Position;
  /** Ids of the same list that must settle before this one starts: written or implied needs, references and fences. */
  readonly after: readonly string[];
  readonly when?: Expression;
  readonly foreach?: Foreach;
  readonly repeat?: Repeat;
  readonly output?: LoadedSchema;
  readonly assert: readonly Assertion[];
  /** Globs over the work folder. */
  readonly artifacts: readonly string[];
  /** Path in the run folder → what to write there. */
  readonly save: readonly { readonly path: Template; readonly value: Template | undefined; readonly at: Position }[];
  /** Of one attempt; undefined for none. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly retry: { readonly attempts: number; readonly backoffMs: number };
  readonly onError: 'fail' | 'continue';
  readonly effect: 'repeatable' | 'once';
  readonly cache: boolean;
  readonly limits: { readonly tokens?: number; readonly usd?: number; readonly timeMs?: number };
  readonly body: LeafBody | GroupBody | ChildBody;
}

export interface LeafBody {
  readonly type: 'leaf';
  readonly kind: StepKind;
  /** The value under the kind's key, its `${{ }}` compiled. */
  readonly config: Template;
  readonly inspection: Inspection;
}

export interface GroupBody {
  readonly type: 'group';
  readonly steps: readonly Step[];
  /** Without it the output maps the direct steps' ids to their outputs. */
  readonly result?: Template;
}

/** Another skill as a step: its plan runs in a scope of its own, its files below `<id>/`. */
export interface ChildBody {
  readonly type: 'child';
  readonly plan: Plan;
  /** `skill`, and perhaps `query` and `inputs`; the plan's inputs schema judges them before its first step. */
  readonly config: Template;
}

/** The steps that a step holds: of a group, of another skill. */
export function stepsIn({ body }: Step): readonly Step[] {
  switch (body.type) {
    case 'leaf':
      return [];
    case 'group':
      return body.steps;
    case 'child':
      return body.plan.steps;
  }
}

/** At any depth, outer ones first. */
export function everyStep(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...everyStep(stepsIn(step))]);
}

/** Of the file alone, at any depth: what stands in the pipeline of another skill is its own matter. */
export function stepsOfFile({ steps }: Plan): Step[] {
  const withInner = (step: Step): Step[] =>
    step.body.type === 'group' ? [step, ...step.body.steps.flatMap(withInner)] : [step];
  return steps.flatMap(withInner);
}

const byIds = new WeakMap<Plan, ReadonlyMap<string, Step>>();

/** At any depth, by their ids with those of the steps around them: `rounds/audit`; of a child pipeline below the step that runs it. */
export function stepsByIds(plan: Plan): ReadonlyMap<string, Step> {
  const known = byIds.get(plan);
  if (known) return known;
  const map = new Map<string, Step>();
  const visit = (steps: readonly Step[], start: string) => {
    for (const step of steps) {
      map.set(`${start}${step.id}`, step);
      visit(stepsIn(step), `${start}${step.id}/`);
    }
  };
  visit(plan.steps, '');
  byIds.set(plan, map);
  return map;
}

/** A plan and those of the skills that its steps run, at any depth. */
export function everyPlan(plan: Plan): Plan[] {
  return [plan, ...everyStep(plan.steps).flatMap(({ body }) => (body.type === 'child' ? [body.plan] : []))];
}

/** The key that says what a step does. */
export function kindOf({ body }: Step): string {
  switch (body.type) {
    case 'leaf':
      return body.kind.name;
    case 'group':
      return 'steps';
    case 'child':
      return 'pipeline';
  }
}

export interface Foreach {
  /** An expression over a list, or a list written in YAML. */
  readonly over: Template;
  readonly maxItems: number;
  readonly maxParallel?: number;
  /** How many items must succeed: a count, or a share of the list (0 to 1). */
  readonly minSuccess: { readonly count: number } | { readonly share: number };
}

export interface Repeat {
  readonly until: Expression;
  readonly max: number;
  readonly onMax: 'fail' | 'accept';
  /** What its fault says, of a loop that the author of the skill did not write. */
  readonly tooMany?: { readonly message: string; readonly hint: string };
}
