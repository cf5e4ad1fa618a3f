/** The rounds of an agent: what it said, what it called with which arguments, what it was told. */
import { duration, tokenCount } from '../core/words.js';
import { foldOf } from './anchors.js';
import { type Html, html } from './html.js';
import type { AttemptView, CallView, RoundView } from './view.js';

/** Longer arguments and results begin folded. */
const SHORT = 400;

export function roundsView({ rounds, moreRounds }: AttemptView, anchor: string, folder: string | undefined): Html {
  return html`${moreRounds > 0 && html`<p class="cut">${moreRounds} earlier rounds are in <code>${folder ?? ''}/transcript.ndjson</code></p>`}<ol class="rounds" start="${rounds[0]?.number ?? 1}">${rounds.map(
    (round) => roundView(round, foldOf(`${anchor}-r${round.number}`)),
  )}</ol>`;
}

function roundView({ number, told, reasoning, text, calls, usage, ms }: RoundView, id: string): Html {
  const figures = [
    ...(usage ? [tokenCount(usage.inputTokens + usage.outputTokens)] : []),
    ...(ms === undefined ? [] : [duration(ms)]),
  ].join(' · ');
  return html`<li value="${number}">${told.map((one) => html`<div class="told"><b>runner</b><pre class="bare">${one}</pre></div>`)}${
    reasoning !== '' &&
    html`<details id="${id}-why" class="quiet"><summary>reasoning</summary><pre class="bare">${reasoning}</pre></details>`
  }${text !== '' && html`<pre class="bare said">${text}</pre>`}${calls.map((call, at) => callView(call, `${id}-${at}`))}${
    figures !== '' && html`<p class="small">${figures}</p>`
  }</li>`;
}

function callView({ name, arguments: given, result }: CallView, id: string): Html {
  const shown = readable(given);
  return html`<div class="call${result?.isError === true && ' bad'}"><p><b>${name}</b>${result?.isError === true && html` <i>error</i>`}</p>${block('arguments', shown, `${id}-in`)}${
    result && result.text !== '' && block('result', result.text, `${id}-out`)
  }</div>`;
}

function block(label: string, text: string, id: string): Html {
  if (text.length <= SHORT && text.split('\n').length <= 8) return html`<pre class="bare">${text}</pre>`;
  const first = text.replace(/\s+/g, ' ').slice(0, 80);
  return html`<details id="${id}" class="quiet"><summary>${label} <code>${first}…</code></summary><pre tabindex="0" role="group" aria-label="${label}">${text}</pre></details>`;
}

/** What is JSON, with its lines broken where it is long. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, text.length > 80 ? 2 : 0);
  } catch {
    return text;
  }
}
