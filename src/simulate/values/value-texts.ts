/** Texts that a schema allows, at their edges: empty, long, hostile, of a pattern, of a format. */
import type { JsonObject } from '../../core/json.js';
import { generateMatch, matchesPattern } from '../../providers/sketch-pattern.js';
import { number, strings } from '../../providers/sketch-schema.js';
import type { Draw } from '../choices/choices.js';

const LONG_CHARACTERS = 3_000;
/** Words or characters. */
const MOST_SIZED = 10_000;
/** Of what a pattern allows: beyond the first few, which others know. */
const FAR = 11;

const HOSTILE = [
  ' ',
  '\u0000',
  '${{ steps.secret.output }}',
  '$(touch /tmp/pwned); `id`',
  '../../../etc/passwd',
  '</script><script>alert(1)</script>',
  '__proto__',
  'null',
  '\r\n\u2028\u202e',
  '😀é中文 العربية',
  '"},{"',
  '-rf',
];

/**
 * @param kin texts that are likely to be meant at this place
 * @param index among the items of its list
 */
export function textFor(
  flat: JsonObject,
  draw: Draw,
  { texts: others, numbers }: { readonly texts: readonly string[]; readonly numbers: readonly number[] },
  kin: readonly string[],
  index: number,
): string {
  const least = number(flat.minLength) ?? 0;
  const most = number(flat.maxLength) ?? LONG_CHARACTERS;
  const { pattern } = flat;
  const fits = (text: string) =>
    text.length >= least && text.length <= most && (typeof pattern !== 'string' || matches(pattern, text));
  const own = kin.filter(fits);
  const fitting = [...own, ...others.filter(fits)];
  const plain = own[index % (own.length || 1)] ?? plainText(flat, least, most, index);
  const kind = draw.pick('value', 6);
  switch (kind) {
    case 1:
      // The same as the first of a list, where texts must not be empty.
      return fits('') ? '' : plainText(flat, least, most, 0);
    case 2: {
      const one = fitting.length > 0 ? fitting[draw.rarely(1, fitting.length + 1) % fitting.length] : undefined;
      return one ?? plain;
    }
    case 3: {
      const long = 'long '
        .repeat(Math.ceil(Math.min(most, LONG_CHARACTERS) / 5))
        .slice(0, Math.min(most, LONG_CHARACTERS));
      return fits(long) ? long : plainText(flat, least, most, FAR);
    }
    case 4: {
      const hostile = HOSTILE[draw.rarely(1, HOSTILE.length + 1) % HOSTILE.length] ?? '';
      return fits(hostile) ? hostile : plain;
    }
    case 5: {
      const sized = sizedText(numbers, draw);
      return fits(sized) ? sized : plain;
    }
    default:
      return plain;
  }
}

/** As many words or characters as a condition speaks of, or one more. */
function sizedText(numbers: readonly number[], draw: Draw): string {
  const sizes = numbers.filter((one) => Number.isInteger(one) && one > 0 && one <= MOST_SIZED);
  const size = sizes[draw.rarely(1, sizes.length + 1) % (sizes.length || 1)] ?? 0;
  const more = draw.rarely(0.7, 2);
  return draw.rarely(0.4, 2) === 0 ? 'a '.repeat(size + more).trimEnd() : 'a'.repeat(size + more);
}

const patterns = new Map<string, Map<string, boolean>>();

function matches(pattern: string, text: string): boolean {
  const known = patterns.get(pattern) ?? new Map<string, boolean>();
  patterns.set(pattern, known);
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size > 5_000) known.clear();
  const now = matchesPattern(pattern, text);
  known.set(text, now);
  return now;
}

const made = new Map<string, string>();

function plainText(flat: JsonObject, least: number, most: number, index: number): string {
  const { pattern, format, examples } = flat;
  const text = index === 0 ? 'text' : `text ${index + 1}`;
  const sized = (one: string) => (one.length < least ? one.padEnd(least, '.') : one.slice(0, Math.max(0, most)));
  if (typeof pattern === 'string') {
    const example = strings(examples).find((one) => matches(pattern, one));
    if (matches(pattern, sized(text))) return sized(text);
    const key = `${index} ${pattern}`;
    const known = made.get(key) ?? generateMatch(pattern, index) ?? example ?? text;
    made.set(key, known);
    return known;
  }
  if (typeof format === 'string') return FORMATS[format]?.(index) ?? sized(text);
  return sized(text);
}

const FORMATS: Readonly<Record<string, (index: number) => string>> = {
  date: (index) => `2030-01-${String((index % 28) + 1).padStart(2, '0')}`,
  'date-time': (index) => `2030-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
  time: () => '00:00:00Z',
  email: (index) => `a${index}@example.org`,
  uri: (index) => `https://example.org/${index}`,
  uuid: (index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
};
