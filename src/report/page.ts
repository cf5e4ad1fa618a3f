/** A run as one HTML document that refers to nothing outside itself. */
import { createHash } from 'node:crypto';
import { oneLine } from '../core/plain-text.js';
import { factsSection } from './facts-section.js';
import { filesSection } from './files-section.js';
import { graphSection } from './graph-section.js';
import { type Html, html, literal, textOf } from './html.js';
import { SCRIPT } from './script.js';
import { stepsSection } from './steps-section.js';
import { STYLE } from './style.js';
import { summarySection } from './summary-section.js';
import { timelineSection } from './timeline-section.js';
import { usageSection } from './usage-section.js';
import type { RunView } from './view.js';

/** What surrounds the same page elsewhere: `pipeline ui` serves it live. */
export interface PageOptions {
  /** At the end of `<head>`. */
  readonly head?: (sections: readonly Section[]) => Html;
  /** The first thing in the bar at the top: the way to other runs. */
  readonly banner?: Html;
  /** Above the sections: what a person can do with the run here. */
  readonly actions?: Html;
  /** False for a page that is served, and says its policy in a header. */
  readonly policy?: false;
}

/**
 * A part of the page that stands for itself. Its markup is one element with this id, so that a live page can exchange what has changed.
 * Each `<details>` in it has an id of its own, by which it is opened again. After an exchange, `pipeline:changed` is sent to the root element.
 */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly markup: Html;
}

/** In their order on the page. */
export async function sectionsOf(view: RunView): Promise<readonly Section[]> {
  const all: readonly (readonly [string, string, Html | undefined])[] = [
    ['summary', 'Summary', summarySection(view)],
    ['graph', 'Graph', graphSection(view)],
    ['timeline', 'Timeline', timelineSection(view)],
    ['steps', 'Steps', stepsSection(view)],
    ['files', 'Files', await filesSection(view)],
    ['usage', 'Usage', usageSection(view)],
    ['facts', 'Inputs', factsSection(view)],
  ];
  return all.flatMap(([id, title, markup]) => (markup ? [{ id, title, markup }] : []));
}

/** The document, from the doctype on. */
export async function reportPage(view: RunView, options: PageOptions = {}): Promise<string> {
  const { head, banner, actions, policy } = options;
  const sections = await sectionsOf(view);
  return textOf(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${policy !== false && html`<meta http-equiv="Content-Security-Policy" content="${pagePolicy()}">`}
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><title>${titleOf(view)}</title>
<style>${literal(STYLE)}</style>${head?.(sections)}</head>
<body><a class="skip" href="#summary">To the summary</a>
<header class="bar-top"><div>${banner}<nav aria-label="Sections">${sections.map(({ id, title: name }) => html`<a href="#${id}">${name}</a>`)}</nav><button type="button" id="theme" hidden><span>Theme: </span><b>auto</b></button></div></header>
<main>${actions}${sections.map(({ markup }) => markup)}</main>
<footer>Written by pipeline ${view.facts.version} from the journal of the run.</footer>
<script>${literal(SCRIPT)}</script></body></html>
`);
}

export function titleOf({ status, query, name }: RunView): string {
  return oneLine(`${status}: ${query === '' ? name : query}`).slice(0, 120);
}

/** Nothing is loaded, and nothing runs but the page's own script. */
export function pagePolicy(): string {
  const { style, script } = ownSources();
  return `default-src 'none'; style-src ${style}; script-src ${script}; img-src data:; base-uri 'none'; form-action 'none'`;
}

/** The page's own style and script, as a policy names them. */
export function ownSources(): { readonly style: string; readonly script: string } {
  hashes ??= { style: sourceOf(STYLE), script: sourceOf(SCRIPT) };
  return hashes;
}

let hashes: { readonly style: string; readonly script: string } | undefined;

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
