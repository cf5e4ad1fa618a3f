/** Secrets in the forms in which they come, with a search for what is left of them that knows nothing of the one it tries. */
import { Buffer } from 'node:buffer';

export const SECRETS: Readonly<Record<string, string>> = {
  DEMO_TOKEN: 'tok-Zx81/qq+77=aB_9-kk2',
  DEMO_SECRET: 'p4ss "quoted" \\ wörd €uro',
  DEMO_PASSWORD: 'correct-horse-battery-staple',
  DEMO_PASSWD: "it's $(echo 'x') `y` ${z}",
  DEMO_PASSPHRASE: 'many small words with blanks between them',
  DEMO_CREDENTIALS: 'user:pa55w0rd@10.0.0.1:5432/db?ssl=true&x=1',
  DEMO_KEY: '????>>>>~~~~ÿÿÿÿ0101',
  DEMO_API_KEY: 'sk-demo-0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e',
  OTHER_TOKEN: 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8',
  OTHER_SECRET: '密码是：很长很长的一句话。',
  OTHER_PASSWORD: '<b>&amp;</b>%20%2B#frag+plus plus',
  OTHER_KEY: 'AKIAEXAMPLE7EXAMPLE9/wJalrXUtnFEMI',
};

const url64 = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
const inLines = (text: string, columns: number) => text.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), '$&\n');
const FORMS = {
  plain: (value) => value,
  base64: (value) => Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  url: encodeURIComponent,
  hex: (value) => Buffer.from(value).toString('hex'),
  'base64 in lines': (value) => inLines(Buffer.from(`${'user:'.repeat(13)}${value}:end`).toString('base64'), 76),
  // As `od -w8`: a line that a tool shows alone is the lesser part of each.
  'bytes of od': (value) => inLines(Buffer.from(value).toString('hex').replace(/../g, ' $&'), 24),
  'JSON in JSON': (value) => JSON.stringify(JSON.stringify({ value })),
} satisfies Readonly<Record<string, (value: string) => string>>;

export interface Formed {
  readonly name: string;
  readonly form: string;
  readonly text: string;
}

/** Base64 as one run of digits. */
const UNBROKEN: ReadonlySet<string> = new Set(['base64', 'base64url']);

/** Each secret in each form. */
export const formed: readonly Formed[] = Object.entries(SECRETS).flatMap(([name, value]) =>
  Object.entries(FORMS).map(([form, write]) => ({ name, form, text: write(value) })),
);

/** All of them, amid other words; the base64 also as the part of a longer one. */
export const everyForm: string = formed
  .map(({ name, form, text }) => {
    const within = UNBROKEN.has(form) ? ['u:', 'user:'].map((before) => within64(before, name, form)) : [];
    return [text, ...within].map((one) => `it is "${one}" there\n`).join('');
  })
  .join('');

function within64(before: string, name: string, form: string): string {
  const text = Buffer.from(`${before}${SECRETS[name]}:end`).toString('base64');
  return form === 'base64url' ? url64(text) : text;
}

/** Most of a form, from its beginning or to its end: a cut in the wrong place leaves one of them. */
const MOST = 0.7;

interface Trace extends Formed {
  readonly escaped: string;
}

const traces: readonly Trace[] = formed.flatMap(({ name, form, text }) => {
  const value = Buffer.from(SECRETS[name] as string);
  const whole = UNBROKEN.has(form) ? [0, 1, 2].map((before) => certain64(value, before, form)) : [coreOf(form, text)];
  return whole
    .flatMap((one) => {
      const most = Math.ceil(one.length * MOST);
      return [one.slice(0, most), one.slice(-most)];
    })
    .map((part) => ({ name, form, text: part, escaped: JSON.stringify(part).slice(1, -1) }));
});

/** What of such a form is the secret itself, and nothing around it. */
function coreOf(form: string, text: string): string {
  // 65 characters stand before the value, `:end` behind it: 4 digits are 3 bytes.
  if (form === 'base64 in lines') return text.replaceAll('=', '').slice(89, -6);
  return form === 'JSON in JSON' ? text.slice('"{\\"value\\":\\"'.length, -'\\"}"'.length) : text;
}

/** The digits that are the same whatever stands around the value. */
function certain64(value: Uint8Array, before: number, form: string): string {
  const text = Buffer.concat([new Uint8Array(before), value]).toString('base64');
  const digits = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + value.length) * 4) / 3));
  return form === 'base64url' ? url64(digits) : digits;
}

/** What is left of secrets in there, as `NAME as form`. */
export function tracesIn(text: string): string[] {
  const found = traces.filter((trace) => text.includes(trace.text) || text.includes(trace.escaped));
  return [...new Set(found.map(({ name, form }) => `${name} as ${form}`))];
}
