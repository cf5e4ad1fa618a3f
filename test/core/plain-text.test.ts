import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine, plainLines, plainText } from '../../src/core/plain-text.js';

it('takes out of text what a terminal would obey', () => {
  expect(plainText('a\u001b[31mred\u001b[0m\r\nb\u0007\u009b2J')).toBe('ared b2J');
  expect(plainText('\u001b]0;title\u0007x')).toBe(']0;titlex');
});

it('takes out what would turn the text around it', () => {
  expect(plainText('pay \u202eevil\u202c to \u2066x\u2069')).toBe('pay evil to x');
});

it('shows in several lines what it does not let through', () => {
  expect(plainLines('a\u001b[2J\r\n\tb\u202ec\rd\ud83d')).toBe('a\\u001b[2J\n\tb\\u202ec\\u000dd\\ud83d');
});

it('makes a title of lines', () => {
  expect(oneLine('\n A  title\u2028in\tlines \u001b[31m\n')).toBe('A title in lines');
});

it('lets nothing through that a terminal obeys, and leaves whole what is harmless', () => {
  const parts = fc.constantFrom(
    'a',
    ' ',
    '量',
    '😀',
    '\n',
    '\t',
    '\r',
    '\u001b[1m',
    '\u001b',
    '\u009b',
    '\u2067',
    '\ud83d',
  );
  fc.assert(
    fc.property(fc.array(parts), (list) => {
      const text = list.join('');
      const unsafe = /(?![\n\t])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;
      expect(plainLines(text)).not.toMatch(unsafe);
      expect(plainText(text)).not.toMatch(unsafe);
      expect(plainText(text)).not.toMatch(/[\n\t]/);
      if (!unsafe.test(text)) expect(plainLines(text)).toBe(text);
    }),
  );
});
