import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Html, html, textOf } from '../../src/report/html.js';
import { HOSTILE } from './runs.js';

/** Texts that are full of what markup is made of. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '&lt;',
        '</',
        '<!--',
        ']]>',
        '\u001b[31m',
        '\u202e',
        '\ud800',
        '\0',
        'a',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('html', () => {
  it('lets no hole become markup, leave its attribute or hold what a document may not', () => {
    fc.assert(
      fc.property(nasty, nasty, (text, attribute) => {
        const page = textOf(html`<p title="${attribute}">${text}</p>`);
        const inside = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/s.exec(page);
        expect(inside).not.toBeNull();
        expect(page).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
        expect(page).not.toMatch(/[\p{Cs}\uFFFE\uFFFF]/u);
        for (const one of inside?.slice(1) ?? []) expect(one.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
  });

  it('says all that can be shown, and shows what a terminal would obey by its number', () => {
    expect(textOf(html`${HOSTILE}`)).toContain('\\u001b[31mred\\u001b[0m \\u202ereversed &quot;quoted&#39; &amp;amp;');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), (text) => {
        const read = textOf(html`${text}`)
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        expect(read).toBe(text);
      }),
    );
  });

  it('takes templates in templates as they are, and nothing else: no object that data could hold', () => {
    const inner = html`<b>${'<'}</b>`;
    expect(textOf(html`<p>${[inner, 1, false, undefined, ['&']]}</p>`)).toBe('<p><b>&lt;</b>1&amp;</p>');
    const forged = JSON.parse('{"markup":"<script>","Symbol(MARKUP)":"<script>"}') as Html;
    expect(() => textOf(html`${forged}`)).toThrow();
  });
});
