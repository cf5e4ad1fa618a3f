/** Known secret values, found in whatever form they come, and put by name. */
import { isObject, type Json } from './json.js';

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
  const forms = new Map(secrets.flatMap(([name, value]) => formsOf(value).map((form) => [form, name] as const)));
  const inText = finder(forms, (name) => name);
  // One character a byte: what is no UTF-8 stays as it is.
  const asBytes = (text: string) => latin1(Buffer.from(text));
  const inBytes = finder(new Map([...forms].map(([form, name]) => [asBytes(form), name])), asBytes);
  const clean = (text: string) => withoutCut(inText, inText.replace(text));
  const redactor: Redactor = {
    text: clean,
    value(value) {
      const text = JSON.stringify(value) ?? '';
      return clean(text) === text ? value : (mapped(value as Json, clean) as never);
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
        end = text.slice(-inBytes.longest);
        return inBytes.find(text);
      };
    },
  };
  return redactor;
}

/** As it stands, escaped in JSON, in URLs, in base64 wherever it begins there, in hexadecimal digits. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const url = encodeURIComponent(value);
  const aligned = [0, 1, 2].map((before) => base64Within(bytes, before));
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...aligned,
    ...aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET);
}

/** What is certain of the base64 of a longer text that holds these bytes, so many bytes after a multiple of three. */
function base64Within(bytes: Uint8Array, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const from = Math.ceil((before * 8) / 6);
  return text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
}

interface Finder {
  /** Characters of the longest form. */
  readonly longest: number;
  find(text: string): string | undefined;
  replace(text: string): string;
  /** The name of a secret that has a form with this beginning. */
  nameOf(beginning: string): string | undefined;
  /** How many characters at the end of a text, behind the last form in it, may be the beginning of another. */
  begun(text: string): number;
}

/** @param spell writes what takes a form's place as the forms are written */
function finder(forms: ReadonlyMap<string, string>, spell: (text: string) => string): Finder {
  const longestFirst = [...forms.keys()].sort((a, b) => b.length - a.length);
  const any = new RegExp(longestFirst.map(literal).join('|'), 'g');
  const beginnings = new Set(longestFirst.flatMap((form) => Array.from(form, (_, at) => form.slice(0, at))));
  const longest = longestFirst[0]?.length ?? 0;
  const find = (text: string) => {
    any.lastIndex = 0;
    const found = any.exec(text);
    return found ? forms.get(found[0]) : undefined;
  };
  return {
    longest,
    find,
    replace: (text) => text.replace(any, (form) => spell(`«redacted:${forms.get(form)}»`)),
    nameOf: (beginning) => forms.get(longestFirst.find((form) => form.startsWith(beginning)) ?? ''),
    begun(text) {
      // matchAll begins where the last search ended.
      any.lastIndex = 0;
      const whole = [...text.matchAll(any)].at(-1);
      const after = whole ? text.length - whole.index - whole[0].length : text.length;
      for (let length = Math.min(longest - 1, after); length > 0; length--)
        if (beginnings.has(text.slice(-length))) return length;
      return 0;
    },
  };
}

/** Where an ellipsis stands in the place of its end, a secret is told as well as if it were whole. */
function withoutCut(found: Finder, text: string): string {
  const parts = text.split(ELLIPSIS);
  const last = parts.pop() ?? '';
  const clean = parts.map((part) => {
    const begun = found.begun(part);
    if (begun < SHORTEST_SECRET) return part;
    return `${part.slice(0, -begun)}«redacted:${found.nameOf(part.slice(-begun))}»`;
  });
  return [...clean, last].join(ELLIPSIS);
}

const ELLIPSIS = '…';

function pieces<T>(found: Finder, toText: (piece: T) => string, fromText: (text: string) => T): PieceFilter<T> {
  let held = '';
  return {
    push(piece) {
      const text = held + toText(piece);
      const begun = found.begun(text);
      held = begun === 0 ? '' : text.slice(-begun);
      return fromText(found.replace(begun === 0 ? text : text.slice(0, -begun)));
    },
    end() {
      const rest = found.replace(held);
      held = '';
      return fromText(rest);
    },
  };
}

function mapped(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapped(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), mapped(item, replace)]));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
