/** A step while it is read: its values with their places, before the order of the list is known. */
import type { Expression, Template } from '../core/expression.js';
import type { StepKind } from '../core/kind.js';
import type { Plan, Skill, Step } from '../core/plan.js';
import type { Position, Problem } from '../core/problems.js';
import type { Tool } from '../core/tool.js';
import type { PlanSize } from './child-size.js';
import type { Fields, Reading } from './fields.js';
import type { Type } from './infer-types.js';
import type { ReadSchema } from './schema-bundle.js';
import type { SchemaReading } from './schema-file.js';
import type { Compiled } from './templates.js';
import type { TextItem } from './values.js';
import type { YamlNode } from './yaml-tree.js';

/** What is known while one pipeline file is read. */
export interface PipelineReading extends Reading, SchemaReading {
  /** Absolute paths. */
  readonly file: string;
  readonly dir: string;
  readonly projectDir: string;
  readonly skill: Skill;
  readonly kinds: readonly StepKind[];
  readonly tools: readonly Tool[];
  readonly roles: readonly string[];
  /** The environment that `permissions.env` names variables of; undefined if it is not looked at. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  findSkill(name: string): Skill | undefined;
  skillNames(): readonly string[];
  /** Why a skill that is there cannot be used. */
  skillFault(name: string): Problem | undefined;
  /** Of all steps, as written. */
  readonly stepIds: readonly string[];
  /** Reads the pipeline that another skill runs as. */
  loadChild(skill: Skill, at: Position): Promise<ChildRead>;
  /** Every schema that was read, to be checked at the end. */
  readonly schemas: ReadSchema[];
}

/** A pipeline as a step of another sees it. */
export interface ChildRead {
  /** Undefined if there is an error in it. */
  readonly plan?: Plan;
  /** Of its result, as far as it can be told. */
  readonly resultType?: () => Type;
  readonly size?: PlanSize;
}

export interface DraftAssertion {
  readonly that: Expression | undefined;
  readonly message: Compiled;
}

export interface DraftSave {
  readonly path: Template;
  readonly value: Compiled | undefined;
  readonly at: Position;
}

export interface DraftForeach {
  readonly over: Compiled;
  readonly at: Position;
  readonly maxItems: number | undefined;
  readonly maxParallel: number | undefined;
  readonly minSuccess: { readonly count: number } | { readonly share: number };
}

export interface DraftRepeat {
  readonly until: Expression | undefined;
  readonly max: number;
  readonly onMax: 'fail' | 'accept';
}

/** Values of a step that need nothing but themselves. */
export type PlainParts = Pick<
  Step,
  'artifacts' | 'timeoutMs' | 'idleTimeoutMs' | 'retry' | 'onError' | 'effect' | 'cache' | 'limits'
>;

export interface Draft {
  /** Unique, also where none could be read: then no expression can name it. */
  readonly id: string;
  readonly title: string;
  readonly at: Position;
  readonly fields: Fields;
  readonly needs: readonly TextItem[] | undefined;
  readonly parent: Draft | undefined;
  readonly when: Expression | undefined;
  readonly foreach: DraftForeach | undefined;
  readonly repeat: DraftRepeat | undefined;
  /** Only if it is whole. */
  readonly output: ReadSchema | undefined;
  /** Whether `output` is written, be it readable or not. */
  readonly hasOutput: boolean;
  readonly assert: readonly DraftAssertion[];
  readonly save: readonly DraftSave[];
  readonly plain: PlainParts;
  readonly body: DraftBody;
}

export type DraftBody =
  | {
      readonly type: 'leaf';
      readonly kind: StepKind;
      readonly node: YamlNode;
      readonly config: Compiled;
      readonly isValid: boolean;
    }
  | { readonly type: 'group'; readonly steps: readonly Draft[]; readonly result: Compiled | undefined }
  /** Another skill. */
  | {
      readonly type: 'child';
      readonly node: YamlNode;
      readonly config: Compiled;
      /** Undefined if it has no name that is one. */
      readonly skill: TextItem | undefined;
      readonly isValid: boolean;
    }
  /** Its kind could not be read. */
  | { readonly type: 'unknown' };

/** The list that holds the step, outermost first, with the step itself last. */
export function lineage(draft: Draft): Draft[] {
  const line = [draft];
  for (let up = draft.parent; up; up = up.parent) line.unshift(up);
  return line;
}

/** Depth first, in the order of the file. */
export function everyDraft(drafts: readonly Draft[]): Draft[] {
  return drafts.flatMap((draft) => [draft, ...(draft.body.type === 'group' ? everyDraft(draft.body.steps) : [])]);
}
