/** One simulated run, held against what every run keeps, against the author's claims, and against the same run without a crash. */
import { NOBODY_KNOWS } from '../../agent/dispatch.js';
import type { Recorded } from '../../core/events.js';
import { isObject } from '../../core/json.js';
import { brokenClaim, type Claim } from '../../testing/claims.js';
import { factsOf } from '../../testing/run-facts.js';
import type { Choices } from '../choices/choices.js';
import type { Compiled } from '../compiled.js';
import type { Disk } from '../disk/disk.js';
import type { SimulatedRun } from '../run-facts.js';
import { type RunOptions, simulateRun } from '../simulated-run.js';
import { PROMISES } from './broken.js';
import { differenceOf, outcomeOf } from './comparison.js';
import { brokenPromises } from './promises.js';

export type Violation =
  | { readonly type: 'promise'; readonly what: string; readonly said: string }
  | { readonly type: 'claim'; readonly what: string; readonly said: string; readonly claim: Claim };

export interface Judged {
  readonly run: SimulatedRun;
  readonly violations: readonly Violation[];
}

/** @param choose gives the same choices each time @param versions of the file that an author may write between two sessions */
export async function judgedRun(
  compiled: Compiled,
  choose: () => Choices,
  disk: Disk,
  claims: readonly Claim[],
  versions: readonly Compiled[] = [],
): Promise<Judged & { readonly choices: Choices }> {
  const choices = choose();
  const other = versions[choices.at('edit').rarely(0.5, versions.length + 1) - 1];
  const options: RunOptions = other ? { edited: { compiled: other, from: 1 } } : {};
  const run = await simulateRun(compiled, choices, disk, options);
  const violations: Violation[] = (await brokenPromises(run, disk)).map((one) => ({ type: 'promise', ...one }));
  violations.push(...brokenClaims(run, claims));
  const isCalm = run.sessions.length === 1;
  const came = isCalm || violations.length > 0 ? undefined : outcomeOf(run, disk);
  if (came !== undefined) {
    const edited =
      run.sessions.length > (options.edited?.from ?? Number.POSITIVE_INFINITY) ? options.edited : undefined;
    const calm = await simulateRun(edited?.compiled ?? compiled, choose(), disk, {
      calm: true,
      ...(options.edited ? { salted: true } : {}),
      ...(edited ? { edited: { ...edited, from: 0 } } : {}),
    });
    const calmly = outcomeOf(calm, disk);
    const isComparable = calmly !== undefined && !isAnsweredByWhoCame(run, calm) && ![run, calm].some(isOfItsTime);
    const difference = isComparable ? differenceOf(calmly, came) : undefined;
    if (difference !== undefined) violations.push({ type: 'promise', what: PROMISES.crash, said: difference });
  }
  return { run, violations, choices };
}

/** A gate answers itself where nobody is there, and is answered by whoever has come to a run that had waited: it depends on when that was. */
function isAnsweredByWhoCame(run: SimulatedRun, calm: SimulatedRun): boolean {
  const hasWaited = ({ sessions }: SimulatedRun) =>
    sessions.some(({ end }) => end.type === 'ended' && end.report.status === 'waiting');
  const isByItself = (event: Recorded) =>
    event.type === 'step_done' && isObject(event.output) && event.output.by === 'on_no_tty';
  const both = [run, calm];
  if (hasWaited(run) !== hasWaited(calm) && both.some(({ acts }) => acts.some(({ of }) => of === 'gate'))) return true;
  return both.some(hasWaited) && both.some(({ sessions }) => sessions.some(({ events }) => events.some(isByItself)));
}

/** A kill begins a step's time anew; and of a call that it cut off nobody knows what came of it, which its model is told. */
function isOfItsTime({ sessions }: SimulatedRun): boolean {
  return sessions.some(({ events }) =>
    events.some((event) => {
      if (event.type === 'step_notice') return event.text.startsWith(NOBODY_KNOWS);
      return (event.type === 'step_failed' || event.type === 'step_retry') && event.fault.code === 'step.timeout';
    }),
  );
}

function brokenClaims(run: SimulatedRun, claims: readonly Claim[]): Violation[] {
  const last = run.sessions.at(-1);
  if (claims.length === 0 || last?.end.type !== 'ended') return [];
  const events = run.sessions.flatMap((session) => session.events);
  const facts = factsOf(last.plan, run.query, events, last.end.report);
  return claims.flatMap((claim): Violation[] => {
    const said = brokenClaim(claim, facts);
    return said === undefined ? [] : [{ type: 'claim', what: claim.message, said, claim }];
  });
}
