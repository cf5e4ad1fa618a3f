/** From what a person typed into the form of a skill to what `pipeline run` is given, or all that speaks against it, field by field. */
import type { Json } from '../core/json.js';
import type { Plan } from '../core/plan.js';
import { compileSchema } from '../core/schema.js';
import { parseDuration } from '../load/duration.js';
import { checkInputs } from '../load/given-inputs.js';
import { type Field, fieldsOf } from './form-fields.js';

/** As it came, by the names of the form: `query`, `input.<name>`, `model`, `limit.<name>`. */
export type Typed = ReadonlyMap<string, string>;

export interface Read {
  readonly query: string;
  /** Texts, as `--input` takes them. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly model: string;
  /** As `--limit` takes them: `usd=2.50`. */
  readonly limits: readonly string[];
  /** By the name of the field in the form, '' for what is about none. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

/** The system passes on no longer argument. */
const MAX_VALUE_BYTES = 100 * 1024;

/** @param callerDir where relative paths start: absolute */
export async function readForm(plan: Plan, typed: Typed, callerDir: string): Promise<Read> {
  const problems = new Map<string, string[]>();
  const say = (field: string, message: string) => problems.set(field, [...(problems.get(field) ?? []), message]);
  const query = textOf(typed, 'query');
  const fields = fieldsOf(plan.inputs);
  const inputs: Record<string, string> = {};
  for (const field of fields) {
    const given = givenFor(field, typed);
    if (given !== undefined) inputs[field.name] = given;
    else if (field.isRequired) say(`input.${field.name}`, 'It is needed.');
  }
  await judge(plan, fields, inputs, callerDir, say);
  for (const [name, value] of [['query', query] as const, ...Object.entries(inputs)]) {
    if (Buffer.byteLength(value) <= MAX_VALUE_BYTES) continue;
    say(
      name === 'query' ? name : `input.${name}`,
      `It is longer than ${MAX_VALUE_BYTES / 1024} KB: name a file instead.`,
    );
  }
  const limits = limitsOf(typed, say);
  const places = [
    '',
    'query',
    ...fields.map(({ name }) => `input.${name}`),
    ...LIMIT_NAMES.map((name) => `limit.${name}`),
  ];
  const inOrder = [...problems].sort(([one], [other]) => places.indexOf(one) - places.indexOf(other));
  return { query, inputs, model: textOf(typed, 'model').trim(), limits, problems: new Map(inOrder) };
}

/** Undefined where the default holds. */
function givenFor({ name, type, first, isRequired }: Field, typed: Typed): string | undefined {
  const value = typed.get(`input.${name}`);
  if (type.type === 'switch') return value === undefined ? 'false' : 'true';
  const text = type.type === 'lines' || type.type === 'json' ? textOf(typed, `input.${name}`) : (value ?? '');
  if (text !== '') return text;
  // Who empties a text that has a default means an empty text; any other value has none.
  const isText = type.type === 'lines' || (type.type === 'line' && type.of === 'text');
  return !isRequired && isText && first !== '' && value !== undefined ? '' : undefined;
}

/** All complaints at once: those of one input keep none of another back. */
async function judge(
  plan: Plan,
  fields: readonly Field[],
  inputs: Readonly<Record<string, string>>,
  callerDir: string,
  say: (field: string, message: string) => void,
): Promise<void> {
  const { values, problems } = await checkInputs(plan, inputs, callerDir);
  for (const { message } of problems) {
    const [, name, rest = ''] = /^the input "(\w+)" (names .*)$/s.exec(message) ?? [];
    if (name !== undefined) say(`input.${name}`, sentence(`It ${rest}`));
  }
  if (fields.length === 0) return;
  const broken = new Set<string>();
  for (const { name, type } of fields) {
    const text = inputs[name];
    if (text === undefined || !isJsonType(type) || isJson(text)) continue;
    broken.add(name);
    say(
      `input.${name}`,
      type.type === 'json' ? `This is no JSON: ${reasonOf(text)}` : `This is no ${type.of}: ${text}`,
    );
  }
  const validate = await compileSchema({ ...plan.inputs, required: [] });
  for (const { path, message } of validate(values as Json)) {
    const [, name = '', ...inner] = path.split('/');
    if (broken.has(name)) continue;
    const place = inner.length > 0 ? `${inner.join('/')}: ` : '';
    say(fields.some((field) => field.name === name) ? `input.${name}` : '', sentence(`${place}${message}`));
  }
}

function isJsonType(type: Field['type']): type is Extract<Field['type'], { readonly of: string }> {
  return type.type === 'json' || (type.type === 'line' && (type.of === 'integer' || type.of === 'number'));
}

function isJson(text: string): boolean {
  return reasonOf(text) === undefined;
}

function reasonOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const LIMITS: Readonly<Record<string, { readonly isOne: (text: string) => boolean; readonly hint: string }>> = {
  tokens: { isOne: (text) => /^\d+$/.test(text) && Number(text) > 0, hint: 'Write a whole number, as 500000.' },
  usd: { isOne: (text) => /^\d+(\.\d+)?$/.test(text), hint: 'Write an amount, as 2.50.' },
  time: { isOne: (text) => (parseDuration(text) ?? 0) > 0, hint: 'Write a duration, as 30m or 1h30m.' },
};
export const LIMIT_NAMES = Object.keys(LIMITS);

function limitsOf(typed: Typed, say: (field: string, message: string) => void): string[] {
  return Object.entries(LIMITS).flatMap(([name, { isOne, hint }]) => {
    const text = textOf(typed, `limit.${name}`).trim();
    if (text === '') return [];
    if (!isOne(text)) say(`limit.${name}`, hint);
    return [`${name}=${text}`];
  });
}

/** A form sends each line's end as CR LF. */
function textOf(typed: Typed, name: string): string {
  return (typed.get(name) ?? '').replaceAll('\r\n', '\n');
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
