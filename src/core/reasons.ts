/** Words that the journal keeps for people, and that programs find again in it. */

/** Why a step runs although something of it is known. */
export const ASKED_FOR = 'asked for';
export const GOES_ON = 'goes on after an interruption';
export const GOES_ON_AFTER = 'goes on where it failed';
export const NEVER_REUSED = 'it is never reused (cache: false)';

/** In the conversation of the attempt before it: its rounds are numbered on. */
export function goesOn(because: string): boolean {
  return because === GOES_ON || because === GOES_ON_AFTER;
}

/** The part of a step's key that stands for all that was published before it. */
export const FILES_OF_EARLIER_STEPS = 'files of earlier steps';

/** What must hold for the steps of a round of a skill that its script drives. */
export const IS_FOR_SUBAGENT = 'its TYPE is llm_subagent';
export const HAS_COMMAND = 'it has RUN';

const ROUTINE = [IS_FOR_SUBAGENT, HAS_COMMAND].map(whenFalse);

/** Why a step was skipped whose condition does not hold. */
export function whenFalse(source: string): string {
  return `when ${source} is false`;
}

/** A step that most rounds skip: nobody wrote its condition. */
export function isRoutine(reason: string): boolean {
  return ROUTINE.includes(reason);
}

const BLOCKED_BY = 'blocked by ';

/** Why a step was skipped that needs one which failed. */
export function blockedBy(id: string): string {
  return `${BLOCKED_BY}${id}`;
}

/** The id of the step that failed; undefined if it was skipped for another reason. */
export function blockerIn(reason: string): string | undefined {
  return reason.startsWith(BLOCKED_BY) ? reason.slice(BLOCKED_BY.length) : undefined;
}
