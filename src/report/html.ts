/** Markup that is safe by construction: whatever is put into a template is escaped, but for what a template made. */

/** Nothing that was parsed from JSON has it. */
const MARKUP = Symbol('markup');

export interface Html {
  readonly [MARKUP]: string;
}

export type Hole = string | number | Html | false | undefined | readonly Hole[];

/** Attributes stand in double quotes: `html`<a href="${address}">${text}</a>`` */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  let text = parts[0] ?? '';
  for (let at = 0; at < holes.length; at++) text += markupOf(holes[at]) + (parts[at + 1] ?? '');
  return { [MARKUP]: text };
}

/** Of the program's own text, never of data: a style sheet, a script. */
export function literal(text: string): Html {
  return { [MARKUP]: text };
}

export function textOf(markup: Html): string {
  return markup[MARKUP];
}

function markupOf(hole: Hole): string {
  if (typeof hole === 'string') return escaped(hole);
  if (typeof hole === 'number') return String(hole);
  if (hole === undefined || hole === false) return '';
  if (MARKUP in hole) return hole[MARKUP];
  let text = '';
  for (const one of hole) text += markupOf(one);
  return text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\t': '\t',
  '\n': '\n',
  '\r': '',
};

/** Most texts are of these alone, and stay as they are. */
const PLAIN = /^[\t\n !#-%(-;=?-~\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]*$/;
/** Markup; what a terminal obeys; what turns the direction of writing; half a character; what no document may hold. */
const SPECIAL = /[&<>"'\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\uFDD0-\uFDEF\uFFFE\uFFFF]/gu;

function escaped(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? shown(character));
}

/** What cannot be shown becomes `\u001b`. */
function shown(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
