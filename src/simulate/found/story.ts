/** What happened in a run that broke something, in a sentence: what was out of the ordinary, in the order in which it happened. */
import type { Recorded } from '../../core/events.js';
import { beginningOf } from '../../core/excerpt.js';
import type { Template } from '../../core/expression.js';
import { gateOffer } from '../../core/gate.js';
import { isObject } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import { kindOf, type Plan, stepsByIds } from '../../core/plan.js';
import { blockerIn } from '../../core/reasons.js';
import { idsOf } from '../../core/step-path.js';
import { PLAIN_USAGE } from '../adversary/model-usage.js';
import type { Taken } from '../choices/choices.js';
import type { Act, SessionFacts, SimulatedRun } from '../run-facts.js';

/** Of an answer. */
const WIDEST = 100;

/** @param taken the fewest choices that break it: what the answers were that they are about, and the query, is told too */
export function storyOf({ sessions, acts, query }: SimulatedRun, taken: Taken = new Map()): string {
  const facts: string[] = [];
  const add = (...more: readonly string[]) => {
    for (const fact of more) if (!facts.includes(fact)) facts.push(fact);
  };
  if (taken.has('query')) add(`the query was ${JSON.stringify(query)}`);
  const cuts = new Set<string>();
  for (const [number, session] of sessions.entries()) {
    const before = sessions[number - 1];
    const again = before && goingOn(session, before);
    if (again !== undefined && again !== facts.at(-1)) facts.push(again);
    const isHanging = (act: Act) => act.of === 'process' && act.session === number && act.hangs;
    const hanging = new Set(acts.flatMap((act) => (isHanging(act) ? [act.path] : [])));
    const { events, end } = session;
    for (const [at, event] of events.entries()) {
      const isCutOff = 'path' in event && ('fault' in event || event.type === 'step_waiting');
      if (isCutOff && hanging.delete(event.path)) add(neverEnded(event.path));
      add(...factsOf(event, at, session, taken));
    }
    add(...[...hanging].map(neverEnded));
    if (session.isDiskFailed) facts.push('the disk refused a write');
    if (end.type === 'killed') facts.push(cut(end.at, session.isPowerLost, cuts));
    if (end.type === 'hung') add('nothing went on any more');
    if (end.type === 'thrown') add('the program failed');
  }
  const last = sessions.at(-1)?.end;
  if (last?.type === 'ended') add(`the run came to its end as ${last.report.status}`);
  const sentence = facts.length === 0 ? 'nothing out of the ordinary happened' : facts.join(', then ');
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`;
}

function neverEnded(path: StepPath): string {
  return `the process of "${path}" never ended`;
}

function goingOn({ plan, retriesUnknown }: SessionFacts, before: SessionFacts): string {
  const said = retriesUnknown ? ', by a person who said that effects may be repeated' : '';
  return `the run was resumed${said}${plan === before.plan ? '' : ', with another version of the file'}`;
}

/** @param cuts what has been cut off before, and how */
function cut(at: number, isPowerLost: boolean, cuts: Set<string>): string {
  const what = isPowerLost ? 'the power failed' : 'the process was killed';
  const again = cuts.has(what) ? ' again' : '';
  cuts.add(what);
  return `${what}${again} at its operation ${at}`;
}

function factsOf(event: Recorded, at: number, { events, plan }: SessionFacts, taken: Taken): string[] {
  switch (event.type) {
    case 'step_failed':
      if (event.fault.code === 'run.limit') return [limitFact(event.fault.message, events.slice(0, at))];
      return [`"${event.path}" failed (${event.fault.code})`];
    case 'step_retry':
      return [`"${event.path}" was tried again (${event.fault.code})`];
    case 'call_retry':
      return [`a call of the model for "${event.path}" was tried again (${event.fault.code})`];
    case 'fallback':
      return [`another model took over for "${event.path}"`];
    case 'answer_refused':
      return [`an answer of "${event.path}" was sent back`];
    case 'step_notice':
      return event.accepted ? [`"${event.path}" was ${event.text}`] : [];
    case 'loop':
      return event.of === 'items' && event.count === 0 ? [`"${event.path}" went over no items`] : [];
    case 'step_skipped':
      return blockedFact(event, events);
    case 'step_waiting':
      return [`"${event.path}" waited for a person`];
    case 'step_done':
      return isGate(event.path, plan)
        ? gateFact(event.path, event.output, plan)
        : answerFact(event, events.slice(0, at), taken);
    case 'step_ended':
      return isGate(event.path, plan)
        ? [`"${event.path}" was answered "${event.outcome}"`, `it ended the run as ${event.as}`]
        : [`"${event.path}" ended the run as ${event.as}`];
    case 'step_stopped':
    case 'run_ended':
      return event.fault?.code === 'run.limit' ? [limitFact(event.fault.message, events.slice(0, at))] : [];
    default:
      return [];
  }
}

function isGate(path: StepPath, plan: Plan): boolean {
  const step = stepsByIds(plan).get(idsOf(path));
  return step !== undefined && kindOf(step) === 'gate';
}

/** Nothing of the plain answer: the first of the choices, by a person. */
function gateFact(path: StepPath, output: unknown, plan: Plan): string[] {
  if (!isObject(output)) return [];
  const { choice, by } = output;
  if (by === 'on_no_tty') return [`nobody was at "${path}", and "${choice}" was taken`];
  const body = stepsByIds(plan).get(idsOf(path))?.body;
  const [first] = body?.type === 'leaf' ? offeredBy(body.config) : [];
  return choice === first ? [] : [`"${path}" was answered "${choice}"`];
}

/** None where they are computed. */
function offeredBy(config: Template): readonly string[] {
  if (config.type === 'literal') return gateOffer(config.value).choices;
  const written = config.type === 'map' ? config.entries.find(([key]) => key === 'choices')?.[1] : undefined;
  if (!written) return gateOffer({}).choices;
  return written.type === 'literal' ? gateOffer({ choices: written.value }).choices : [];
}

/** Of a step whose answer was chosen, and not the plainest one: what it was, and what it used where that is not plain. */
function answerFact(
  { path, output, key }: Recorded & { readonly type: 'step_done' },
  events: readonly Recorded[],
  taken: Taken,
): string[] {
  const isChosen = [...taken.keys()].some(
    (place) => place.startsWith(path) && /^[@#]\d/.test(place.slice(path.length)),
  );
  if (key === '' || !isChosen) return [];
  const odd = events.flatMap((event) =>
    event.type === 'round' && event.path === path && event.usage?.inputTokens !== PLAIN_USAGE.inputTokens
      ? [tokensOf(event)]
      : [],
  );
  const used = odd.length === 0 ? '' : ` with ${odd.reduce((sum, tokens) => sum + tokens, 0)} tokens`;
  return [`"${path}" gave ${beginningOf(JSON.stringify(output), WIDEST)}${used}`];
}

/** Of several steps that the same failure blocks one fact, where the first of them stands. */
function blockedFact({ path, reason }: Recorded & { readonly type: 'step_skipped' }, events: readonly Recorded[]) {
  const by = blockerIn(reason);
  if (by === undefined) return [];
  const paths = events.flatMap((one) => (one.type === 'step_skipped' && one.reason === reason ? [one.path] : []));
  if (paths[0] !== path) return [];
  const [named, more] = paths.length > 3 ? [paths.slice(0, 2), paths.length - 2] : [paths, 0];
  const all = [...named.map((one) => `"${one}"`), ...(more > 0 ? [`${more} more`] : [])];
  const last = all.pop();
  return [all.length === 0 ? `${last} was ${reason}` : `${all.join(', ')} and ${last} were ${reason}`];
}

/** With the step that has used the most. */
function limitFact(message: string, events: readonly Recorded[]): string {
  const used = new Map<StepPath, number>();
  for (const event of events) {
    if (event.type !== 'round' && event.type !== 'call_lost' && event.type !== 'call_retry') continue;
    used.set(event.path, (used.get(event.path) ?? 0) + tokensOf(event));
  }
  const [most] = [...used].sort(([, one], [, other]) => other - one);
  return most && most[1] > 0 ? `${message} ("${most[0]}" used ${most[1]} tokens)` : message;
}

function tokensOf(event: Recorded & { readonly type: 'round' | 'call_lost' | 'call_retry' }): number {
  const usage = 'usage' in event ? event.usage : undefined;
  return usage ? usage.inputTokens + usage.outputTokens : (event.estimatedTokens ?? 0);
}
