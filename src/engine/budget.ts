/** How many tokens a run, and a step of it, may use: reserved before a call, settled after it. */

import type { Budget, Reservation } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Usage } from '../core/model.js';
import type { Plan, Step } from '../core/plan.js';

/** The tally that a step's calls count in: its own, its groups', the run's. */
export function createTallies(
  plan: Plan,
  past: { readonly tokens: number; readonly tokensOf: ReadonlyMap<string, number> },
): (step: Step) => Budget {
  const whole = createTally(plan.limits.tokens, past.tokens, 'the run');
  const tallies = new Map<Step, Budget>();
  const visit = (steps: readonly Step[], around: Budget) => {
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
  return (step) => tallies.get(step) ?? whole;
}

interface Waiting {
  readonly tokens: number;
  go(): void;
  fail(error: unknown): void;
}

/**
 * Counts over attempts, branches and resumes. A reservation is taken inside first, then outside, and who holds the outermost one never waits:
 * so no two can wait for each other.
 * @param used what earlier sessions of the run have used
 */
function createTally(limit: number, used: number, of: string, outer?: Budget): Budget {
  let settled = used;
  let reserved = 0;
  const queue: Waiting[] = [];

  /** What is settled never becomes less. */
  const isTooMuch = (tokens: number) => settled + tokens > limit;
  const fits = (tokens: number) => settled + reserved + tokens <= limit;
  const serve = () => {
    for (let next = queue[0]; next; next = queue[0]) {
      if (!isTooMuch(next.tokens) && !fits(next.tokens)) return;
      queue.shift();
      if (isTooMuch(next.tokens)) next.fail(limitFault(of, settled, next.tokens, limit));
      else {
        reserved += next.tokens;
        next.go();
      }
    }
  };
  const wait = (tokens: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => signal.removeEventListener('abort', abort);
      const waiting: Waiting = {
        tokens,
        go: () => {
          leave();
          resolve();
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const abort = () => {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.fail(signal.reason);
        serve();
      };
      signal.addEventListener('abort', abort, { once: true });
      queue.push(waiting);
    });
  const free = (tokens: number, usedTokens: number) => {
    reserved -= tokens;
    settled += usedTokens;
    serve();
  };

  return {
    async reserve(tokens, signal): Promise<Reservation> {
      signal.throwIfAborted();
      if (isTooMuch(tokens)) throw limitFault(of, settled, tokens, limit);
      if (queue.length === 0 && fits(tokens)) reserved += tokens;
      else await wait(tokens, signal);
      let around: Reservation | undefined;
      try {
        around = await outer?.reserve(tokens, signal);
      } catch (error) {
        free(tokens, 0);
        throw error;
      }
      let open = true;
      return {
        settle(usage: Usage | undefined) {
          if (!open) return;
          open = false;
          around?.settle(usage);
          free(tokens, usage ? usage.inputTokens + usage.outputTokens : tokens);
        },
      };
    },
  };
}

function limitFault(of: string, settled: number, tokens: number, limit: number): Fault {
  return new Fault(
    'run.limit',
    `the token limit of ${of} is reached: ${settled} used, the next call needs about ${tokens}, limit ${limit}`,
    {
      hint: 'Go on with a higher limit: raise the limit in the file, or for the run with --limit tokens=<n>, and --resume',
    },
  );
}
