/** What a report says of a run, as plain data: folded from its journal, with what its steps left on disk as far as a report holds it. */
import type { Census, Origin, UsageTotal } from '../core/events.js';
import type { FaultData } from '../core/faults.js';
import type { Json, JsonObject } from '../core/json.js';
import type { StepPath } from '../core/outcome.js';
import type { LiveStatus } from '../engine/run-status.js';
import type { Graph, NodeStatus } from '../graph/graph.js';
import type { Timeline } from './timeline.js';

export interface RunView {
  /** `<skill>/<slug>`, as commands take it. */
  readonly name: string;
  readonly run: string;
  readonly skill: string;
  readonly slug: string;
  readonly query: string;
  readonly status: LiveStatus;
  /** What it said when it ended; '' while it runs. */
  readonly outcome: string;
  readonly message: string;
  readonly fault?: FaultData;
  readonly exit?: number;
  readonly result?: Json;
  /** No language model: its texts are placeholders. */
  readonly isPlaceholder: boolean;
  /** ISO 8601, like all times here. */
  readonly started: string;
  /** Of the last session; absent while it runs. */
  readonly ended?: string;
  /** Of all sessions together. */
  readonly ms: number;
  readonly census: Census;
  readonly usage: UsageTotal;
  /** By the label of the model, in the order in which they first answered. */
  readonly models: readonly { readonly label: string; readonly usage: UsageTotal }[];
  readonly steps: readonly StepView[];
  /** Of the plan, with what became of each step; undefined where the plan was not kept. */
  readonly graph: Graph | undefined;
  readonly timeline: Timeline;
  /** What was published, sorted by path. */
  readonly files: readonly FileView[];
  readonly gates: readonly GateView[];
  readonly notices: readonly string[];
  readonly facts: RunFacts;
  readonly commands: {
    /** Where it can be gone on with. */
    readonly resume?: string;
    readonly show: string;
  };
  /** What was left out so that the report stays small. */
  readonly isCut: boolean;
}

export interface RunFacts {
  /** From the project on, as is the pipeline file. */
  readonly dir: string;
  readonly file: string;
  readonly version: string;
  readonly node: string;
  readonly inputs: JsonObject;
  readonly inputFiles: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
  readonly fork?: Origin;
  /** When each began. */
  readonly sessions: readonly string[];
}

/** `open`: the run did not come to it. */
export type StepStatus = NodeStatus | 'open';

export interface StepView {
  readonly path: StepPath;
  /** Its id, or the number of an item or a round. */
  readonly name: string;
  /** Where it says more than the name. */
  readonly title?: string;
  /** `agent`, `shell`, …; `steps` for a group; `item`, `round`. */
  readonly kind: string;
  readonly status: StepStatus;
  readonly began?: string;
  readonly ms?: number;
  /** 0 where it was reused or never begun. */
  readonly attempts: number;
  readonly rounds: number;
  /** Of all attempts; of a group or a loop what is in it. */
  readonly usage: UsageTotal;
  readonly models: readonly string[];
  /** The reason or the fault in a line; of an item that was done, what it gave, as far as a line tells. */
  readonly note?: string;
  /** In it: steps of a group, items or rounds of a loop. */
  readonly steps: readonly StepView[];
  /** Of those in it without others in them. */
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>;
  readonly detail: StepDetail;
}

/** `brief`: many like it are whole; `left out`: the report would have become too large. */
export type Told = 'whole' | 'brief' | 'left out';

export interface StepDetail {
  readonly why?: { readonly headline: string; readonly lines: readonly string[] };
  readonly fault?: FaultData;
  /** Commands that go on with a failed agent. */
  readonly ways?: { readonly goOn: string; readonly anew: string };
  readonly prompt?: Excerpt;
  /** The last attempt's is the last. */
  readonly attempts: readonly AttemptView[];
  readonly logs: readonly Excerpt[];
  /** JSON; absent where it gave none, or a large one. */
  readonly output?: Json;
  /** The beginning of a large output. */
  readonly largeOutput?: Excerpt;
  /** Paths among the run's files. */
  readonly files: readonly string[];
  /** Its folder in the run's. */
  readonly folder?: string;
  readonly told: Told;
}

export interface AttemptView {
  /** From 1, over all sessions. */
  readonly number: number;
  readonly status: string;
  readonly fault?: FaultData;
  readonly usage: UsageTotal;
  readonly rounds: readonly RoundView[];
  /** Of its conversation, those that are not shown. */
  readonly moreRounds: number;
}

export interface RoundView {
  readonly number: number;
  readonly model?: string;
  readonly ms?: number;
  readonly usage?: UsageTotal;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallView[];
  /** What the runner said to the model before it: a nudge, the problems of an answer. */
  readonly told: readonly string[];
}

export interface CallView {
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
  readonly result?: { readonly text: string; readonly isError: boolean };
}

/** A text, or its beginning. */
export interface Excerpt {
  readonly text: string;
  /** Path in the run folder. */
  readonly file: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

export interface FileView {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of the step that published it. */
  readonly step: StepPath;
  readonly preview: Preview;
}

export type Preview =
  | { readonly type: 'markdown' | 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly type: 'json'; readonly value: Json }
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string }
  /** `reason` in a few words. */
  | { readonly type: 'none'; readonly reason: string };

export interface GateView {
  readonly path: StepPath;
  readonly title: string;
  readonly question: string;
  readonly choices: readonly string[];
  readonly command: string;
  /** `approve, by ada at 2026-01-05 10:12:00: looks good`. */
  readonly answered?: string;
}
