/** Tokens and cost by model and by step, as bars. */
import type { UsageTotal } from '../core/events.js';
import { idsOf } from '../core/step-path.js';
import { NO_USAGE, sumOfUsage } from '../core/usage.js';
import { costOfCalls, tokens, tokensBriefly } from '../core/words.js';
import { type Html, html } from './html.js';
import type { RunView, StepView } from './view.js';

const MOST_STEPS = 24;

export function usageSection({ models, steps, usage }: RunView): Html | undefined {
  if (usage.calls === 0 && usage.unknownCalls === 0) return undefined;
  const bySteps = stepUsage(steps);
  return html`<section id="usage" aria-labelledby="usage-h"><h2 id="usage-h">Usage</h2>
<div class="columns">${bars(
    'By model',
    'Model',
    models.map(({ label, usage: used }) => [label, used]),
  )}${bars('By step', 'Step', bySteps)}</div>
<p class="legend"><span><i class="swatch use-in"></i>input</span><span><i class="swatch use-cached"></i>of it from the cache</span><span><i class="swatch use-out"></i>output</span></p></section>`;
}

/** Items and rounds of one step together; what used most comes first. */
function stepUsage(steps: readonly StepView[]): [string, UsageTotal][] {
  const byIds = new Map<string, UsageTotal>();
  const add = (step: StepView) => {
    for (const inner of step.steps) add(inner);
    if (step.steps.length > 0) return;
    const ids = idsOf(step.path);
    byIds.set(ids, sumOfUsage(byIds.get(ids) ?? NO_USAGE, step.usage));
  };
  for (const step of steps) add(step);
  return [...byIds]
    .filter(([, { calls, unknownCalls }]) => calls + unknownCalls > 0)
    .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
}

function bars(caption: string, noun: string, rows: readonly (readonly [string, UsageTotal])[]): Html {
  const most = Math.max(1, ...rows.map(([, used]) => sizeOf(used)));
  const shown = rows.slice(0, MOST_STEPS);
  const more = rows.length - shown.length;
  return html`<table class="usage"><caption>${caption}</caption><thead><tr><th scope="col">${noun}</th><th scope="col"><span class="sr">Share</span></th><th scope="col" class="n">Calls</th><th scope="col" class="n">Tokens</th><th scope="col" class="n">Cost</th></tr></thead><tbody>${shown.map(
    ([name, used]) =>
      html`<tr><th scope="row">${name}</th><td>${bar(used, most)}</td><td class="n">${used.calls}</td><td class="n">${tokensBriefly(sizeOf(used), used).replace(/ tokens?$/, '')}</td><td class="n">${costOfCalls(used)}</td></tr>`,
  )}${more > 0 && html`<tr><th scope="row">${more} more</th><td></td><td></td><td></td><td></td></tr>`}</tbody></table>`;
}

function bar({ inputTokens, outputTokens, cachedTokens }: UsageTotal, most: number): Html {
  const share = (count: number) => `${Math.round((count / most) * 10_000) / 100}%`;
  const cached = Math.min(cachedTokens, inputTokens);
  return html`<svg class="use" width="100%" height="12" role="img" aria-label="${`${tokens(inputTokens)} in, ${tokens(cached)} of it cached, ${tokens(outputTokens)} out`}"><rect class="use-cached" x="0" width="${share(cached)}" height="12"/><rect class="use-in" x="${share(cached)}" width="${share(inputTokens - cached)}" height="12"/><rect class="use-out" x="${share(inputTokens)}" width="${share(outputTokens)}" height="12"/></svg>`;
}

function sizeOf({ inputTokens, outputTokens }: UsageTotal): number {
  return inputTokens + outputTokens;
}
