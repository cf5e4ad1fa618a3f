/** From what the walk over the plan came to, to the run's status, exit code and message. */
import type { Census, RunStatus } from '../core/events.js';
import { FAULTS, type FaultData } from '../core/faults.js';
import { approveLine, askedGate } from '../core/gate.js';
import { isObject, type Json, never } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { shellWord } from '../core/shell-word.js';
import type { HaltReason } from './halt.js';
import type { ListOutcome } from './place.js';

export interface Verdict {
  readonly status: RunStatus;
  readonly exit: number;
  /** An `end`'s name, or the status. */
  readonly outcome: string;
  readonly message: string;
  readonly fault?: FaultData;
}

const EXITS = {
  done: 0,
  failed: 1,
  partial: 8,
  refused: 5,
  limit: 6,
  waiting: 7,
  cancelled: 130,
} as const satisfies Record<RunStatus, number>;

/** @param run as a person names it: `<skill>/<slug>` */
export function verdictOf(
  list: ListOutcome,
  halt: HaltReason | undefined,
  plan: Plan,
  run: string,
  census: Census,
): Verdict {
  if (halt) return haltVerdict(halt, plan, census.failed > 0);
  switch (list.status) {
    case 'done': {
      const partial = list.partial && !plan.acceptPartial;
      return verdict(
        partial ? 'partial' : 'done',
        partial ? `${census.failed} of ${census.asked} steps failed on the way` : '',
      );
    }
    case 'failed':
      return failedBy(list.id, list.fault);
    case 'waiting':
      return verdict('waiting', waitingFor(list.ask, run));
    case 'halted':
      return verdict('cancelled', 'the run stopped');
    default:
      return never(list);
  }
}

/** What the run waits for, with what answers it. */
function waitingFor(ask: Json, run: string): string {
  const gate = askedGate(ask);
  if (gate) {
    const answer = approveLine(run, gate);
    return `"${gate.path}" waits for an answer: ${answer}, then: pipeline resume ${shellWord(run)}`;
  }
  return isObject(ask) && typeof ask.question === 'string' ? ask.question : 'waits for a decision';
}

function haltVerdict(halt: HaltReason, plan: Plan, anyFailed: boolean): Verdict {
  switch (halt.type) {
    case 'ended': {
      const status = halt.as === 'done' && anyFailed && !plan.acceptPartial ? 'partial' : halt.as;
      return { ...verdict(status, halt.message), outcome: halt.outcome };
    }
    case 'failed':
      return failedBy(halt.by, halt.fault);
    case 'stopped': {
      const { fault } = halt;
      const status = stoppedStatus(fault);
      return { ...verdict(status, fault.message), exit: FAULTS[fault.code].exit, fault };
    }
    default:
      return never(halt);
  }
}

function stoppedStatus({ code }: FaultData): RunStatus {
  switch (code) {
    case 'run.limit':
    case 'provider.exhausted':
      return 'limit';
    case 'run.journal':
    case 'run.storage':
    case 'input.replay':
      return 'failed';
    default:
      return 'cancelled';
  }
}

export function failedBy(id: string, fault: FaultData): Verdict {
  return { ...verdict('failed', `step "${id}": ${fault.message}`), exit: failedExit(fault), fault };
}

/** 3 if the provider decided it, 70 for a bug of ours, else 1: a step's own fault. */
function failedExit(fault: FaultData): number {
  if (fault.code === 'internal.bug' || fault.code === 'run.forbidden') return FAULTS[fault.code].exit;
  return fault.code.startsWith('provider.') ? 3 : EXITS.failed;
}

function verdict(status: RunStatus, message: string): Verdict {
  return { status, exit: EXITS[status], outcome: status, message };
}
