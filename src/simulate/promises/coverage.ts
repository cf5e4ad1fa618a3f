/** What of a pipeline the simulated runs have come to: steps, both sides of conditions, loops, ends, failures, asserts. */
import type { Recorded } from '../../core/events.js';
import type { StepPath } from '../../core/outcome.js';
import { type Plan, type Step, stepsByIds } from '../../core/plan.js';
import { idsOf, numbersAtEnd } from '../../core/step-path.js';
import type { SimulatedRun } from '../run-facts.js';
import { writtenWords } from '../values/written-words.js';

/** Names of what there is to come to, with how often it was. */
export type Coverage = Map<string, number>;

export function coverageOf(plan: Plan): Coverage {
  const coverage: Coverage = new Map();
  for (const [ids, step] of stepsByIds(plan)) for (const name of namesOf(ids, step)) coverage.set(name, 0);
  return coverage;
}

function namesOf(ids: string, step: Step): string[] {
  const names = [`${ids} runs`];
  if (step.when) names.push(`${ids} when: true`, `${ids} when: false`);
  if (step.repeat) {
    names.push(`${ids} until: true`, `${ids} until: false`);
    names.push(`${ids} reaches its ${step.repeat.max} rounds`);
  }
  if (step.foreach) names.push(`${ids} loses an item`);
  if (step.body.type === 'leaf' && step.body.kind.name === 'end') return names;
  const isGate = step.body.type === 'leaf' && step.body.kind.name === 'gate';
  const isSet = step.body.type === 'leaf' && step.body.kind.name === 'set';
  if (!isGate && !isSet) names.push(`${ids} fails`);
  if (isGate) names.push(`${ids} is refused`);
  for (const [at] of step.assert.entries()) names.push(`${ids} assert ${at + 1} refuses`);
  return names;
}

export function cover(coverage: Coverage, { sessions }: SimulatedRun): void {
  const hit = (name: string) => {
    const count = coverage.get(name);
    if (count !== undefined) coverage.set(name, count + 1);
  };
  for (const { events, plan } of sessions) {
    const steps = stepsByIds(plan);
    const loops = new Map<StepPath, 'under way' | 'accepted'>();
    for (const event of events) {
      if (!('path' in event)) continue;
      const ids = idsOf(event.path);
      const step = steps.get(ids);
      if (step) coverEvent(event, ids, step, loops, hit);
    }
  }
}

type OfStep = Extract<Recorded, { readonly path: StepPath }>;

/** @param loops repeats of the session, by path: one that was accepted at its max is done without its `until` */
function coverEvent(
  event: OfStep,
  ids: string,
  step: Step,
  loops: Map<StepPath, 'under way' | 'accepted'>,
  hit: (name: string) => void,
): void {
  switch (event.type) {
    case 'step_started':
    case 'step_reused':
      hit(`${ids} runs`);
      hit(`${ids} when: true`);
      break;
    case 'loop':
      hit(`${ids} runs`);
      hit(`${ids} when: true`);
      if (event.of !== 'rounds') break;
      if (event.count > 1) hit(`${ids} until: false`);
      loops.set(event.path, 'under way');
      if (event.count === step.repeat?.max) hit(`${ids} reaches its ${step.repeat.max} rounds`);
      break;
    case 'step_notice':
      if (event.accepted !== true) break;
      loops.set(event.path, 'accepted');
      hit(`${ids} until: false`);
      break;
    case 'step_done':
      if (loops.get(event.path) === 'under way') hit(`${ids} until: true`);
      break;
    case 'step_skipped':
      if (!event.reason.startsWith('blocked by') && !event.reason.startsWith('ended by')) hit(`${ids} when: false`);
      break;
    case 'step_failed': {
      const numbers = numbersAtEnd(event.path);
      if (numbers.length === 0) hit(`${ids} fails`);
      if (step.foreach && numbers.length === 1) hit(`${ids} loses an item`);
      if (event.fault.code === 'step.repeat_max' && loops.has(event.path)) hit(`${ids} until: false`);
      if (event.fault.code === 'step.assert') refusals(ids, step, [event.fault.message], hit);
      break;
    }
    case 'answer_refused':
      refusals(ids, step, event.problems, hit);
      break;
    case 'step_ended':
      hit(`${ids} runs`);
      hit(`${ids} is refused`);
      break;
    default:
      break;
  }
}

/** Which assert it was is told by its own words, as far as they are written and not computed. */
function refusals(ids: string, step: Step, texts: readonly string[], hit: (name: string) => void): void {
  for (const [at, { message }] of step.assert.entries()) {
    const words = writtenWords(message);
    if (words !== '' && texts.some((text) => text.includes(words))) hit(`${ids} assert ${at + 1} refuses`);
  }
}

export function merge(into: Coverage, other: Iterable<readonly [string, number]>): void {
  for (const [name, count] of other) into.set(name, (into.get(name) ?? 0) + count);
}

/** What no run came to. */
export function neverIn(coverage: Coverage): string[] {
  return [...coverage].filter(([, count]) => count === 0).map(([name]) => name);
}
