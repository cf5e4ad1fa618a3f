/** How many tokens a run, and a step of it, may use: reserved before a call, settled after it. */
import { Fault } from '../core/faults.js';
import type { Budget, Plan, Step, Usage } from '../core/types.js';

/** The tally that a step's calls count in: its own, its groups', the run's. */
export function createTallies(
  plan: Plan,
  past: { readonly tokens: number; readonly tokensOf: ReadonlyMap<string, number> },
) {
  const whole = createTally(plan.limits.tokens, past.tokens, 'the run');
  const tallies = new Map<Step, Tally>();
  const visit = (steps: readonly Step[], around: Tally) => {
    for (const step of steps) {
      const { tokens } = step.limits;
      const own =
        tokens === undefined
          ? around
          : createTally(tokens, past.tokensOf.get(step.id) ?? 0, `step "${step.id}"`, around);
      tallies.set(step, own);
      if (step.body.type === 'group') visit(step.body.steps, own);
    }
  };
  visit(plan.steps, whole);
  return (step: Step): Tally => tallies.get(step) ?? whole;
}

/** Counts over attempts, branches and resumes. */
interface Tally extends Budget {
  used(): number;
}

/** @param used what earlier sessions of the run have used */
function createTally(limit: number, used: number, of: string, parent?: Tally): Tally {
  let settled = used;
  let reserved = 0;
  return {
    used: () => settled,
    reserve(tokens) {
      if (settled + reserved + tokens > limit) {
        throw new Fault(
          'run.limit',
          `the token limit of ${of} is reached: ${settled} used, the next call needs about ${tokens}, limit ${limit}`,
          {
            hint: 'Go on with a higher limit: raise the limit in the file, or for the run with --limit tokens=<n>, and --resume',
          },
        );
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
