/** A test of a skill as it was written, read and completed. */
import type { Json, JsonObject } from '../core/json.js';
import type { Limits } from '../core/plan.js';
import type { Position } from '../core/problems.js';
import type { StepPattern } from '../core/step-pattern.js';
import type { Claim } from './claims.js';

export interface SkillTest {
  /** What it claims. */
  readonly name: string;
  /** Absolute path of the test file. */
  readonly file: string;
  /** What is run: the folder above `tests/`. Absolute. */
  readonly target: string;
  readonly query: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly model: TestModel;
  readonly stubs: readonly Stubs[];
  /** Of gates; undefined when nobody is there to answer. */
  readonly answers: readonly GateAnswer[] | undefined;
  readonly limits: Partial<Limits>;
  readonly expect: Expectations;
  /** Every step that is named, and every input, with its place. */
  readonly steps: readonly { readonly pattern: StepPattern; readonly at: Position }[];
  readonly givenInputs: readonly { readonly name: string; readonly at: Position }[];
}

export type TestModel =
  | { readonly type: 'sketch' }
  /** As `--model` takes it, with an absolute path. */
  | { readonly type: 'script'; readonly flag: string }
  /** `rest`: what answers for the other agents. */
  | { readonly type: 'turns'; readonly turns: readonly AgentTurns[]; readonly rest: 'sketch' | 'nobody' }
  /** Absolute. */
  | { readonly type: 'cassette'; readonly dir: string }
  /** The adversary of a simulation, which models, processes and persons are, and what cuts the run off. */
  | { readonly type: 'simulated'; readonly choices: readonly ChosenAt[] };

/** What the adversary chose at one of its places. */
export interface ChosenAt {
  /** Such as `crash.0`, or `audit@1.2`: the second turn of the first attempt at `audit`. */
  readonly place: string;
  readonly numbers: readonly number[];
}

export interface AgentTurns {
  readonly pattern: StepPattern;
  readonly turns: readonly JsonObject[];
}

export interface Stubs {
  readonly pattern: StepPattern;
  /** One for each call; the last one also for those after it. */
  readonly stubs: readonly Stub[];
  readonly at: Position;
}

export interface Stub {
  readonly stdout: Json;
  readonly stderr: string;
  readonly exit: number;
  /** Relative to the work folder. */
  readonly files: Readonly<Record<string, Json>>;
}

export interface GateAnswer {
  readonly pattern: StepPattern;
  readonly choice: string;
  readonly comment: string;
  readonly at: Position;
  readonly choiceAt: Position;
}

export interface Expectations {
  readonly status?: string;
  readonly exit?: number;
  readonly outcome?: Json;
  /** Text that it contains, or `/a pattern/`. */
  readonly message?: string;
  readonly result?: Json;
  readonly outputs: readonly OutputExpectation[];
  /** Undefined: only that it is there. */
  readonly files: readonly { readonly path: string; readonly value: Json | undefined }[];
  readonly ran?: StepList;
  readonly skipped?: StepList;
  readonly reused?: StepList;
  readonly failed?: StepList;
  readonly tools: readonly { readonly pattern: StepPattern; readonly calls: readonly string[] }[];
  readonly calls?: Json;
  readonly tokens?: Json;
  /** What holds of the run, or never does. */
  readonly claims: readonly Claim[];
}

export interface OutputExpectation {
  /** As written. */
  readonly key: string;
  readonly pattern: StepPattern;
  readonly place: readonly string[];
  readonly value: Json;
  readonly at: Position;
}

/** `exactly`: no other step. */
export interface StepList {
  readonly patterns: readonly StepPattern[];
  readonly exactly: boolean;
}
