/** How many tokens a run, and a step of it, may use: reserved before a call, settled after it. */

import type { Budget, Reservation } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { Usage } from '../core/model.js';
import type { StepPath } from '../core/outcome.js';
import { type Plan, type Step, stepsIn } from '../core/plan.js';
import { idsOf } from '../core/step-path.js';

/** The tally that a step's calls count in: its own, its groups', the child pipelines', the run's. */
export function createTallies(
  plan: Plan,
  past: { readonly tokens: number; readonly tokensOf: ReadonlyMap<string, number> },
): (path: StepPath) => Budget {
  const whole = createTally(plan.limits.tokens, past.tokens, 'the run');
  const tallies = new Map<string, Budget>();
  const visit = (steps: readonly Step[], start: string, around: Budget) => {
    for (const step of steps) {
      const ids = `${start}${step.id}`;
      const child = step.body.type === 'child' ? step.body.plan : undefined;
      const limits = [step.limits.tokens, child?.ownLimits.tokens].filter((limit) => limit !== undefined);
      const own =
        limits.length === 0
          ? around
          : createTally(Math.min(...limits), past.tokensOf.get(ids) ?? 0, `step "${step.id}"`, around);
      tallies.set(ids, own);
      visit(stepsIn(step), `${ids}/`, own);
    }
  };
  visit(plan.steps, '', whole);
  return (path) => tallies.get(idsOf(path)) ?? whole;
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
      hint: 'Go on with a higher limit: raise it in the file, or on resume: --limit tokens=<n>',
    },
  );
}
