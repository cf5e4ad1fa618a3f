/** What went wrong, with what to do. */
import type { FaultData } from '../core/faults.js';
import { type Html, html } from './html.js';
import type { StepDetail } from './view.js';

export function faultBox({ code, message, hint, stderr }: FaultData, ways: StepDetail['ways']): Html {
  return html`<div class="fault"><p class="code">${code}</p><pre class="bare">${message}</pre>${
    hint !== undefined && html`<p class="hint"><b>Try</b> ${hint}</p>`
  }${ways && html`<p class="hint"><b>Go on in the same conversation</b> <code>${ways.goOn}</code></p><p class="hint"><b>Begin anew</b> <code>${ways.anew}</code></p>`}${
    stderr !== undefined &&
    stderr !== '' &&
    !message.includes(stderr) &&
    html`<pre tabindex="0" role="group" aria-label="end of standard error">${stderr}</pre>`
  }</div>`;
}
