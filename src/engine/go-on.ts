/** Which failed attempts are gone on with, instead of beginning anew. */
import type { GoesOn } from '../core/context.js';
import type { FaultData } from '../core/faults.js';
import { isBelow } from '../core/step-path.js';
import type { Keyed, LeafTools } from './leaf-tools.js';

export interface Continued {
  /** Set where a person said so. */
  readonly goesOn: GoesOn | undefined;
}

/** Undefined when the attempt begins in an empty folder. */
export function continuedAfterFailure({ step, path, key }: Keyed, { past, goOn }: LeafTools): Continued | undefined {
  const failed = past.failedWith.get(path);
  if (step.body.type !== 'leaf' || !step.body.kind.continues || failed?.key !== key.hash) return undefined;
  const { fault } = failed;
  const isAsked = goOn !== undefined && isBelow(path, goOn.ids);
  if (isAsked && isOwnFault(fault)) return { goesOn: { rounds: goOn.rounds, fault } };
  if (!isOutsideFault(fault)) return undefined;
  return { goesOn: isAsked && goOn.rounds > 0 ? { rounds: goOn.rounds, fault } : undefined };
}

/** Whether a person can have an agent go on that failed with it. */
export function canGoOn(fault: FaultData): boolean {
  return isOwnFault(fault) || isOutsideFault(fault);
}

/** What befell the agent and is no fault of its own: its conversation is as good as it was. */
function isOutsideFault({ code }: FaultData): boolean {
  switch (code) {
    case 'provider.unreachable':
    case 'provider.overloaded':
    case 'provider.protocol':
    case 'provider.silent':
    case 'provider.refused':
    case 'provider.no_model':
    case 'step.timeout':
    case 'step.silent':
      return true;
    default:
      return false;
  }
}

/** What the agent did or did not do: it begins anew, unless a person has it go on. */
function isOwnFault({ code }: FaultData): boolean {
  return code.startsWith('agent.');
}
