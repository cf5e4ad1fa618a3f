/** What a meta-schema cannot say about a schema: references, patterns, formats, depth, misspelled keywords. */
import { isObject, type Json, type JsonObject, type JsonSchema } from './json.js';
import { type PatternWork, patternWork, unsafeRegex } from './pattern.js';
import { nearest } from './problems.js';
import { type Dialect, dialectNamed } from './schema-dialect.js';
import type { SchemaFault } from './schema-fault.js';
import { impossibilities } from './schema-impossible.js';
import { NESTING_KEYWORDS, schemasIn } from './schema-keywords.js';
import { referenceFaults } from './schema-reach.js';
import { type Place, referencesOf } from './schema-references.js';

const MAX_DEPTH = 64;

/** Keywords that the other draft has. */
const FOREIGN = {
  'draft-07': new Set([
    'prefixItems',
    'unevaluatedItems',
    'unevaluatedProperties',
    'dependentSchemas',
    'dependentRequired',
    'minContains',
    'maxContains',
    '$dynamicRef',
  ]),
  '2020-12': new Set(['additionalItems']),
} as const satisfies Record<Dialect, ReadonlySet<string>>;

const PLAIN = new Set(
  `$anchor $comment $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary const contentEncoding contentMediaType default
  dependentRequired deprecated description enum examples exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength
  maxProperties maximum minContains minItems minLength minProperties minimum multipleOf nullable pattern readOnly required title type
  uniqueItems writeOnly`.split(/\s+/),
);

const KNOWN: ReadonlySet<string> = new Set([...PLAIN, ...NESTING_KEYWORDS]);

const FORMATS = new Set(
  `binary byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 iso-date-time iso-time json-pointer
  json-pointer-uri-fragment password path regex relative-json-pointer time uri uri-reference uri-template url uuid`.split(
    /\s+/,
  ),
);

/** In all its parts together. */
const MAX_SCHEMAS = 5_000;
const MAX_FAULTS = 100;
const MAX_SHOWN_CHARACTERS = 80;

interface Walk {
  readonly faults: SchemaFault[];
  readonly foreign: ReadonlySet<string>;
  readonly work: PatternWork;
  readonly dialect: Dialect;
}

export interface Lint {
  readonly faults: readonly SchemaFault[];
  /** Schemas that stand where none are looked for, and that a reference leads to: the meta-schema has not seen them. */
  readonly onlyReferred: readonly Place[];
}

export function lintSchema(schema: JsonSchema, dialect: Dialect): Lint {
  if (isDeeper(schema, 2 * MAX_DEPTH)) return tooBig(`The schema is nested more than ${MAX_DEPTH} levels deep`);
  if (schemasUpTo(schema, MAX_SCHEMAS + 1) > MAX_SCHEMAS) {
    return tooBig(
      `The schema holds more than ${MAX_SCHEMAS} schemas`,
      'Describe less of the value, or in a general way.',
    );
  }
  const references = referencesOf(schema);
  const walk: Walk = { faults: [], foreign: FOREIGN[dialect], work: patternWork(), dialect };
  for (const place of references.places) if (walk.faults.length < MAX_FAULTS) visit(place, walk);
  walk.faults.push(...referenceFaults(schema, references, dialect));
  const onlyReferred = references.places.filter((place) => place.isOnlyReferred);
  return { faults: walk.faults.slice(0, MAX_FAULTS), onlyReferred };
}

function tooBig(message: string, hint?: string): Lint {
  const fault: SchemaFault = { severity: 'error', path: [], message, tooBig: true, ...(hint ? { hint } : {}) };
  return { faults: [fault], onlyReferred: [] };
}

function visit({ schema, path }: Place, walk: Walk): void {
  if (!isObject(schema)) return;
  const report = (key: string, message: string, more: Partial<SchemaFault> = {}): void => {
    walk.faults.push({ severity: 'error', path: [...path, key], message, ...more });
  };
  const warn = (key: string, message: string, near?: string): void => {
    report(key, message, { severity: 'warning', ...(near ? { hint: `Did you mean ${near}?` } : {}) });
  };
  for (const key of Object.keys(schema)) {
    if (walk.faults.length >= MAX_FAULTS) return;
    if (walk.foreign.has(key)) {
      report(key, `The keyword ${JSON.stringify(key)} belongs to the other draft and constrains nothing here`, {
        severity: 'warning',
        hint: 'The draft is named by $schema; without it the schema is 2020-12.',
      });
      continue;
    }
    if (KNOWN.has(key) || key.startsWith('x-')) continue;
    warn(key, `The keyword ${short(key)} is not known and constrains nothing`, nearest(key.slice(0, 40), KNOWN));
  }
  for (const found of impossibilities(schema)) walk.faults.push({ ...found, path: [...path, ...found.path] });
  checkPatterns(schema, report, walk.work);
  const { format, properties } = schema;
  if (typeof format === 'string' && !FORMATS.has(format)) {
    const near = nearest(format.slice(0, 40), FORMATS);
    warn('format', `The format ${short(format)} is not known and constrains nothing`, near);
  }
  if (isObject(properties) && Object.hasOwn(properties, '__proto__'))
    warn('properties', 'The property "__proto__" is checked by no schema: what is said of it constrains nothing');
  if (path.length > 0 && schema.$schema !== undefined) checkInnerDraft(schema.$schema, report, walk.dialect);
}

function checkInnerDraft(named: Json, report: Report, dialect: Dialect): void {
  if (dialectNamed(named) === dialect) return;
  report('$schema', 'A part of a schema cannot be written in another draft than the whole', {
    hint: 'Write it in the draft of the whole, and leave "$schema" out.',
  });
}

type Report = (key: string, message: string, more?: Partial<SchemaFault>) => void;

function checkPatterns(schema: JsonObject, report: Report, work: PatternWork): void {
  if (typeof schema.pattern === 'string') {
    const reason = unsafeRegex(schema.pattern, work);
    if (reason) report('pattern', `The pattern ${short(schema.pattern)} is refused: ${reason}`);
  }
  if (!isObject(schema.patternProperties)) return;
  for (const pattern of Object.keys(schema.patternProperties)) {
    const reason = unsafeRegex(pattern, work);
    if (reason) report('patternProperties', `The pattern ${short(pattern)} is refused: ${reason}`);
  }
}

function short(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text);
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels < 0 || Object.values(value).some((inner) => isDeeper(inner as Json, levels - 1));
}

/** How many there are; counting ends at `most`. */
function schemasUpTo(schema: JsonSchema, most: number): number {
  const open: JsonSchema[] = [schema];
  let found = 0;
  for (let one = open.pop(); one !== undefined && found < most; one = open.pop()) {
    found++;
    if (isObject(one)) for (const [, inner] of schemasIn(one)) open.push(inner);
  }
  return found;
}
