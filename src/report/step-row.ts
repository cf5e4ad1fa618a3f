/** One step: a line that unfolds to why it ran, what it was asked, what it said, what came of it. */
import type { Json } from '../core/json.js';
import { costOfCalls, counted, duration, tokensBriefly } from '../core/words.js';
import { anchorOf, foldOf } from './anchors.js';
import { roundsView } from './conversation-view.js';
import { faultBox } from './fault-box.js';
import { type Html, html } from './html.js';
import { jsonTree } from './json-tree.js';
import { excerptBox, mark, preText, sizeText, spokenName, statusWord } from './texts.js';
import type { StepStatus, StepView } from './view.js';

const MOST_NOTE = 160;
/** Characters: what is larger is not shown a second time as JSON. */
const MOST_JSON = 12_000;
/** Of the output of a step that is told in brief. */
const MOST_BRIEF = 400;

export function stepRow(step: StepView): Html {
  const { path, status, steps } = step;
  const anchor = anchorOf('step', path);
  const head = html`<summary>${lineOf(step)}</summary>`;
  if (status === 'open') return html`<div class="step open">${lineOf(step)}</div>`;
  return html`<details class="step${steps.length === 0 && ' leaf'}" id="${foldOf(anchor)}" data-status="${status}">${head}<div class="in" id="${anchor}" tabindex="-1">${step.detail.told === 'brief' ? briefBody(step) : bodyOf(step, anchor)}${
    steps.length > 0 && html`<div class="steps">${steps.map(stepRow)}</div>`
  }</div></details>`;
}

function lineOf(step: StepView): Html {
  const { title, kind, status, note, steps, counts } = step;
  const isNumbered = kind === 'item' || kind === 'round';
  return html`${mark(status)}<span class="name">${spokenName(step)}</span>${
    title !== undefined && html`<span class="title">${title}</span>`
  }${kind !== '' && !isNumbered && html`<span class="kind">${kind === 'steps' ? 'group' : kind}</span>`}${
    steps.length > 0
      ? html`<span class="counts">${countsText(counts)}</span>`
      : note !== undefined && html`<span class="note">${shortNote(note)}</span>`
  }<span class="figures">${figures(step).join(' · ')}</span>`;
}

function shortNote(note: string): string {
  return note.length <= MOST_NOTE ? note : `${note.slice(0, MOST_NOTE)}…`;
}

function countsText(counts: StepView['counts']): string {
  const entries = Object.entries(counts);
  return entries.map(([status, count]) => `${count} ${statusWord(status as StepStatus)}`).join(', ');
}

function figures({ status, ms, rounds, usage, attempts }: StepView): string[] {
  return [
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(rounds > 1 ? [counted(rounds, 'round')] : []),
    tokensBriefly(usage.inputTokens + usage.outputTokens, usage),
    usage.usd > 0 ? costOfCalls(usage) : '',
    ms === undefined || status === 'reused' || status === 'skipped' ? '' : duration(ms),
  ].filter((text) => text !== '');
}

function briefBody({ detail: { output, fault, folder = '' } }: StepView): Html {
  return html`${fault && html`<div class="fault"><p class="code">${fault.code}</p><pre class="bare">${preText(fault.message, MOST_BRIEF)}</pre></div>`}${
    output !== undefined &&
    output !== null &&
    output !== '' &&
    html`<pre class="bare">${preText(jsonLine(output), MOST_BRIEF)}</pre>`
  }<p class="foot">more in ${folder}/</p>`;
}

function jsonLine(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function bodyOf({ path, detail, models, steps }: StepView, anchor: string): Html {
  const { why, fault, ways, prompt, attempts, logs, output, largeOutput, files, folder, told } = detail;
  const earlier = attempts.slice(0, -1);
  const last = attempts.at(-1);
  const whyLines = (why?.lines ?? []).filter((line) => !isSaidByFault(line, fault));
  return html`${fault && faultBox(fault, ways)}${
    why &&
    part(
      'Why',
      html`<p class="why">${why.headline}</p>${whyLines.length > 0 && html`<pre class="bare">${whyLines.join('\n')}</pre>`}`,
    )
  }${
    prompt &&
    part(
      'Prompt',
      html`<details id="${foldOf(anchor)}-prompt"><summary>${firstWords(prompt.text)} <i>${sizeText(prompt.bytes)}</i></summary>${excerptBox(prompt, `prompt of ${path}`)}</details>`,
    )
  }${earlier.map((attempt) =>
    part(
      `Attempt ${attempt.number}`,
      html`<details id="${foldOf(anchor)}-a${attempt.number}"><summary>${attempt.status === 'done' ? 'done, and done again' : attempt.status} <i>${attempt.fault ? shortNote(attempt.fault.message) : ''}</i></summary>${
        attempt.fault && faultBox(attempt.fault, undefined)
      }${roundsView(attempt, `${anchor}-a${attempt.number}`, folder)}</details>`,
    ),
  )}${
    last &&
    last.rounds.length > 0 &&
    part(earlier.length > 0 ? `Rounds of attempt ${last.number}` : 'Rounds', roundsView(last, anchor, folder))
  }${logs.map((log) => part(log.file.endsWith('stderr.log') ? 'Standard error' : 'Standard output', excerptBox(log, `${log.file}`)))}${
    output !== undefined && output !== null && output !== '' && part('Output', outputView(output, anchor))
  }${largeOutput && part('Output', excerptBox(largeOutput, `output of ${path}`))}${
    files.length > 0 &&
    part(
      'Files',
      html`<ul class="plain">${files.map((file) => html`<li><a href="#${anchorOf('file', file)}">${file}</a></li>`)}</ul>`,
    )
  }${told === 'left out' && html`<p class="cut">What it was asked and said is left out, so that the report stays small: see <code>${folder ?? ''}/</code></p>`}${
    steps.length === 0 &&
    folder !== undefined &&
    html`<p class="foot">${models.length > 0 && html`<span>model <code>${models.join(', ')}</code></span>`}<span>folder <code>${folder}/</code></span></p>`
  }`;
}

/** The box of the fault says it, in full. */
function isSaidByFault(line: string, fault: StepView['detail']['fault']): boolean {
  return fault !== undefined && (line.startsWith(`${fault.code}: `) || line.startsWith('try  '));
}

function part(label: string, inner: Html): Html {
  return html`<div class="part"><h3>${label}</h3><div>${inner}</div></div>`;
}

/** Of a prompt: its first line that says something. */
function firstWords(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const words = line.replace(/^#+\s*/, '').trim();
  return words.length <= 90 ? words : `${words.slice(0, 90)}…`;
}

function outputView(output: NonNullable<StepView['detail']['output']>, anchor: string): Html {
  if (typeof output === 'string')
    return html`<pre tabindex="0" role="group" aria-label="output">${preText(output, MOST_JSON)}</pre>`;
  const json = JSON.stringify(output, null, 2);
  return html`${jsonTree(output, foldOf(`${anchor}-out`))}${
    json.length <= MOST_JSON &&
    html`<details id="${foldOf(anchor)}-json" class="quiet"><summary>as JSON</summary><pre tabindex="0" role="group" aria-label="output as JSON">${json}</pre></details>`
  }`;
}
