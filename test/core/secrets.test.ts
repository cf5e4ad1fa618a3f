import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/core/secrets.js';

const SECRETS = { OPENAI_API_KEY: 'sk-Abc/123+xyz=9', DB_PASSWORD: 'pä ss"w\\ord', GH_TOKEN: 'ghp_0123456789' };
const redactor = createRedactor({ ...SECRETS, HOME: '/home/someone', SHORT_KEY: 'abc', MONKEY: 'bananas-and-more' });

const inForm: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => Buffer.from(`user:${value}@host`).toString('base64'),
  'base64 for URLs': (value) => Buffer.from(`x${value}yz`).toString('base64url'),
  'URL-encoded': (value) => `https://h/?k=${encodeURIComponent(value)}&x=1`,
  JSON: (value) => JSON.stringify({ k: value }),
  hexadecimal: (value) => Buffer.from(value).toString('hex'),
  'JSON within JSON': (value) => JSON.stringify({ k: JSON.stringify({ k: value }) }),
  'JSON of ASCII alone': (value) => inAscii(JSON.stringify({ k: value })),
  'JSON of ASCII alone within JSON': (value) => JSON.stringify(inAscii(JSON.stringify({ k: value }))),
  'base64 in lines': (value) => wrapped(Buffer.from(`${'u'.repeat(70)}:${value}@host`).toString('base64'), 76),
  'base64 in short lines, indented, within JSON': (value) =>
    JSON.stringify(wrapped(Buffer.from(value).toString('base64'), 5).replaceAll('\n', '\r\n    ')),
  'the lines of od': (value) =>
    Buffer.from(value)
      .toString('hex')
      .replace(/(..)/g, ' $1')
      .replace(/(.{24})/g, '$1\n'),
};

function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
function wrapped(text: string, columns: number): string {
  return text.match(new RegExp(`.{1,${columns}}`, 'g'))?.join('\n') ?? '';
}

describe('a secret of the environment', () => {
  it.each(Object.keys(inForm).flatMap((form) => Object.keys(SECRETS).map((name) => [form, name] as const)))(
    'is found and put by name: %s, %s',
    (form, name) => {
      const text = `before ${inForm[form]?.(SECRETS[name as keyof typeof SECRETS])} after`;
      expect(redactor?.find(text)).toBe(name);
      expect(redactor?.text(text)).toContain(`«redacted:${name}»`);
      expect(redactor?.find(redactor.text(text))).toBeUndefined();
    },
  );

  it('is found in base64 wherever it begins', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ maxLength: 20 }), (before, after) => {
        const text = Buffer.concat([before, Buffer.from(SECRETS.GH_TOKEN), after]).toString('base64');
        return redactor?.find(text) === 'GH_TOKEN';
      }),
    );
  });

  it('is found wherever the text is cut into pieces, and nothing else is lost or held back at the end', () => {
    const text = Object.values(inForm)
      .map((form) => form(SECRETS.OPENAI_API_KEY))
      .join(' sk-Abc sk-A\u00e9 ');
    const whole = redactor?.text(text);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const [texts, bytes] = [redactor?.texts(), redactor?.bytes()];
        let [asText, asBytes] = ['', Buffer.alloc(0)];
        const given = Buffer.from(text);
        for (let at = 0, n = 0; at < given.length; n++) {
          const size = sizes[n % sizes.length] ?? 1;
          asText += texts?.push(text.slice(at, at + size)) ?? '';
          asBytes = Buffer.concat([asBytes, bytes?.push(given.subarray(at, at + size)) ?? Buffer.alloc(0)]);
          at += size;
        }
        asText += texts?.end();
        asBytes = Buffer.concat([asBytes, bytes?.end() ?? Buffer.alloc(0)]);
        return asText === whole && asBytes.toString() === whole;
      }),
    );
  });

  it('is found in base64 whatever white space parts its digits, whole or in pieces', () => {
    const gap = fc.stringMatching(/^[ \n]{0,8}$/);
    const digits = [...Buffer.from(`user:${SECRETS.GH_TOKEN}`).toString('base64')];
    fc.assert(
      fc.property(fc.array(gap, { minLength: digits.length, maxLength: digits.length }), fc.nat(200), (gaps, cut) => {
        const text = `> ${digits.map((digit, at) => digit + gaps[at]).join('')}; and more`;
        const filter = redactor?.texts();
        const inPieces = `${filter?.push(text.slice(0, cut))}${filter?.push(text.slice(cut))}${filter?.end()}`;
        const search = redactor?.search();
        const bytes = Buffer.from(text);
        const found = search?.(bytes.subarray(0, cut)) ?? search?.(bytes.subarray(cut));
        expect(redactor?.text(text)).toMatch(/^> [\s\S]{6,90}«redacted:GH_TOKEN»[\s\S]{0,60}; and more$/);
        return inPieces === redactor?.text(text) && found === 'GH_TOKEN';
      }),
    );
  });

  it('is found in bytes that are no text, over the edges of pieces', () => {
    const search = redactor?.search();
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(SECRETS.GH_TOKEN), Buffer.from([0x80])]);
    expect(search?.(bytes.subarray(0, 9))).toBeUndefined();
    expect(search?.(bytes.subarray(9))).toBe('GH_TOKEN');
  });
});

