/** Known secret values, found in whatever form they come, and put by name. */
import { isObject, type Json } from './json.js';
import { type Finder, type Forms, finder } from './secret-finder.js';

/** Names of variables that hold secrets, and the shortest value that is no ordinary word. */
const SECRET_NAME = /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;
const SHORTEST_SECRET = 8;

export interface Redactor {
  /** Each secret as `«redacted:NAME»`. */
  text(text: string): string;
  /** All texts of a value, keys too; the same value if there is nothing to replace. */
  value<T>(value: T): T;
  /** The name of the variable whose value is in there, in any form. */
  find(value: Json): string | undefined;
  /** For a text in pieces: what may be the beginning of a secret is held back until the rest is there. */
  texts(): PieceFilter<string>;
  bytes(): PieceFilter<Uint8Array>;
  /** Tells, piece by piece, the name of a secret that the bytes so far hold. */
  search(): (bytes: Uint8Array) => string | undefined;
}

export interface PieceFilter<T> {
  push(piece: T): T;
  /** What it held back. */
  end(): T;
}

/** Undefined if the environment holds no secret. */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor | undefined {
  const secrets = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    SECRET_NAME.test(name) && value !== undefined && value.trim().length >= SHORTEST_SECRET
      ? [[name, value.trim()]]
      : [],
  );
  if (secrets.length === 0) return undefined;
  const formsAs = (spell: (text: string) => string): Forms => {
    const map = (of: (value: string) => readonly string[]) =>
      new Map(secrets.flatMap(([name, value]) => of(value).map((form) => [spell(form), name] as const)));
    return { all: map(formsOf), encoded: map(encodedForms) };
  };
  const inText = finder(
    formsAs((form) => form),
    (name) => name,
  );
  // One character a byte: what is no UTF-8 stays as it is.
  const asBytes = (text: string) => latin1(Buffer.from(text));
  const inBytes = finder(formsAs(asBytes), asBytes);
  const clean = (text: string) => withoutCut(inText, inText.replace(text));
  const redactor: Redactor = {
    text: clean,
    value(value) {
      const text = JSON.stringify(value) ?? '';
      return clean(text) === text ? value : (mapTexts(value as Json, clean) as never);
    },
    find: (value) => inText.find(typeof value === 'string' ? value : JSON.stringify(value)),
    texts: () =>
      pieces(
        inText,
        (text) => text,
        (text) => text,
      ),
    bytes: () => pieces(inBytes, latin1, (text) => Buffer.from(text, 'latin1')),
    search() {
      let end = '';
      return (bytes) => {
        const text = end + latin1(bytes);
        const found = inBytes.find(text);
        end = found === undefined ? endOf(text, inBytes.begun(text)?.length ?? 0) : '';
        return found;
      };
    },
  };
  return redactor;
}

/** As it stands, escaped in JSON, also in JSON within JSON, in URLs, encoded. */
function formsOf(value: string): readonly string[] {
  const url = encodeURIComponent(value);
  const once = [escapedIn(value), inAscii(escapedIn(value))];
  const forms = [
    value,
    ...once,
    ...once.map(escapedIn),
    inAscii(escapedIn(escapedIn(value))),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...encodedForms(value),
  ];
  return longEnough(forms);
}

/** In base64 wherever it begins there, in hexadecimal digits. */
function encodedForms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const aligned = [0, 1, 2].map((before) => base64Within(bytes, before));
  const forms = [
    ...aligned,
    ...aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  return longEnough(forms);
}

function longEnough(forms: readonly string[]): string[] {
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET);
}

function escapedIn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As JSON writers do that leave nothing but ASCII. */
function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What is certain of the base64 of a longer text that holds these bytes, so many bytes after a multiple of three. */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  return text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
}

/** Where an ellipsis stands in the place of its end, a secret is told as well as if it were whole. */
function withoutCut(found: Finder, text: string): string {
  const parts = text.split(ELLIPSIS);
  const last = parts.pop() ?? '';
  const clean = parts.map((part) => {
    const begun = found.begun(part);
    if (!begun || begun.digits < SHORTEST_SECRET) return part;
    return `${part.slice(0, -begun.length)}«redacted:${begun.name}»`;
  });
  return [...clean, last].join(ELLIPSIS);
}

const ELLIPSIS = '…';

function pieces<T>(found: Finder, toText: (piece: T) => string, fromText: (text: string) => T): PieceFilter<T> {
  let held = '';
  return {
    push(piece) {
      const text = held + toText(piece);
      const begun = found.begun(text)?.length ?? 0;
      held = endOf(text, begun);
      return fromText(found.replace(text.slice(0, text.length - begun)));
    },
    end() {
      const rest = found.replace(held);
      held = '';
      return fromText(rest);
    },
  };
}

function endOf(text: string, length: number): string {
  return length === 0 ? '' : text.slice(-length);
}

/** All texts of a value, keys too. */
export function mapTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), mapTexts(item, replace)]));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
