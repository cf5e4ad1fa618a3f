/** Placeholder texts about what a prompt asks for. */
import { cutText, humanise, isUnspaced, type PromptText } from './prompt-text.js';

/** Of the value in the answer: names of fields, indices of items. */
type Path = readonly (string | number)[];

const MAX_TEXT_CHARACTERS = 400;
const SHORT_TEXT_CHARACTERS = 160;
const SHORT_TEXT_WORDS = 12;

/** Plausible, and plainly not real: reserved domains, a date that nobody chose. */
export function formattedText(format: string, nth: number, prompt: PromptText): string | undefined {
  const n = nth + 1;
  const two = String((nth % 28) + 1).padStart(2, '0');
  switch (format) {
    case 'date':
      return `2025-01-${two}`;
    case 'date-time':
      return `2025-01-${two}T00:00:00Z`;
    case 'time':
      return `00:${two}:00Z`;
    case 'duration':
      return `P${n}D`;
    case 'email':
    case 'idn-email':
      return `someone${n}@example.org`;
    case 'hostname':
    case 'idn-hostname':
      return `host${n}.example.org`;
    case 'ipv4':
      return `192.0.2.${(nth % 250) + 1}`;
    case 'ipv6':
      return `2001:db8::${n.toString(16)}`;
    case 'uri':
    case 'iri':
    case 'url':
    case 'uri-reference':
    case 'iri-reference': {
      const found = [...new Set(prompt.text.match(/https?:\/\/[^\s<>"'`)\]}]+[^\s<>"'`)\]}.,;:]/g))];
      return found[nth] ?? `https://example.org/${n}`;
    }
    case 'uri-template':
      return `https://example.org/${n}/{id}`;
    case 'uuid':
      return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
    case 'json-pointer':
      return `/${n}`;
    case 'relative-json-pointer':
      return String(n);
    case 'regex':
      return `item ${n}`;
    default:
      return undefined;
  }
}

/** Every text has the lead phrase, so that it is about what was asked, beside the name of its field, so that it shows what is missing. */
export function placeholderText(path: Path, prompt: PromptText, variant: number, least: number, most: number): string {
  const name = path.findLast((part) => typeof part === 'string') ?? 'text';
  const number = numberOf(path);
  const numbered = `${humanise(String(name))}${number}`;
  const short = most <= SHORT_TEXT_CHARACTERS || name === 'title';
  if (short) return shortText(prompt.lead, numbered, number, least, most);
  const { sentences } = prompt;
  // Items of a list go through the sentences one by one.
  const names = path.filter((part) => typeof part === 'string');
  const from =
    hash(names.join('/')) + path.reduce<number>((sum, part) => sum + Number(typeof part === 'number' && part), variant);
  const limit = Math.min(most, Math.max(MAX_TEXT_CHARACTERS, least));
  const parts = [`${prompt.lead}: ${numbered}.`, sentences[from % (sentences.length || 1)] ?? ''];
  return atLeast(cutText(parts.join(' ').trim(), Number.POSITIVE_INFINITY, limit), least, limit, (n) => {
    return sentences[(from + n) % (sentences.length || 1)] ?? prompt.lead;
  });
}

/** ` 2` for the second item of a list, ` 2.1` in a list of lists, nothing for the first. */
function numberOf(path: Path): string {
  const indices = path.filter((part) => typeof part === 'number');
  return indices.some((index) => index > 0) ? ` ${indices.map((index) => index + 1).join('.')}` : '';
}

function shortText(lead: string, name: string, number: string, least: number, most: number): string {
  const tail = name.length + 2 <= most / 2 ? `: ${name}` : number;
  const tailWords = isUnspaced(lead) ? 0 : tail.split(/\s+/).length - 1;
  const head = cutText(lead, Math.max(1, SHORT_TEXT_WORDS - tailWords), Math.max(0, most - tail.length));
  const text = cutText(`${head}${tail}`, Number.POSITIVE_INFINITY, most);
  return atLeast(text, least, most, () => lead);
}

function atLeast(text: string, least: number, most: number, more: (n: number) => string): string {
  if ([...text].length >= least) return text;
  const parts = [text];
  let length = [...text].length;
  for (let n = 1; length < least; n++) {
    const part = more(n) || 'placeholder';
    parts.push(part);
    length += [...part].length + 1;
  }
  const whole = parts.join(' ');
  if (whole.length <= most) return whole;
  const cut = [...whole].slice(0, Math.max(least, Math.min(most, whole.length)));
  // A cut may end in a space, which some would trim below the minimum.
  if (cut.at(-1) === ' ') cut[cut.length - 1] = '…';
  return cut.join('');
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
