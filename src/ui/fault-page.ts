/** The page that says what went wrong, with what to do about it. */
import type { FaultData } from '../core/faults.js';
import { plainText } from '../core/plain-text.js';
import { type Html, html } from '../report/html.js';

export function statusOfFault({ code }: FaultData): 403 | 404 | 409 | 422 | 500 {
  switch (code) {
    case 'input.unknown':
      return 404;
    case 'input.invalid':
    case 'config.invalid':
    case 'config.unsafe':
      return 422;
    case 'run.forbidden':
      return 403;
    case 'run.in_use':
      return 409;
    default:
      return 500;
  }
}

export function faultPage(title: string, { code, message, hint }: FaultData, room: string): Html {
  const said = code === 'internal.bug' ? `A bug of ours: ${message.split('\n')[0]}` : message;
  return html`<h1>${title}</h1><div class="ui-problems" role="alert"><p>${plainText(said)}</p>${hint !== undefined && html`<p>${plainText(hint)}</p>`}</div>
<p><a href="${room}">To the runs</a></p>`;
}
