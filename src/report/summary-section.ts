/** What the run came to, at a glance: status, figures, result; what went wrong; what to do next. */

import { beginningOf } from '../core/excerpt.js';
import type { Json } from '../core/json.js';
import { costOfCalls, counted, duration, timeText, tokensOfCalls } from '../core/words.js';
import { anchorOf } from './anchors.js';
import { faultBox } from './fault-box.js';
import { type Html, html } from './html.js';
import { jsonTree, type LinkOf } from './json-tree.js';
import { preText, sizeText } from './texts.js';
import type { FileView, RunView, StepView } from './view.js';

const MOST_FAILED = 8;
const MOST_NOTE = 120;
const MOST_FILES = 12;
const MOST_RESULT = 8_000;

export function summarySection(view: RunView): Html {
  const { status, outcome, message, query, skill, isPlaceholder } = view;
  const said = outcome !== '' && outcome !== status && html` <span class="outcome">${outcome}</span>`;
  return html`<section id="summary" aria-labelledby="query"><p class="over"><span>${skill}</span><span class="chip ${status}">${status}</span>${said}</p>
<h1 id="query">${query === '' ? view.name : query}</h1>
${message !== '' && view.gates.length === 0 && status !== 'failed' && html`<p class="lead">${message}</p>`}
${isPlaceholder && html`<p class="banner">No language model was at work: the embedded <b>sketch</b> fills in forms, so every text is a <b>placeholder</b>, though each step, check and file is real. For a real model, set a key such as <code>OPENAI_API_KEY</code> or start a model server on this machine.</p>`}
${census(view)}${tiles(view)}${gates(view)}${failures(view)}${result(view)}${next(view)}</section>`;
}

/** One bar, cut by what became of the steps. */
function census({ census: { asked, done, failed, skipped, open, reused } }: RunView): Html {
  const parts: readonly (readonly [string, string, number])[] = [
    ['done', 'done', done - reused],
    ['reused', 'reused', reused],
    ['failed', 'failed', failed],
    ['running', 'open', open],
    ['skipped', 'skipped', skipped],
  ];
  let x = 0;
  const total = Math.max(1, asked);
  const shown = parts.filter(([, , count]) => count > 0);
  const rects = shown.map(([look, , count]) => {
    const width = (count / total) * 100;
    const rect = html`<rect class="${look}" x="${`${round(x)}%`}" width="${`${round(width)}%`}" height="8"/>`;
    x += width;
    return rect;
  });
  return html`<div class="census"><svg width="100%" height="8" aria-hidden="true">${rects}</svg><p>${counted(asked, 'step')}: ${shown.map(
    ([look, word, count], at) =>
      html`${at > 0 && ', '}<span class="c ${look}"><i class="swatch ${look}"></i>${count} ${word}</span>`,
  )}</p></div>`;
}

function tiles({ ms, usage, models, started, ended, timeline }: RunView): Html {
  const { calls } = usage;
  const cost = costOfCalls(usage);
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'Time',
      duration(ms),
      `${timeText(started)}${timeline.sessions.length > 1 ? `, ${timeline.sessions.length} sessions` : ended === undefined ? ', running' : ''}`,
    ],
    ...(calls + usage.unknownCalls === 0
      ? []
      : ([
          [
            'Tokens',
            tokensOfCalls(usage.inputTokens + usage.outputTokens, usage).replace(/^tokens (?=unknown)| tokens?$/, ''),
            counted(calls, 'model call'),
          ],
          [
            'Cost',
            cost,
            usage.unpricedCalls > 0 ? `${counted(usage.unpricedCalls, 'call')} without a known price` : '',
          ],
          [
            'Model',
            models[0]?.label ?? '',
            models.length > 1
              ? `and ${models
                  .slice(1)
                  .map(({ label }) => label)
                  .join(', ')}`
              : '',
          ],
        ] as const)),
  ];
  return html`<dl class="tiles">${rows.map(([label, value, more]) => html`<div><dt>${label}</dt><dd>${value}${more !== '' && html`<small>${more}</small>`}</dd></div>`)}</dl>`;
}

function gates({ gates: asked }: RunView): Html {
  return html`${asked.map(
    ({ path, question, choices, command, answered }) =>
      html`<div class="card asks"><h2>${answered === undefined ? 'Waits for an answer' : 'Answered'}</h2><p><a href="#${anchorOf('step', path)}">${path}</a>${choices.length > 0 && html` <small>choices: ${choices.join(', ')}</small>`}</p><pre class="bare said">${preText(question, 4_000)}</pre>${
        answered === undefined ? commandLine('Answer it', command) : html`<p>${answered}</p>`
      }</div>`,
  )}`;
}

