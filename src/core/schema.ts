/** JSON Schema: is it one, and does a value satisfy it; the only file that knows Ajv. */
import type { Ajv as AjvInstance, Options } from 'ajv';
import { TookTooLong, within } from './bounded.js';
import type { Complaint } from './context.js';
import { hashJson, isObject, type Json, type JsonObject, type JsonSchema } from './json.js';
import { type CompiledCheck, precompiled } from './precompiled.js';
import { nearest } from './problems.js';
import { complaintsOf, TextTooLong, valueAt } from './schema-complaints.js';
import { type Dialect, META_IDS, schemaDialect } from './schema-dialect.js';
import type { SchemaFault } from './schema-fault.js';
import { lintSchema } from './schema-lint.js';
import { localSchema } from './schema-local.js';
import type { Place } from './schema-references.js';
import { UNIQUE_ITEMS } from './schema-unique.js';

export type SchemaComplaint = Complaint & { readonly from: 'schema' };

/** What speaks against a value, at most 20 complaints; empty when it satisfies the schema. Never changes the value. */
export type Validate = (value: Json) => SchemaComplaint[];

/** For one value or schema, its regular expressions included. */
const MAX_CHECK_MS = 5_000;

const MAX_CACHED = 500;
const cache = new Map<string, Promise<Validate>>();

/** Why this is no schema that can be trusted, with the path into it. Needs no Ajv when the meta-schemas are precompiled. */
export async function schemaFaults(schema: Json): Promise<SchemaFault[]> {
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    return [
      { severity: 'error', path: [], message: `A schema is a map, true or false, not ${JSON.stringify(schema)}` },
    ];
  }
  const chosen = schemaDialect(schema);
  if ('problem' in chosen) return [{ severity: 'error', path: ['$schema'], message: chosen.problem }];
  const { faults, onlyReferred } = lintSchema(schema, chosen.dialect);
  if (faults.some((fault) => fault.tooBig)) return [...faults];
  const check = precompiled[`meta:${chosen.dialect}`] ?? (await metaCheck(chosen.dialect));
  const judged = [{ schema, path: [] }, ...onlyReferred].flatMap((part) =>
    boundedComplaints(check, part.schema).map((one) => faultOf(one, part)),
  );
  return [...judged, ...faults];
}

function faultOf(
  { path: pointer, message }: SchemaComplaint,
  { schema, path: above }: Pick<Place, 'schema' | 'path'>,
): SchemaFault {
  const path = [...above, ...pointerPath(pointer, schema)];
  const key = path.at(-1);
  const written = key === 'type' && valueAt(schema, pointer);
  const near = typeof written === 'string' ? nearest(written, TYPES) : undefined;
  return {
    severity: 'error',
    path,
    message: key === undefined ? message : `${JSON.stringify(key)}: ${message}`,
    ...(near ? { hint: `Did you mean ${near}?` } : {}),
  };
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Compiled once for equal schemas, whatever their `$id`. The schema must be free of faults. */
export function compileSchema(schema: JsonSchema): Promise<Validate> {
  const hash = hashOf(schema);
  const known = cache.get(hash);
  if (known) return known;
  if (cache.size >= MAX_CACHED) cache.clear();
  const validate = (async (): Promise<Validate> => {
    const ours = precompiled[hash];
    if (ours) return (value) => complaintsOf(ours, value);
    try {
      const check = await compile(schema);
      return (value) => boundedComplaints(check, value);
    } catch (error) {
      const message = `the schema itself cannot be used: ${(error as Error).message}`;
      return () => [{ from: 'schema', path: '', message }];
    }
  })();
  cache.set(hash, validate);
  return validate;
}

function boundedComplaints(check: CompiledCheck, value: Json): SchemaComplaint[] {
  try {
    return within(MAX_CHECK_MS, () => complaintsOf(check, value));
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    return [{ from: 'schema', path: '', message: `the value cannot be checked against the schema: ${error.message}` }];
  }
}

/** A schema is made once, then asked for with each value. */
function hashOf(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return hashJson(schema);
  const hash = hashes.get(schema) ?? hashJson(schema);
  hashes.set(schema, hash);
  return hash;
}

const hashes = new WeakMap<JsonObject, string>();

/** An output schema as the parameters of a tool: whatever is not certainly an object goes into `{result: …}`. */
export function wrapForTool(schema: JsonSchema): {
  readonly parameters: JsonObject;
  readonly wrapped: boolean;
  unwrap(value: Json): Json;
} {
  if (isObject(schema) && schema.type === 'object') {
    return { parameters: schema, wrapped: false, unwrap: (value) => value };
  }
  const local = isObject(schema) ? localSchema(schema, hasDynamicRef(schema)) : schema;
  const { $schema, $defs, definitions, ...inner } = isObject(local) ? local : ({} as JsonObject);
  const moved = (part: Json): Json => moveRefs(part);
  const parameters = {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { result: isObject(local) ? moved(inner as JsonObject) : local },
    required: ['result'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moved($defs) }),
    ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
  };
  const unwrap = (value: Json): Json =>
    isObject(value) && Object.hasOwn(value, 'result') ? (value.result ?? null) : value;
  return { parameters, wrapped: true, unwrap };
}

