/** How much a run, and a step of it, may use: reserved before a call, settled after it. */

import { type Amount, type Budget, NO_AMOUNT, plus, type Reservation } from '../core/context.js';
import { Fault } from '../core/faults.js';
import type { StepPath } from '../core/outcome.js';
import { type Plan, type Step, stepsIn } from '../core/plan.js';
import { idsOf } from '../core/step-path.js';
import { usd as dollars } from '../core/words.js';

/** A limit that is not set is Infinity. */
const NO_LIMIT: Amount = { tokens: Number.POSITIVE_INFINITY, usd: Number.POSITIVE_INFINITY };

/** The tally that a step's calls count in: its own, its groups', the child pipelines', the run's. */
export function createTallies(
  plan: Plan,
  past: { readonly used: Amount; readonly usedBy: ReadonlyMap<string, Amount> },
): (path: StepPath) => Budget {
  const whole = createTally(limitOf([plan.limits]), past.used, WHOLE);
  const tallies = new Map<string, Budget>();
  const visit = (steps: readonly Step[], start: string, around: Budget) => {
    for (const step of steps) {
      const ids = `${start}${step.id}`;
      const limit = limitOf([step.limits, step.body.type === 'child' ? step.body.plan.ownLimits : {}]);
      const isFree = limit.tokens === NO_LIMIT.tokens && limit.usd === NO_LIMIT.usd;
      const own = isFree ? around : createTally(limit, past.usedBy.get(ids) ?? NO_AMOUNT, `step "${step.id}"`, around);
      tallies.set(ids, own);
      visit(stepsIn(step), `${ids}/`, own);
    }
  };
  visit(plan.steps, '', whole);
  return (path) => tallies.get(idsOf(path)) ?? whole;
}

function limitOf(given: readonly Partial<Amount>[]): Amount {
  const least = (name: keyof Amount) => Math.min(...given.map((one) => one[name] ?? NO_LIMIT[name]));
  return { tokens: least('tokens'), usd: least('usd') };
}

function minus(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens - b.tokens, usd: a.usd - b.usd };
}

const WHOLE = 'the run';

/** Sums of money are sums of fractions: what is less than this is no difference. */
const ROUNDING_USD = 1e-9;

interface Waiting {
  readonly need: Amount;
  go(): void;
  fail(error: unknown): void;
}

/**
 * Counts over attempts, branches and resumes. A reservation is taken inside first, then outside, and who holds the outermost one never waits:
 * so no two can wait for each other.
 * @param used what earlier sessions of the run have used
 */
function createTally(limit: Amount, used: Amount, of: string, outer?: Budget): Budget {
  let settled = used;
  let reserved = NO_AMOUNT;
  const queue: Waiting[] = [];

  const exceeds = (sum: Amount) => sum.tokens > limit.tokens || sum.usd > limit.usd + ROUNDING_USD;
  /** What is settled never becomes less. */
  const isTooMuch = (need: Amount) => exceeds(plus(settled, need));
  const fits = (need: Amount) => !exceeds(plus(plus(settled, reserved), need));
  const serve = () => {
    for (let next = queue[0]; next; next = queue[0]) {
      if (!isTooMuch(next.need) && !fits(next.need)) return;
      queue.shift();
      if (isTooMuch(next.need)) next.fail(limitFault(of, settled, next.need, limit));
      else {
        reserved = plus(reserved, next.need);
        next.go();
      }
    }
  };
  const wait = (need: Amount, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => signal.removeEventListener('abort', abort);
      const waiting: Waiting = {
        need,
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
  const free = (need: Amount, spent: Amount) => {
    reserved = minus(reserved, need);
    settled = plus(settled, spent);
    serve();
  };

  return {
    limitsUsd: limit.usd !== NO_LIMIT.usd || outer?.limitsUsd === true,
    async reserve(need, signal): Promise<Reservation> {
      signal.throwIfAborted();
      if (isTooMuch(need)) throw limitFault(of, settled, need, limit);
      if (queue.length === 0 && fits(need)) reserved = plus(reserved, need);
      else await wait(need, signal);
      let around: Reservation | undefined;
      try {
        around = await outer?.reserve(need, signal);
      } catch (error) {
        free(need, NO_AMOUNT);
        throw error;
      }
      let open = true;
      return {
        settle(spent = need) {
          if (!open) return;
          open = false;
          around?.settle(spent);
          free(need, spent);
        },
      };
    },
    nearest() {
      const own = { share: Math.max(settled.tokens / limit.tokens, shareOf(settled.usd, limit.usd)), of };
      const around = outer?.nearest();
      return around && around.share > own.share ? around : own;
    },
  };
}

function shareOf(used: number, limit: number): number {
  return limit === 0 ? 1 : used / limit;
}

/** Twice as much, and room for more than the call that found none; to two digits, of tokens a whole number. */
function raised(name: keyof Amount, limit: Amount, wanted: Amount): number {
  const enough = Math.max(2 * limit[name], 1.5 * wanted[name]);
  const unit = 10 ** (Math.floor(Math.log10(enough)) - 1);
  const rounded = Number((Math.ceil(enough / unit - 1e-9) * unit).toPrecision(2));
  return name === 'tokens' ? Math.ceil(rounded) : rounded;
}

function limitFault(of: string, settled: Amount, need: Amount, limit: Amount): Fault {
  const isTokens = settled.tokens + need.tokens > limit.tokens;
  const [name, figures]: ['tokens' | 'usd', string] = isTokens
    ? ['tokens', `${settled.tokens} used, the next call needs about ${need.tokens}, limit ${limit.tokens}`]
    : ['usd', `${dollars(settled.usd)} used, the next call may cost ${dollars(need.usd)}, limit ${dollars(limit.usd)}`];
  const what = isTokens ? 'token limit' : 'limit in US dollars';
  return new Fault('run.limit', `the ${what} of ${of} is reached: ${figures}`, {
    hint: `Go on with a higher limit: raise it in the file${of === WHOLE ? `, or on resume: --limit ${name}=<n>` : ', then resume the run'}`,
    ...(of === WHOLE ? { raise: `${name}=${raised(name, limit, plus(settled, need))}` } : {}),
  });
}
