/** What a session did, held against the plan in its order: needs, fences, bounds, items, status. */
import type { Recorded } from '../../core/events.js';
import type { Json } from '../../core/json.js';
import type { StepPath } from '../../core/outcome.js';
import { type Plan, type Step, stepsByIds, stepsIn } from '../../core/plan.js';
import { blockerIn } from '../../core/reasons.js';
import { idsOf } from '../../core/step-path.js';
import type { Ended, SessionFacts } from '../run-facts.js';
import type { Say } from './broken.js';
import { isAccepted, isInChild } from './children.js';

type Standing = 'done' | 'skipped' | 'blocked' | 'failed' | 'ended' | 'open';

export function checkSession({ events, plan, end }: SessionFacts, number: number, say: Say): void {
  const steps = stepsByIds(plan);
  const standing = new Map<StepPath, Standing>();
  let ended: string | undefined;
  for (const event of events) {
    if ('fault' in event && event.fault?.code === 'internal.bug') say('bug', event.fault.message);
    if (!('path' in event)) continue;
    const { path } = event;
    const step = steps.get(idsOf(path));
    switch (event.type) {
      case 'step_started': {
        if (ended !== undefined) say('after', `"${path}" was started after "${ended}" had ended the run`);
        if (step) {
          checkNeeds(path, step, standing, plan, say);
          if (step.body.type === 'leaf' && event.attempt > step.retry.attempts) {
            say('bounds', `"${path}" was tried ${event.attempt} times; it may be ${step.retry.attempts}`);
          }
        }
        standing.set(path, 'open');
        for (const one of [...standing.keys()])
          if (event.key === '' && one.startsWith(`${path}/`)) standing.delete(one);
        break;
      }
      case 'loop':
        if (step?.foreach && event.of === 'items' && event.count > step.foreach.maxItems) {
          say('bounds', `"${path}" went over ${event.count} items; max_items is ${step.foreach.maxItems}`);
        }
        if (step?.repeat && event.of === 'rounds' && event.count > step.repeat.max) {
          say('bounds', `"${path}" began round ${event.count}; max is ${step.repeat.max}`);
        }
        break;
      case 'tool_started':
        if (ended !== undefined) say('after', `"${path}" called ${event.name} after "${ended}" had ended the run`);
        break;
      case 'step_done':
      case 'step_reused':
        standing.set(path, 'done');
        if (event.type === 'step_done' && step?.foreach && !/\/\d+$/.test(path))
          checkItems(path, step, event.output, events, say);
        break;
      case 'step_failed':
        standing.set(path, 'failed');
        break;
      case 'step_skipped':
        standing.set(path, blockerIn(event.reason) === undefined ? 'skipped' : 'blocked');
        break;
      case 'step_ended':
        standing.set(path, 'ended');
        if (!isInChild(path, plan)) ended = path;
        break;
      default:
        break;
    }
  }
  if (end.type === 'ended') checkStatus(end.report, plan, events, standing, number, say);
}

function checkNeeds(path: StepPath, step: Step, standing: ReadonlyMap<StepPath, Standing>, plan: Plan, say: Say): void {
  const steps = stepsByIds(plan);
  const ids = idsOf(path).replace(/[^/]+$/, '');
  const mayFail = (id: string) => steps.get(`${ids}${id}`)?.onError === 'continue';
  const home = path.replace(/(\/\d+)+$/, '').replace(/[^/]+$/, '');
  for (const fence of fencesBefore(step, steps.get(ids.slice(0, -1)), plan)) {
    const now = standing.get(`${home}${fence}`);
    if (now !== 'done' && now !== 'skipped') say('needs', `"${path}" was started before "${fence}" had let it`);
  }
  for (const id of step.after) {
    const need = standing.get(`${home}${id}`);
    const isFine = need === 'done' || need === 'skipped' || (need === 'failed' && mayFail(id));
    if (need === 'blocked')
      say('needs', `"${path}" was started although "${id}", which it needs, was blocked by a failure`);
    else if (!isFine)
      say('needs', `"${path}" was started although "${id}", which it needs, is ${need ?? 'not settled'}`);
  }
}

