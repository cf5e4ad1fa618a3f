/** A JSON value as a tree that can be unfolded. */
import { isObject, type Json } from '../core/json.js';
import { type Html, html } from './html.js';
import { preText } from './texts.js';

/** Values of one tree. */
const MOST_VALUES = 150;
const MOST_CHARACTERS = 4_000;
/** Longer ones begin folded below the first level. */
const FEW_MEMBERS = 6;

/** Where a text is the name of something on the page, a link to it. */
export type LinkOf = (text: string) => Html | undefined;

/** @param id of the first fold in it; others are numbered */
export function jsonTree(value: Json, id: string, link?: LinkOf): Html {
  const state = { left: MOST_VALUES, folds: 0, id, link };
  return html`<div class="tree">${node(value, state, 0)}</div>`;
}

interface State {
  left: number;
  folds: number;
  readonly id: string;
  readonly link: LinkOf | undefined;
}

function node(value: Json, state: State, depth: number): Html {
  if (Array.isArray(value)) {
    if (value.length === 0) return html`<span class="nil">empty list</span>`;
    return list(
      value.map((one: Json, at): [string, Json] => [String(at), one]),
      state,
      depth,
    );
  }
  if (!isObject(value)) return scalar(value as Scalar, state.link);
  const entries = Object.entries(value);
  return entries.length === 0 ? html`<span class="nil">empty</span>` : list(entries, state, depth);
}

function list(entries: readonly (readonly [string, Json])[], state: State, depth: number): Html {
  const shown: Html[] = [];
  for (const [key, value] of entries) {
    if (state.left <= 0) break;
    state.left--;
    shown.push(member(key, value, state, depth));
  }
  const more = entries.length - shown.length;
  return html`<ul>${shown}${more > 0 && html`<li class="nil">… ${more} more</li>`}</ul>`;
}

function member(key: string, value: Json, state: State, depth: number): Html {
  const size = sizeOf(value);
  if (size === undefined || size === 0) return html`<li><b>${key}</b> ${node(value, state, depth + 1)}</li>`;
  state.folds++;
  const id = `${state.id}-${state.folds}`;
  const isOpen = depth === 0 ? size <= 2 * FEW_MEMBERS : size <= FEW_MEMBERS && depth < 2;
  const words = Array.isArray(value)
    ? `${size} ${size === 1 ? 'item' : 'items'}`
    : `${size} ${size === 1 ? 'field' : 'fields'}`;
  const inner = node(value, state, depth + 1);
  return isOpen
    ? html`<li><details id="${id}" open><summary><b>${key}</b> <i>${words}</i></summary>${inner}</details></li>`
    : html`<li><details id="${id}"><summary><b>${key}</b> <i>${words}</i></summary>${inner}</details></li>`;
}

function sizeOf(value: Json): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

type Scalar = string | number | boolean | null;

function scalar(value: Scalar, link: LinkOf | undefined): Html {
  if (typeof value !== 'string') return html`<span class="num">${String(value)}</span>`;
  if (value === '') return html`<span class="nil">empty text</span>`;
  const linked = link?.(value);
  if (linked) return linked;
  return html`<span class="str">${preText(value, MOST_CHARACTERS)}</span>`;
}
