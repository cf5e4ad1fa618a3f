/** The list of runs: what is asked for by status, skill or text, those with the newest activity first. */

import { cutTo } from '../core/columns.js';
import type { Census } from '../core/events.js';
import { plainText } from '../core/plain-text.js';
import { costOfCalls, counted, duration, tokensBriefly } from '../core/words.js';
import { activityOf } from '../engine/run-file.js';
import type { LiveStatus } from '../engine/run-status.js';
import { type Html, html } from '../report/html.js';
import type { Section } from '../report/page.js';
import type { Figures } from './figures.js';
import type { KnownRun, UiProject } from './known-runs.js';
import { LIVE, STATUSES } from './statuses.js';

export interface Filter {
  readonly status: string;
  readonly skill: string;
  readonly text: string;
  /** From 1. */
  readonly page: number;
}

export interface Listed {
  readonly projects: readonly UiProject[];
  readonly runs: readonly KnownRun[];
  figuresOf(known: KnownRun): Figures;
}

const RUNS_A_PAGE = 100;

/** Anything may stand in an address. */
export function filterOf(query: URLSearchParams): Filter {
  const page = Number(query.get('page') ?? 1);
  return {
    status: query.get('status') ?? '',
    skill: query.get('skill') ?? '',
    text: (query.get('q') ?? '').slice(0, 200),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

export function listSections(listed: Listed, filter: Filter): Section[] {
  return [
    { id: 'ui-count', title: 'Count', markup: countOf(listed, filter) },
    { id: 'ui-runs', title: 'Runs', markup: tableOf(listed, filter) },
  ];
}

/** Not exchanged while somebody types into it. */
export function filterForm({ runs }: Listed, { status, skill, text }: Filter): Html {
  const skills = [...new Set(runs.map((one) => one.skill))].sort();
  const option = (value: string, chosen: string) =>
    html`<option${value === chosen && html` selected`}>${plainText(value)}</option>`;
  return html`<form class="ui-filter" role="search" aria-label="Filter of the runs" method="get" data-filter>
<label>Text <input type="search" name="q" value="${text}" placeholder="query, skill or name" autocomplete="off" spellcheck="false"></label>
<label>Skill <select name="skill"><option value="">all</option>${skills.map((one) => option(one, skill))}</select></label>
<label>Status <select name="status"><option value="">all</option>${STATUSES.map((one) => option(one, status))}</select></label>
<button type="submit">Filter</button>
</form>`;
}

function countOf({ runs }: Listed, filter: Filter): Html {
  const found = matching(runs, filter).length;
  const live = runs.filter(({ status }) => status === LIVE).length;
  const waiting = runs.filter(({ status }) => status === 'waiting').length;
  const parts = [
    found === runs.length ? counted(found, 'run') : `${found} of ${counted(runs.length, 'run')}`,
    ...(live > 0 ? [`${live} at work`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  return html`<p id="ui-count" class="ui-count" role="status">${parts.join(', ')}</p>`;
}

function tableOf(listed: Listed, filter: Filter): Html {
  const { runs } = listed;
  const found = matching(runs, filter);
  if (runs.length === 0) {
    return html`<div id="ui-runs" class="ui-empty"><p>There are no runs yet.</p><p><a class="ui-button" href="start">Start a skill</a></p></div>`;
  }
  if (found.length === 0) {
    return html`<div id="ui-runs" class="ui-empty"><p>No run is like that.</p><p><a href="./">Show all</a></p></div>`;
  }
  const pages = Math.ceil(found.length / RUNS_A_PAGE);
  const page = Math.min(filter.page, pages);
  const shown = found.slice((page - 1) * RUNS_A_PAGE, page * RUNS_A_PAGE);
  return html`<div id="ui-runs"><table class="ui-runs">
<thead><tr><th scope="col">Status</th><th scope="col">Run</th><th scope="col">Steps</th><th scope="col">Tokens</th><th scope="col">Cost</th><th scope="col">Time</th><th scope="col">When, UTC</th></tr></thead>
<tbody>${shown.map((one) => rowOf(one, listed))}</tbody></table>${pages > 1 && pagesOf(page, pages, filter)}</div>`;
}

function rowOf(known: KnownRun, { projects, figuresOf }: Listed): Html {
  const { run, skill, slug, status, project } = known;
  const { usage, census, ms, since } = figuresOf(known);
  const at = activityOf(run);
  const name = plainText(`${skill}/${slug}`);
  return html`<tr id="${rowId(known)}" class="ui-run" data-status="${status}">
<td>${statusMark(status)}</td>
<th scope="row"><a href="${addressOf(known)}">${name}</a><span class="ui-query">${cutTo(plainText(run.query), MOST_COLUMNS)}</span>${
    projects.length > 1 && html`<span class="ui-project">${plainText(projects[project]?.name ?? '')}</span>`
  }</th>
<td data-label="steps">${census ? stepsOf(census) : ''}</td>
<td data-label="tokens">${usage ? tokensBriefly(usage.inputTokens + usage.outputTokens, usage).replace(/ tokens?$/, '') : ''}</td>
<td data-label="cost">${usage ? costOfCalls(usage) : ''}</td>
<td data-label="time">${timeOf(status, since, ms)}</td>
<td data-label="when"><time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></td></tr>`;
}

/** A browser goes on counting. */
function timeOf(status: LiveStatus, since: string, ms: number | undefined): Html | string {
  if (status !== LIVE) return ms === undefined ? '' : duration(ms);
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 1_000));
  return html`<time data-since="${since}">${duration(seconds * 1_000)}</time>`;
}

/** `12 of 14`, `3 of 14, 1 failed`. */
function stepsOf({ asked, done, failed }: Census): string {
  const share = done === asked ? String(asked) : `${done} of ${asked}`;
  return failed > 0 ? `${share}, ${failed} failed` : share;
}

function statusMark(status: LiveStatus): Html {
  return html`<span class="chip ${status}">${status === LIVE ? 'live' : status}</span>`;
}

/** Relative to the room. */
export function addressOf({ project, skill, slug }: KnownRun): string {
  return `runs/${project}/${encodeURIComponent(skill)}/${encodeURIComponent(slug)}/`;
}

/** Ids hold no spaces. */
function rowId({ project, skill, slug }: KnownRun): string {
  return `run-${project}-${encodeURIComponent(skill)}-${encodeURIComponent(slug)}`;
}

function matching(runs: readonly KnownRun[], { status, skill, text }: Filter): KnownRun[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((one) => {
    if (status !== '' && one.status !== status) return false;
    if (skill !== '' && one.skill !== skill) return false;
    const among = `${one.skill}/${one.slug} ${one.run.query} ${one.run.run}`.toLowerCase();
    return words.every((word) => among.includes(word));
  });
}

function pagesOf(page: number, pages: number, { status, skill, text }: Filter): Html {
  const to = (number: number) => {
    const query = new URLSearchParams({ q: text, skill, status, page: String(number) });
    return `?${query}`;
  };
  return html`<nav class="ui-pages" aria-label="Pages of the list">${page > 1 && html`<a rel="prev" href="${to(page - 1)}">Newer</a>`}
<span>page ${page} of ${pages}</span>${page < pages && html`<a rel="next" href="${to(page + 1)}">Older</a>`}</nav>`;
}

/** Of a text among others; in columns of a terminal, so that wide letters count as two. */
const MOST_COLUMNS = 200;