/** Gates and ends that stand above a step in its list: it waits for them, whatever it says of its needs. */
function fencesBefore(step: Step, around: Step | undefined, plan: Plan): string[] {
  const list = around ? stepsIn(around) : plan.steps;
  const above = list.slice(0, Math.max(0, list.indexOf(step)));
  return above.flatMap(({ id, body }) => (body.type === 'leaf' && body.kind.fence ? [id] : []));
}

function checkItems(path: StepPath, step: Step, output: Json, events: readonly Recorded[], say: Say): void {
  const loop = events.findLast((event) => event.type === 'loop' && event.path === path && event.of === 'items');
  if (loop?.type !== 'loop' || !Array.isArray(output)) return;
  const failed = new Set<StepPath>();
  for (const event of events) {
    if (!('path' in event) || !event.path.startsWith(`${path}/`)) continue;
    if (!/^\d+$/.test(event.path.slice(path.length + 1))) continue;
    if (event.type === 'step_failed') failed.add(event.path);
    if (event.type === 'step_done' || event.type === 'step_reused') failed.delete(event.path);
  }
  if (output.length + failed.size !== loop.count) {
    say(
      'done',
      `"${path}" has ${loop.count} items, of which ${output.length} are in its output and ${failed.size} failed`,
    );
  }
  const { minSuccess } = step.foreach ?? {};
  if (!minSuccess) return;
  const needed = 'count' in minSuccess ? minSuccess.count : Math.ceil(minSuccess.share * loop.count - 1e-9);
  if (output.length < needed)
    say('done', `"${path}" is done with ${output.length} items; min_success asks for ${needed}`);
}

function checkStatus(
  report: Ended,
  plan: Plan,
  events: readonly Recorded[],
  standing: ReadonlyMap<StepPath, Standing>,
  number: number,
  say: Say,
): void {
  const { status, census, fault } = report;
  const where = number === 0 ? '' : ` in session ${number + 1}`;
  if (status === 'done') {
    const failures = [...standing].flatMap(([path, now]) => (now === 'failed' ? [path] : []));
    const counting = failures.filter((path) => !isAccepted(path, plan));
    if (counting.length > 0) say('done', `the run is done${where}, and "${counting[0]}" failed in it`);
    if (census.failed > 0 && failures.length === counting.length && !plan.acceptPartial)
      say('done', `the run is done${where} with ${census.failed} failed steps`);
  }
  if (status === 'done' || status === 'partial') {
    const hasEnd = events.some((event) => event.type === 'step_ended' && !isInChild(event.path, plan));
    const left = hasEnd ? undefined : leftOpen(standing);
    if (left !== undefined) say('done', `the run is ${status}${where}, and "${left}" is not at its end`);
    for (const { id } of hasEnd ? [] : plan.steps) {
      const now = standing.get(id);
      if (now !== 'done' && now !== 'skipped' && now !== 'failed') {
        say('done', `the run is ${status}${where}, and "${id}" is ${now ?? 'never begun'}`);
      }
    }
  }
  if (status === 'refused' && !events.some((event) => event.type === 'step_ended')) {
    say('end', `the run is refused${where}, and no end and no gate said so`);
  }
  if (status === 'limit' && fault?.code !== 'run.limit' && fault?.code !== 'provider.exhausted') {
    say('end', `the run ended by a limit${where} with ${fault?.code}`);
  }
  const sum = census.done + census.failed + census.skipped + census.open;
  if (sum !== census.asked) say('end', `the census does not add up${where}: ${JSON.stringify(census)}`);
}

/** A step that was begun, and neither came to an end nor stands in something that failed. */
function leftOpen(standing: ReadonlyMap<StepPath, Standing>): StepPath | undefined {
  const isCut = (path: StepPath) =>
    [...standing].some(([around, now]) => (now === 'failed' || now === 'skipped') && path.startsWith(`${around}/`));
  return [...standing].find(([path, now]) => now === 'open' && !isCut(path))?.[0];
}
