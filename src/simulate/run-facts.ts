/** What a simulated run has done: its sessions, what models, processes and persons did in it, what broke. */
import type { Recorded } from '../core/events.js';
import type { StepPath } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import type { RunReport } from '../request.js';
import type { ModelAct } from './adversary/model.js';
import type { ProcessAct } from './adversary/processes.js';
import type { Broken } from './promises/broken.js';

export type Ended = Exclude<RunReport, { status: 'invalid' }>;

/** What became of one process that worked on the run. */
export type SessionEnd =
  | { readonly type: 'ended'; readonly report: Ended }
  /** It was killed at its n-th operation. */
  | { readonly type: 'killed'; readonly at: number }
  | { readonly type: 'hung' }
  | { readonly type: 'thrown'; readonly error: unknown };

export interface SessionFacts {
  readonly end: SessionEnd;
  /** As the journal has them, in this session. */
  readonly events: readonly Recorded[];
  readonly ms: number;
  readonly operations: number;
  /** The disk refused something, once. */
  readonly isDiskFailed: boolean;
  /** The power failed with the process: records that were not synced are gone, also from `events`. */
  readonly isPowerLost: boolean;
  /** A person has said that interrupted effects may be repeated. */
  readonly retriesUnknown: boolean;
  /** Which plan was run: an author may have changed the file in between. */
  readonly plan: Plan;
}

export type Act =
  | ({ readonly of: 'model'; readonly session: number } & ModelAct)
  | ({ readonly of: 'process'; readonly session: number } & ProcessAct)
  | {
      readonly of: 'gate';
      readonly session: number;
      readonly path: StepPath;
      readonly choice: string;
      readonly comment: string;
    };

export interface SimulatedRun {
  readonly query: string;
  readonly sessions: readonly SessionFacts[];
  readonly acts: readonly Act[];
  /** Found while it ran: `what` names the promise, `said` how it was broken. */
  readonly broken: readonly Broken[];
  /** The run folder; undefined where no session came so far as to make one. */
  readonly dir: string | undefined;
}
