/** Texts, sizes and figures as the page writes them. */
import { beginningOf } from '../core/excerpt.js';
import { MARKS } from '../graph/labels.js';
import { type Html, html } from './html.js';
import type { Excerpt, StepStatus, StepView } from './view.js';

/** At most so many characters, with a word on what is missing. */
export function preText(text: string, most: number): Html {
  if (text.length <= most) return html`${text}`;
  return html`${beginningOf(text, most)} <i class="cut">${grouped(text.length - most)} more characters</i>`;
}

/** `1 204`. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202F');
}

/** `812 bytes`, `12.4 kB`. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return '1 byte';
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A text of the run folder in a box that scrolls; what is cut names the file. */
export function excerptBox(excerpt: Excerpt, label: string): Html {
  const { text, file, bytes, isWhole } = excerpt;
  return html`<pre tabindex="0" role="group" aria-label="${label}">${text}</pre>${
    !isWhole && html`<p class="cut">Cut: all ${sizeText(bytes)} are in <code>${file}</code></p>`
  }`;
}

const WORDS: Readonly<Partial<Record<StepStatus, string>>> = { open: 'not reached', ended: 'ended the run' };

export function statusWord(status: StepStatus): string {
  return WORDS[status] ?? status;
}

/** Rounds are counted from one where they are named in words, as on the terminal; an item is its index. */
export function spokenName({ kind, name }: Pick<StepView, 'kind' | 'name'>): string {
  if (kind === 'round') return `round ${Number(name) + 1}`;
  return kind === 'item' ? `item ${name}` : name;
}

/** A coloured mark, which says its word to who does not see it. */
export function mark(status: StepStatus): Html {
  return html`<span class="mark ${status}" role="img" aria-label="${statusWord(status)}">${status === 'open' ? '·' : MARKS[status]}</span>`;
}