/** The innermost steps that failed; else the fault of the run. What was at work when a person cancelled it has not failed. */
function failures({ steps, fault, status, exit }: RunView): Html {
  const isCancelled = status === 'cancelled';
  const failed = innermost(steps, (one) => one.status === 'failed' || (one.status === 'interrupted' && !isCancelled));
  if (isCancelled && failed.length === 0) return cancelled(steps, exit);
  if (failed.length === 0 && (!fault || status === 'done')) return html``;
  const [first, ...others] = failed;
  const shown = others.slice(0, MOST_FAILED);
  const more = others.length - shown.length;
  return html`<div class="card wrong"><h2>What went wrong</h2>${first ? one(first) : fault && faultBox(fault, undefined)}${
    others.length > 0 &&
    html`<p class="small">${counted(others.length, 'other step')} failed as well:</p><ul class="plain">${shown.map((step) => html`<li>${link(step)} <small>${beginningOf(step.note ?? '', MOST_NOTE)}</small></li>`)}${more > 0 && html`<li>… ${more} more: <a href="#steps">filter the steps</a> by “failed”</li>`}</ul>`
  }</div>`;
}

function cancelled(steps: readonly StepView[], exit: number | undefined): Html {
  const cut = innermost(steps, ({ status }) => status === 'interrupted' || status === 'stopped');
  const more = cut.length - MOST_FAILED;
  return html`<div class="card halted"><h2>Cancelled</h2><p>The run was told to stop${exit !== undefined && ` (exit ${exit})`}; nothing had failed.</p>${
    cut.length > 0 &&
    html`<p class="small">${counted(cut.length, 'step')} cut off at work:</p><ul class="plain">${cut.slice(0, MOST_FAILED).map((step) => html`<li>${link(step)}</li>`)}${more > 0 && html`<li>… ${more} more</li>`}</ul>`
  }</div>`;
}

/** Without others of the kind in them. */
function innermost(steps: readonly StepView[], isMeant: (step: StepView) => boolean): StepView[] {
  return steps.flatMap((step) => {
    const inner = innermost(step.steps, isMeant);
    return inner.length === 0 && isMeant(step) ? [step] : inner;
  });
}

function one(step: StepView): Html {
  const { fault, ways } = step.detail;
  const lastRound = step.detail.attempts.at(-1)?.rounds.at(-1);
  const words = lastRound?.text ?? '';
  return html`<p>${link(step)}</p>${fault ? faultBox(fault, ways) : html`<p>${step.note ?? 'its process ended before it did'}</p>`}${
    words !== '' &&
    html`<p class="small">The last words of its model:</p><pre class="bare said">${preText(words, 1_000)}</pre>`
  }`;
}

function link({ path }: StepView): Html {
  return html`<a href="#${anchorOf('step', path)}">${path}</a>`;
}

function result({ result: value, files }: RunView): Html {
  const paths = new Set(files.map(({ path }) => path));
  const isKnown = value !== undefined && value !== null && !isListOfFiles(value, paths);
  if (!isKnown && files.length === 0) return html``;
  const link: LinkOf = (text) => (paths.has(text) ? html`<a href="#${anchorOf('file', text)}">${text}</a>` : undefined);
  const named = new Set<string>();
  if (isKnown) collectTexts(value, named);
  const others = files.filter(({ path }) => !named.has(path)).sort(textsFirst);
  const shown = others.slice(0, MOST_FILES);
  return html`<div class="card"><h2>What came out</h2>${isKnown && resultView(value, link)}${
    shown.length > 0 &&
    html`<ul class="plain files">${shown.map(({ path, bytes }) => html`<li>${link(path)} <small>${sizeText(bytes)}</small></li>`)}${
      others.length > shown.length &&
      html`<li><a href="#files">${counted(others.length - shown.length, 'more file')}</a></li>`
    }</ul>`
  }</div>`;
}

/** Those that may be names of files. */
function collectTexts(value: Json, into: Set<string>): void {
  if (into.size > MOST_TEXTS) return;
  if (typeof value === 'string' && value.length < MOST_PATH) into.add(value);
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collectTexts(one, into);
}

const MOST_TEXTS = 2_000;
const MOST_PATH = 4_000;

/** What is written for people comes before what is written for programs. */
function textsFirst(a: FileView, b: FileView): number {
  const rank = ({ preview: { type } }: FileView) => (type === 'markdown' || type === 'image' ? 0 : 1);
  return rank(a) - rank(b);
}

function resultView(value: Json, link: LinkOf): Html {
  if (typeof value === 'string') return html`<pre class="bare said">${preText(value, MOST_RESULT)}</pre>`;
  return html`<div class="result">${jsonTree(value, 'fold-result', link)}</div>`;
}

/** What is listed below anyway. */
function isListOfFiles(value: Json, paths: ReadonlySet<string>): boolean {
  return Array.isArray(value) && value.every((one: Json) => typeof one === 'string' && paths.has(one));
}

function next({ commands: { resume, show } }: RunView): Html {
  return html`<div class="next">${resume !== undefined && commandLine('Go on with it', resume)}${commandLine('Look closer', show)}</div>`;
}

function commandLine(label: string, command: string): Html {
  return html`<p class="command"><span>${label}</span><code>${command}</code><button type="button" class="copy" hidden data-copy="${command}">Copy</button></p>`;
}

function round(share: number): number {
  return Math.round(share * 100) / 100;
}
