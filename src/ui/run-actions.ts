/** What a person can do with a run on its page: answer its gates, go on with it, stop it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plainLines, plainText } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import { type OpenGate, openGates } from '../engine/open-gates.js';
import { readSteps, type StepRecord } from '../engine/read-steps.js';
import { runDirAt } from '../engine/run-dir.js';
import { canGoOn, type LiveStatus } from '../engine/run-status.js';
import { type Html, html } from '../report/html.js';
import { isHeld, type KnownRun } from './known-runs.js';
import { OWN_FILES } from './published.js';
import { LIVE } from './statuses.js';

/** Those that a person can still answer; of a journal that cannot be read none. */
export function gatesThatWait(dir: string): OpenGate[] {
  const isLive = isHeld(dir);
  return waitingAmong(dir, stepsOf(dir, isLive), isLive);
}

function waitingAmong(dir: string, steps: readonly StepRecord[], isLive: boolean): OpenGate[] {
  const gates = openGates(dir, steps, isLive);
  return gates.filter(({ status, answered }) => status !== 'ended' && status !== 'failed' && !answered);
}

function stepsOf(dir: string, isLive: boolean): StepRecord[] {
  try {
    return readSteps(runDirAt(dir).journal, isLive);
  } catch {
    return [];
  }
}

/** @param said what was done last, by a name of `SAID` */
export function actionsOf(known: KnownRun, formKey: string, said: string): Html {
  const { dir } = known;
  const isLive = isHeld(dir);
  const steps = stepsOf(dir, isLive);
  const gates = waitingAmong(dir, steps, isLive);
  return html`<div id="ui-actions" class="ui-actions">
<p class="ui-said" role="status" id="ui-said">${saidOf(said, known.status)}</p>
${gates.map((gate) => gateForm(gate, isLive, formKey))}
<div class="ui-row">${buttonsOf(known, formKey, gates.length)}${filesOf(dir, steps)}</div></div>`;
}

/** What was done last, as long as it still is so. */
const SAID: Readonly<Record<string, { readonly text: string; readonly holds: (status: LiveStatus) => boolean }>> = {
  started: {
    text: 'It was started, in a process of its own: it goes on when this page is closed, and when pipeline ui ends.',
    holds: (status) => status === LIVE,
  },
  stopped: { text: 'It was stopped: resume goes on with it.', holds: canGoOn },
  killed: { text: 'Its process was killed: resume goes on with the run.', holds: canGoOn },
  idle: { text: 'No process was at work on it.', holds: (status) => status !== LIVE },
  resumed: { text: 'It goes on, in a process of its own.', holds: (status) => status === LIVE },
  late: { text: 'It was told to go on; it has not begun yet.', holds: (status) => status !== LIVE },
  answered: { text: 'The answer was taken.', holds: () => true },
};

function saidOf(said: string, status: LiveStatus): string {
  const one = Object.hasOwn(SAID, said) ? SAID[said] : undefined;
  return one?.holds(status) ? one.text : '';
}

function gateForm({ path, question, isAsking }: OpenGate, isLive: boolean, formKey: string): Html {
  const { key, title, ask, choices, reject } = question;
  const id = `ui-gate-${key.slice(0, 16)}`;
  return html`<form id="${id}" class="ui-gate" method="post" action=".answer" aria-labelledby="${id}-title">
<h2 id="${id}-title">${plainText(title)}</h2>${title !== path && html`<p class="ui-small"><code>${path}</code></p>`}
<pre class="ui-ask" tabindex="0">${plainLines(ask)}</pre>
${NOT_BY_ENTER}<input type="hidden" name="key" value="${formKey}"><input type="hidden" name="step" value="${path}"><input type="hidden" name="question" value="${key}">
<label for="${id}-comment">Comment <span class="ui-small">may stay empty</span></label>
<input type="text" id="${id}-comment" name="comment" maxlength="2000" autocomplete="off">
<p class="ui-buttons">${choices.map((choice, at) => {
    const ends = reject.includes(choice);
    const look = ends ? 'ui-danger' : at === 0 ? 'ui-primary' : '';
    return html`<button type="submit" name="choice" value="${choice}" class="${look}"${ends && html` title="ends the run as refused"`}>${plainText(choice)}</button>`;
  })}</p><p class="ui-small">${whatFollows(isAsking, isLive)}</p></form>`;
}

/** The first button is what Enter presses: in a comment that may say the opposite, it presses none. */
const NOT_BY_ENTER = html`<button type="submit" disabled hidden></button>`;

function whatFollows(isAsking: boolean, isLive: boolean): string {
  if (isAsking) return 'The run asks at its terminal as well, and goes on with the first answer.';
  if (isLive) return 'Other steps are still at work: once they have ended, resume the run.';
  return 'The run goes on with the answer, once all that it asks is answered.';
}

function buttonsOf({ status }: KnownRun, formKey: string, waiting: number): Html | undefined {
  const button = (action: string, label: string, about: string, look: string) =>
    html`<form method="post" action="${action}"><input type="hidden" name="key" value="${formKey}"><button type="submit" class="${look}" title="${about}">${label}</button></form>`;
  if (status === LIVE) {
    return html`<div class="ui-buttons">${button('.stop', 'Stop', 'As Ctrl-C: what runs is ended, the state is written, the run can be resumed', '')}
${button('.kill', 'Stop at once', 'As Ctrl-C twice: waits for nothing, and kills in the end', 'ui-danger')}</div>`;
  }
  if (!canGoOn(status) || waiting > 0) return undefined;
  return html`<div class="ui-buttons">${button('.resume', 'Resume', 'Goes on with what is not finished, in a process of its own', 'ui-primary')}</div>`;
}

const MOST_FILES = 500;

/** To take along: a browser saves them, pictures it shows. */
function filesOf(dir: string, steps: readonly StepRecord[]): Html | undefined {
  const published = [...new Set(steps.flatMap(({ artifacts }) => artifacts.map(({ path }) => path)))].sort();
  const own = OWN_FILES.filter((name) => existsSync(join(dir, name)));
  const all = [...own, ...published];
  if (all.length === 0) return undefined;
  const more = all.length - MOST_FILES;
  const address = (path: string) => path.split('/').map(encodeURIComponent).join('/');
  return html`<details class="ui-files" id="ui-files"><summary>Save a file: ${counted(all.length, 'file')}</summary><ul>${all
    .slice(0, MOST_FILES)
    .map(
      (path) => html`<li><a href="${address(path)}">${plainText(path)}</a></li>`,
    )}${more > 0 && html`<li>… ${counted(more, 'more file')}, in the folder of the run</li>`}</ul></details>`;
}