/** Points references at the place where the schema stands once it is wrapped. */
function moveRefs(part: Json): Json {
  if (Array.isArray(part)) return part.map(moveRefs);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === '$ref' && typeof value === 'string') return [key, movedRef(value)];
      const isPlain = key === 'const' || key === 'enum' || key === 'default' || key === 'examples';
      return [key, isPlain ? value : moveRefs(value)];
    }),
  );
}

function movedRef(ref: string): string {
  if (ref !== '#' && !ref.startsWith('#/')) return ref;
  if (/^#\/(\$defs|definitions)\//.test(ref)) return ref;
  return `#/properties/result${ref.slice(1)}`;
}

/** Longest text that a pattern is tried on: even one that does not explode can need quadratic time. */
const MAX_PATTERN_TEXT = 20_000;

const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const regex = new RegExp(pattern, flags);
    const test = (text: string) => {
      if (text.length > MAX_PATTERN_TEXT) throw new TextTooLong(MAX_PATTERN_TEXT);
      return regex.test(text);
    };
    return { test, exec: (text: string) => (test(text) ? regex.exec(text) : null), toString: () => String(regex) };
  },
  { code: 'new RegExp' },
);

const OPTIONS: Options = {
  code: { regExp: boundedRegExp as never },
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  inlineRefs: 20,
};

/** Ajv finds the root of a schema only by its name. */
const ROOT_ID = 'schema:root';

function hasDynamicRef(schema: JsonSchema): boolean {
  const chosen = schemaDialect(schema);
  return 'dialect' in chosen && chosen.dialect === '2020-12';
}

async function compile(schema: JsonSchema): Promise<CompiledCheck> {
  const chosen = schemaDialect(schema);
  if ('problem' in chosen) throw new Error(chosen.problem);
  const ajv = await ajvOf(chosen.dialect, { ...OPTIONS, meta: false });
  const formats = whole<typeof import('ajv-formats')>(await import('ajv-formats'));
  formats.default(ajv);
  ajv.removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS);
  const local = localSchema(schema, hasDynamicRef(schema));
  return ajv.compile(isObject(local) ? { ...local, $id: ROOT_ID } : local) as unknown as CompiledCheck;
}

const metaChecks = new Map<Dialect, Promise<CompiledCheck>>();

function metaCheck(dialect: Dialect): Promise<CompiledCheck> {
  const known = metaChecks.get(dialect);
  if (known) return known;
  const check = ajvOf(dialect, OPTIONS).then((ajv) => ajv.getSchema(META_IDS[dialect]) as unknown as CompiledCheck);
  metaChecks.set(dialect, check);
  return check;
}

/** An instance of its own for each schema, so that no two of them can clash by `$id`. */
async function ajvOf(dialect: Dialect, options: Options): Promise<AjvInstance> {
  if (dialect === 'draft-07') {
    const { Ajv } = whole<typeof import('ajv')>(await import('ajv'));
    return new Ajv(options);
  }
  const { Ajv2020 } = whole<typeof import('ajv/dist/2020.js')>(await import('ajv/dist/2020.js'));
  return new Ajv2020(options) as unknown as AjvInstance;
}

/** In a bundle a dynamic import of a CommonJS package has only `default`. */
function whole<T>(module: T | { readonly default: T }): T {
  const inner = (module as { readonly default?: T & object }).default;
  return inner && Object.hasOwn(inner, '__esModule') ? inner : (module as T);
}

/** A JSON Pointer as the keys it stands for. */
function pointerPath(pointer: string, root: Json): (string | number)[] {
  let at: Json | undefined = root;
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => {
      const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
      const isIndex = Array.isArray(at);
      at = isIndex ? (at as readonly Json[])[Number(key)] : isObject(at) ? at[key] : undefined;
      return isIndex ? Number(key) : key;
    });
}