it('a secret whose end is like its beginning is not cut in two', () => {
  const filter = createRedactor({ A_TOKEN: 'abcxabcxabc' })?.texts();
  expect(`${filter?.push('> abcxabcxabc')}${filter?.push(' <')}${filter?.end()}`).toBe('> «redacted:A_TOKEN» <');
});

it('a secret that a search has just found elsewhere is not cut in two either', () => {
  const filter = createRedactor({ A_TOKEN: 'abcxabcxabc' });
  const bytes = filter?.bytes();
  expect(filter?.search()(Buffer.from('>>>> abcxabcxabc'))).toBe('A_TOKEN');
  const first = Buffer.from(bytes?.push(Buffer.from('abcxabcxabc')) ?? []).toString();
  expect(first + Buffer.from(bytes?.end() ?? []).toString()).toBe('«redacted:A_TOKEN»');
});

it('a secret that was cut short before it is looked for is put by name where an ellipsis says so', () => {
  const cut = SECRETS.GH_TOKEN.slice(0, -3);
  expect(redactor?.text(`busy ${cut}… and more`)).toBe('busy «redacted:GH_TOKEN»… and more');
  expect(redactor?.value({ said: [`${cut}…`] })).toEqual({ said: ['«redacted:GH_TOKEN»…'] });
  for (const text of [`${cut} …`, `${SECRETS.GH_TOKEN.slice(0, 7)}…`, '…']) expect(redactor?.text(text)).toBe(text);
});

it('white space that parts two texts does not join them', () => {
  const hex = Buffer.from(SECRETS.GH_TOKEN).toString('hex');
  const text = `${hex.slice(0, 14)}${' '.repeat(33)}${hex.slice(14)}`;
  expect(redactor?.text(text)).toBe(text);
  const filter = redactor?.texts();
  expect(`${filter?.push(text)}${filter?.end()}`).toBe(text);
});

it('what is short, or has another name, is no secret; bytes that hold none pass as they are', () => {
  const harmless = 'abc bananas-and-more /home/someone';
  expect(redactor?.text(harmless)).toBe(harmless);
  const value = { a: [harmless, 1, null], b: { c: harmless } };
  expect(redactor?.value(value)).toBe(value);
  const bytes = Uint8Array.of(0, 128, 255, 200);
  const filter = redactor?.bytes();
  expect([...(filter?.push(bytes) ?? []), ...(filter?.end() ?? [])]).toEqual([...bytes]);
});

it('an environment without secrets needs no redactor', () => {
  expect(createRedactor({ HOME: '/h', KEY: 'short', NAME_KEY: undefined })).toBeUndefined();
});

it('values keep their form, with the secrets in texts and keys put by name', () => {
  const value = { [SECRETS.GH_TOKEN]: [`x ${SECRETS.GH_TOKEN}`, 7, { deep: SECRETS.GH_TOKEN }] };
  const name = '«redacted:GH_TOKEN»';
  expect(redactor?.value(value)).toEqual({ [name]: [`x ${name}`, 7, { deep: name }] });
});
