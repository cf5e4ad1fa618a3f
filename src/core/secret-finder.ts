/** Finds the forms of secrets in a text, those of an encoding also where white space parts their digits. */

export interface Finder {
  find(text: string): string | undefined;
  replace(text: string): string;
  /** What may be the beginning of a form at the end of a text, behind the last form in it. */
  begun(text: string): Begun | undefined;
}

export interface Begun {
  /** Of the secret. */
  readonly name: string;
  /** From where it begins to the end of the text. */
  readonly length: number;
  /** The same without the white space between its digits. */
  readonly digits: number;
}

export interface Forms {
  /** By the form, the name of its secret. */
  readonly all: ReadonlyMap<string, string>;
  /** Those of `all` whose digits white space may part. */
  readonly encoded: ReadonlyMap<string, string>;
}

/** @param spell writes what takes a form's place as the forms are written */
export function finder(forms: Forms, spell: (text: string) => string): Finder {
  const whole = literals(forms.all);
  const parted = literals(forms.encoded);
  const window = parted.longest * (1 + LONGEST_GAP);
  const put = (name: string | undefined) => spell(`«redacted:${name}»`);

  function partedSpans(text: string): Span[] {
    const packed = withoutGaps(text);
    if (packed.length === text.length) return [];
    const found = parted.spans(packed);
    if (found.length === 0) return [];
    const places = placesOf(text);
    return found.map(({ start, end, name }) => ({
      start: places[start] ?? 0,
      end: (places[end - 1] ?? 0) + 1,
      name,
    }));
  }
  function partedBegun(text: string): Begun | undefined {
    const end = text.slice(-window);
    // Of an escape that goes on in the next piece.
    const packed = withoutGaps(end).replace(/\\{1,3}$/, '');
    if (packed.length === end.length) return undefined;
    const begun = parted.begun(packed);
    if (!begun) return undefined;
    const start = placesOf(end)[packed.length - begun.length] ?? 0;
    return { name: begun.name, length: end.length - start, digits: begun.length };
  }

  return {
    find: (text) => whole.first(text) ?? partedSpans(text)[0]?.name,
    replace(text) {
      const rest = text.replace(whole.any, (form) => put(forms.all.get(form)));
      const spans = partedSpans(rest);
      if (spans.length === 0) return rest;
      const before = spans.map(({ start, name }, at) => rest.slice(spans[at - 1]?.end ?? 0, start) + put(name));
      return before.join('') + rest.slice(spans.at(-1)?.end);
    },
    begun(text) {
      const last = Math.max(0, ...[whole.spans(text).at(-1), partedSpans(text).at(-1)].map((span) => span?.end ?? 0));
      const rest = text.slice(last);
      const plain = whole.begun(rest);
      const spaced = partedBegun(rest);
      if (spaced && spaced.length > (plain?.length ?? 0)) return spaced;
      return plain && { ...plain, digits: plain.length };
    },
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string | undefined;
}

function literals(forms: ReadonlyMap<string, string>) {
  const longestFirst = [...forms.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(longestFirst.map(literal).join('|') || '(?!)', 'g');
  const beginnings = new Set(longestFirst.flatMap((form) => Array.from(form, (_, at) => form.slice(0, at))));
  const longest = longestFirst[0]?.length ?? 0;
  return {
    any,
    longest,
    first(text: string): string | undefined {
      any.lastIndex = 0;
      const found = any.exec(text);
      return found ? forms.get(found[0]) : undefined;
    },
    spans(text: string): Span[] {
      // matchAll begins where the last search ended.
      any.lastIndex = 0;
      return Array.from(text.matchAll(any), ({ 0: form, index }) => {
        return { start: index, end: index + form.length, name: forms.get(form) };
      });
    },
    begun(text: string): { readonly name: string; readonly length: number } | undefined {
      for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
        const end = text.slice(-length);
        if (!beginnings.has(end)) continue;
        return { name: forms.get(longestFirst.find((form) => form.startsWith(end)) ?? '') ?? '', length };
      }
      return undefined;
    },
  };
}

/** Between two digits: a line break with its indentation. JSON writes the break as an escape, JSON within JSON escapes that. */
const GAPS = /(?:[ \t\r\n\f\v]|\\{1,3}[nrt])+/g;
/** More than that parts two texts. */
const LONGEST_GAP = 32;

function withoutGaps(text: string): string {
  return text.replace(GAPS, (gap) => (gap.length <= LONGEST_GAP ? '' : ' '));
}

/** Where each character of `withoutGaps` stands in the text. */
function placesOf(text: string): number[] {
  const places: number[] = [];
  let at = 0;
  const upTo = (end: number) => {
    while (at < end) places.push(at++);
  };
  for (const { 0: gap, index } of text.matchAll(GAPS)) {
    upTo(index);
    if (gap.length > LONGEST_GAP) places.push(index);
    at = index + gap.length;
  }
  upTo(text.length);
  return places;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
