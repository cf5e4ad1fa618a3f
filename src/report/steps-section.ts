/** The steps of a run, each with all that is known of it folded below its line. */
import { counted } from '../core/words.js';
import { type Html, html } from './html.js';
import { stepRow } from './step-row.js';
import { statusWord } from './texts.js';
import type { RunView, StepStatus, StepView } from './view.js';

export function stepsSection({ steps, isCut, commands }: RunView): Html {
  const counts = new Map<StepStatus, number>();
  let briefs = 0;
  const count = (list: readonly StepView[]) => {
    for (const { status, steps: inner, detail } of list) {
      if (inner.length === 0) counts.set(status, (counts.get(status) ?? 0) + 1);
      if (detail.told === 'brief') briefs++;
      count(inner);
    }
  };
  count(steps);
  const filters = FILTERS.flatMap((status) => {
    const number = counts.get(status);
    return number === undefined ? [] : [[status, number] as const];
  }).map(
    ([status, number]) =>
      html`<button type="button" class="filter ${status}" data-status="${status}" aria-pressed="false">${statusWord(status)} <b>${number}</b></button>`,
  );
  return html`<section id="steps" aria-labelledby="steps-h"><h2 id="steps-h">Steps</h2>
<div class="tools" hidden role="group" aria-label="Find steps"><input id="find" type="search" placeholder="Search names, prompts, answers…" aria-label="Search the steps" aria-keyshortcuts="/">
${filters.length > 1 && filters}<button type="button" id="unfold">Unfold all</button><output id="found" aria-live="polite"></output></div>
${briefs > 0 && html`<p class="cut">Of ${counted(briefs, 'step')} like many others only the outcome is here; <code>${commands.show} …</code> with its path says more of each.</p>`}
${isCut && html`<p class="cut">Not all that the steps left is shown here, so that the report stays small. The rest is in their folders below <code>.steps/</code>.</p>`}
<div class="steps">${steps.map((step) => stepRow(step))}</div></section>`;
}

/** What a person looks for comes first. */
const FILTERS: readonly StepStatus[] = [
  'failed',
  'interrupted',
  'waiting',
  'running',
  'stopped',
  'ended',
  'done',
  'reused',
  'skipped',
  'open',
];
