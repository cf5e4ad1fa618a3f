/** Whether a sub-agent said that the query is none that the skill is for. */
import type { Stop } from './stops.js';

/** @param answer of a sub-agent: JSON `{"ood": true, "reason": "…"}`, whatever else it holds */
export function outOfDistribution(answer: string): Stop | undefined {
  try {
    const value = JSON.parse(answer) as { readonly ood?: unknown; readonly reason?: unknown } | null;
    if (value?.ood !== true) return undefined;
    const message = typeof value.reason === 'string' ? value.reason : 'the query is none that this skill is for';
    return { status: 'refused', outcome: 'out_of_distribution', message };
  } catch {
    return undefined;
  }
}
