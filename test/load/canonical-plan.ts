/** A plan as canonical JSON, so that two plans can be compared: without the places where its parts were written. */
import { canonicalJson, type Json } from '../../src/core/json.js';
import type { Plan } from '../../src/core/plan.js';

export function canonicalPlan(plan: Plan): string {
  return canonicalJson(plain(plan) as Json);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('ast' in value && 'source' in value) return { expression: value.source };
  if ('inspect' in value && 'name' in value) return { kind: value.name };
  const entries = Object.entries(value).filter(([key, one]) => key !== 'at' && typeof one !== 'function');
  return Object.fromEntries(entries.map(([key, one]) => [key, plain(one)]));
}
