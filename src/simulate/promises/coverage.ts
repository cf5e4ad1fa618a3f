/** What of a pipeline the simulated runs have come to: steps, both sides of conditions, loops, ends, failures, asserts. */
import type { Template } from '../../core/expression.js';
import type { Plan, Step } from '../../core/plan.js';
import { idsOf } from '../../core/step-path.js';
import type { SimulatedRun } from '../run-facts.js';
import { stepsByIds } from './steps-by-ids.js';

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
    const rounds = new Map<string, number>();
    for (const event of events) {
      if (!('path' in event)) continue;
      const ids = idsOf(event.path);
      const step = steps.get(ids);
      if (!step) continue;
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
          rounds.set(event.path, event.count);
          if (event.count === step.repeat?.max) hit(`${ids} reaches its ${step.repeat.max} rounds`);
          break;
        case 'step_done':
          if (rounds.has(event.path)) hit(`${ids} until: true`);
          break;
        case 'step_skipped':
          if (!event.reason.startsWith('blocked by') && !event.reason.startsWith('ended by')) hit(`${ids} when: false`);
          break;
        case 'step_failed':
          hit(`${ids} fails`);
          if (step.foreach && /\/\d+$/.test(event.path)) hit(`${ids} loses an item`);
          if (event.fault.code === 'step.assert') refusals(ids, step, [event.fault.message], hit);
          break;
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
  }
}

/** Which assert it was is told by its own words, as far as they are written and not computed. */
function refusals(ids: string, step: Step, texts: readonly string[], hit: (name: string) => void): void {
  for (const [at, { message }] of step.assert.entries()) {
    const words = wordsOf(message);
    if (words !== '' && texts.some((text) => text.includes(words))) hit(`${ids} assert ${at + 1} refuses`);
  }
}

/** What is written in a message, up to where the next part of it is computed; '' for one that begins with no words. */
export function wordsOf(message: Template | undefined): string {
  if (message?.type === 'literal') return String(message.value).trim();
  if (message?.type !== 'text') return '';
  return (message.parts.find((part): part is string => typeof part === 'string') ?? '').trim();
}

export function merge(into: Coverage, other: Iterable<readonly [string, number]>): void {
  for (const [name, count] of other) into.set(name, (into.get(name) ?? 0) + count);
}

/** What no run came to. */
export function neverIn(coverage: Coverage): string[] {
  return [...coverage].filter(([, count]) => count === 0).map(([name]) => name);
}
