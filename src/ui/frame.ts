/** What surrounds each page: its head, the way around, what tells a browser how it is kept up to date. */

import { hashJson } from '../core/json.js';
import { plainText } from '../core/plain-text.js';
import { type Html, html, textOf } from '../report/html.js';
import type { Section } from '../report/page.js';

export interface Around {
  /** Where every address begins. */
  readonly room: string;
  readonly title: string;
  /** Where its events come from, as seen from the page, and of which state it is; undefined for a page that does not change. */
  readonly events?: { readonly address: string; readonly state: string };
  readonly sections?: readonly Section[];
}

/** What a page shows at one time. */
export interface Shown {
  /** Of the document. */
  readonly title: string;
  readonly sections: readonly Section[];
}

/** For the end of `<head>`: the style and the script that a report does not have. */
export function headOf({ room, events, sections = [] }: Omit<Around, 'title'>): Html {
  return html`<link rel="icon" href="data:,"><link rel="stylesheet" href="${room}ui.css">
${events !== undefined && html`<meta name="ui-events" content="${events.address}"><meta name="ui-state" content="${events.state}"><meta name="ui-sections" content="${hashesOf(sections)}">`}
<script src="${room}ui.js" defer></script>`;
}

/** The way to the other pages, and whether this one is up to date. */
export function bannerOf(room: string): Html {
  return html`<a class="ui-home" href="${room}"><span aria-hidden="true">‹</span> Runs</a><span id="ui-link" class="ui-link" role="status"></span>`;
}

/** A page of ours, whole: it looks as a report does. */
export function framed(around: Around, projects: string, body: Html): string {
  const { room, title } = around;
  const link = (address: string, name: string) =>
    html`<a href="${room}${address}"${title === name && html` aria-current="page"`}>${name}</a>`;
  return textOf(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>${documentTitle(title)}</title>
<link rel="stylesheet" href="${room}report.css">${headOf(around)}<script src="${room}report.js" defer></script></head>
<body><a class="skip" href="#ui-main">To the content</a>
<header class="bar-top"><div><a class="ui-home" href="${room}">pipeline</a><nav aria-label="Pages">${link('', 'Runs')}${link('start', 'Start a skill')}</nav>
<span id="ui-link" class="ui-link" role="status"></span><span class="ui-where" title="${plainText(projects)}">${plainText(projects)}</span><button type="button" id="theme" hidden><span>Theme: </span><b>auto</b></button></div></header>
<main id="ui-main">${body}</main></body></html>`);
}

export function documentTitle(title: string): string {
  return `${plainText(title)} · pipeline`;
}

/** What a page lacks of what it would show now. @param have `id=hash,…`, as its head said it */
export function newsOf({ title, sections }: Shown, have: string): object {
  const known = new Set(have.split(','));
  const all = sections.map((section) => ({ id: section.id, hash: hashOf(section), html: textOf(section.markup) }));
  return {
    title,
    order: all.map(({ id }) => id),
    titles: Object.fromEntries(sections.map((section) => [section.id, section.title])),
    changed: all.filter(({ id, hash }) => !known.has(`${id}=${hash}`)),
  };
}

function hashesOf(sections: readonly Section[]): string {
  return sections.map((section) => `${section.id}=${hashOf(section)}`).join(',');
}

function hashOf({ markup }: Section): string {
  return hashJson(textOf(markup)).slice(0, 12);
}
