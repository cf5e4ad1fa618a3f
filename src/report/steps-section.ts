/** The steps of a run, each with all that is known of it folded below its line. */
import { type Html, html } from './html.js';
import { stepRow } from './step-row.js';
import { statusWord } from './texts.js';
import type { RunView, StepStatus, StepView } from './view.js';

export function stepsSection({ steps, isCut }: RunView): Html {
  const counts = new Map<StepStatus, number>();
  const count = (list: readonly StepView[]) => {
    for (const { status, steps: inner } of list) {
      if (inner.length === 0) counts.set(status, (counts.get(status) ?? 0) + 1);
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
