/** How many tokens a run, and a step of it, may use: reserved before a call, settled after it. */
import { Fault } from '../core/faults.js';
import type { Budget, Usage } from '../core/types.js';

/** Counts over attempts, branches and resumes. */
export interface Tally extends Budget {
  used(): number;
}

/** @param used what earlier sessions of the run have used */
export function createTally(limit: number, used: number, of: string, parent?: Tally): Tally {
  let settled = used;
  let reserved = 0;
  return {
    used: () => settled,
    reserve(tokens) {
      if (settled + reserved + tokens > limit) {
        throw new Fault('run.limit', `the token limit of ${of} is reached: ${settled} used, the next call needs about ${tokens}, limit ${limit}`, {
          hint: 'Go on with a higher limit: pipeline run … --resume --limit tokens=<n>',
        });
      }
      const outer = parent?.reserve(tokens);
      reserved += tokens;
      let open = true;
      return {
        settle(usage: Usage | undefined) {
          if (!open) return;
          open = false;
          reserved -= tokens;
          settled += usage ? usage.inputTokens + usage.outputTokens : tokens;
          outer?.settle(usage);
        },
      };
    },
  };
}
