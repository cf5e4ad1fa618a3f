/** The fields of the form that starts a skill, made from the schemas of its inputs. */
import { isObject, type Json, type JsonObject } from '../core/json.js';

export interface Field {
  /** Of the input. */
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly isRequired: boolean;
  readonly type: FieldType;
  /** What stands in it at first, as a person would type it. */
  readonly first: string;
  /** What its schema asks for beyond the type: `1 to 20`, `at least 3 characters`. */
  readonly bounds: string;
}

export type FieldType =
  | { readonly type: 'line'; readonly of: 'text' | 'integer' | 'number' | 'path' }
  | { readonly type: 'lines' }
  | { readonly type: 'switch' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'json'; readonly of: string };

/** In the order of the file. @param inputs the closed object schema of a plan's inputs */
export function fieldsOf(inputs: JsonObject): Field[] {
  const properties = isObject(inputs.properties) ? inputs.properties : {};
  const required = Array.isArray(inputs.required) ? inputs.required : [];
  return Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)));
}

function fieldOf(name: string, written: Json, isRequired: boolean): Field {
  const schema = isObject(written) ? written : {};
  const type = typeOf(schema);
  const { title, description, default: given } = schema;
  return {
    name,
    label: typeof title === 'string' && title.trim() !== '' ? title : name,
    about: typeof description === 'string' ? description : '',
    isRequired,
    type,
    first: given === undefined ? '' : typed(given, type),
    bounds: boundsOf(schema, type),
  };
}

const MOST_CHOICES = 200;
/** A text that may be longer gets several lines. */
const LINE_CHARACTERS = 200;

function typeOf(schema: JsonObject): FieldType {
  const { enum: allowed, const: only, type } = schema;
  const values = Array.isArray(allowed) ? allowed : only === undefined ? undefined : [only];
  if (values && values.length > 0 && values.length <= MOST_CHOICES) {
    return { type: 'choice', choices: [...new Set(values.map((value: Json) => textOfValue(value)))] };
  }
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('string') || type === undefined) return textType(schema);
  if (types.length === 1 && types[0] === 'boolean') return { type: 'switch' };
  if (types.length === 1 && (types[0] === 'integer' || types[0] === 'number')) return { type: 'line', of: types[0] };
  return { type: 'json', of: types.filter((one) => typeof one === 'string').join(' or ') };
}

/** A value without a type is a text, as on the command line. */
function textType({ format, maxLength, default: given }: JsonObject): FieldType {
  if (format === 'path') return { type: 'line', of: 'path' };
  const isLong = typeof maxLength === 'number' && maxLength > LINE_CHARACTERS;
  const hasLines = typeof given === 'string' && given.includes('\n');
  return isLong || hasLines ? { type: 'lines' } : { type: 'line', of: 'text' };
}

function typed(value: Json, { type }: FieldType): string {
  return type === 'json' && typeof value !== 'string' ? JSON.stringify(value, null, 2) : textOfValue(value);
}

function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function boundsOf(schema: JsonObject, { type }: FieldType): string {
  if (type === 'choice') return '';
  const counts = [
    range(schema.minimum, schema.maximum, ''),
    typeof schema.exclusiveMinimum === 'number' ? `more than ${schema.exclusiveMinimum}` : '',
    typeof schema.exclusiveMaximum === 'number' ? `less than ${schema.exclusiveMaximum}` : '',
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ];
  const pattern = typeof schema.pattern === 'string' ? [`matches ${schema.pattern}`] : [];
  return [...counts.filter((text) => text !== ''), ...pattern].join(', ');
}

function range(least: Json | undefined, most: Json | undefined, unit: string): string {
  const [low, high] = [least, most].map((bound) => (typeof bound === 'number' ? bound : undefined));
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (low !== undefined) return `at least ${low}${unit}`;
  return high === undefined ? '' : `at most ${high}${unit}`;
}
