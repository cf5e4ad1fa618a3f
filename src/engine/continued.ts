/** Which attempts go on in the conversation of the one before, instead of beginning anew in an empty folder. */
import fs from 'node:fs';
import type { GoesOn } from '../core/context.js';
import type { FaultData } from '../core/faults.js';
import type { LeafBody, Step } from '../core/plan.js';
import { isBelow } from '../core/step-path.js';
import type { Keyed, LeafTools } from './leaf-tools.js';
import type { StepDir } from './run-dir.js';

export interface Continued {
  readonly after: 'interruption' | 'failure';
  /** Set where a person said so. */
  readonly asked: GoesOn | undefined;
}

/** Undefined when the attempt begins anew. */
export function continued(
  { body, path, key }: Keyed,
  { past, goOn, runDir }: Pick<LeafTools, 'past' | 'goOn' | 'runDir'>,
): Continued | undefined {
  const failed = past.failedWith.get(path);
  // To look on disk takes longer than all else here, and nearly every attempt is the first.
  if (!failed && !past.interrupted.at(path, key.hash)) return undefined;
  if (!holdsConversation(body, runDir.step(path))) return undefined;
  const rounds = goOn && isBelow(path, goOn.ids) && !goOn.done.has(path) ? goOn.rounds : undefined;
  if (!failed) {
    return { after: 'interruption', asked: rounds ? { rounds, fault: undefined } : undefined };
  }
  if (failed.key !== key.hash) return undefined;
  const { fault } = failed;
  if (rounds !== undefined && isOwnFault(fault)) return { after: 'failure', asked: { rounds, fault } };
  if (!isOutsideFault(fault)) return undefined;
  return { after: 'failure', asked: rounds ? { rounds, fault } : undefined };
}

/** Whether a step that failed with this, or was interrupted, can be told to go on. */
export function canGoOn({ body }: Step, fault: FaultData | undefined, folders: StepDir): boolean {
  if (body.type !== 'leaf' || !holdsConversation(body, folders)) return false;
  return fault === undefined || isOwnFault(fault) || isOutsideFault(fault);
}

/** A program that an agent starts holds none; the extraction from what it printed does. */
function holdsConversation({ inspection }: LeafBody, { transcript }: StepDir): boolean {
  return inspection.continues === true && fs.existsSync(transcript);
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

/** What the agent did or did not do, in a conversation: it begins anew, unless a person has it go on. */
export function isOwnFault({ code }: Pick<FaultData, 'code'>): boolean {
  return code.startsWith('agent.');
}

/** Whether more rounds can help. */
export function needsRounds(fault: Pick<FaultData, 'code'> | undefined): boolean {
  return fault?.code === 'agent.rounds' || fault?.code === 'agent.schema';
}
