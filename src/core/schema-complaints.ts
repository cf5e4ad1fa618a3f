/** Says to a person or a model what a schema check found. */

import type { Complaint } from './context.js';
import { isObject, type Json } from './json.js';
import type { CheckError, CompiledCheck } from './precompiled.js';

type SchemaComplaint = Complaint & { readonly from: 'schema' };

const MAX_COMPLAINTS = 20;
const MAX_SHOWN_CHARACTERS = 80;

/** `/papers/0/year: expected integer, received string "2020"`. */
export function complaintLine({ path, message }: Complaint): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** A text that a pattern is not tried on. */
export class TextTooLong extends Error {
  constructor(most: number) {
    super(`a text in it is longer than ${most} characters, which is the most that a pattern is tried on`);
  }
}

/** What the check says against the value, 20 complaints at most. */
export function complaintsOf(check: CompiledCheck, value: Json): SchemaComplaint[] {
  let errors: readonly CheckError[];
  try {
    if (check(value)) return [];
    errors = check.errors ?? [];
    check.errors = null;
  } catch (error) {
    if (error instanceof TextTooLong) return [{ from: 'schema', path: '', message: error.message }];
    if (!(error instanceof RangeError)) throw error;
    return [{ from: 'schema', path: '', message: 'the value is nested too deeply to be checked' }];
  }
  const distinct = new Map<string, SchemaComplaint>();
  for (const error of withoutBranches(errors, value)) {
    const one = complaint(error, value);
    distinct.set(complaintLine(one), one);
    if (distinct.size === MAX_COMPLAINTS) break;
  }
  return [...distinct.values()];
}

function complaint(error: CheckError, root: Json): SchemaComplaint {
  const { params, keyword } = error;
  const value = valueAt(root, error.instancePath);
  const path = error.instancePath;
  const said = (message: string): SchemaComplaint => ({ from: 'schema', path, message });
  const compared = (expected: string, received = describe(value)): SchemaComplaint => ({
    from: 'schema',
    path,
    message: `expected ${expected}, received ${received}`,
    expected,
    received,
  });
  switch (keyword) {
    case 'type':
      return compared([params.type].flat().join(' or '));
    case 'enum':
      return compared(`one of ${list(params.allowedValues)}`);
    case 'const':
      return compared(short(params.allowedValue));
    case 'required':
      return said(`the field ${JSON.stringify(params.missingProperty)} is missing`);
    case 'dependentRequired':
    case 'dependencies':
      return said(
        `the field ${JSON.stringify(params.missingProperty)} is missing; ${JSON.stringify(params.property)} needs it`,
      );
    case 'additionalProperties':
      return said(`the field ${JSON.stringify(params.additionalProperty)} is not allowed`);
    case 'unevaluatedProperties':
      return said(`the field ${JSON.stringify(params.unevaluatedProperty)} is not allowed`);
    case 'propertyNames':
      return said(`the field name ${JSON.stringify(params.propertyName)} is not allowed`);
    case 'pattern':
      return compared(`a string that matches ${params.pattern}`);
    case 'format':
      return compared(`a string of the format ${params.format}`);
    case 'minLength':
    case 'maxLength':
      return compared(bound(keyword, params, 'character'), `${[...String(value)].length}`);
    case 'minItems':
    case 'maxItems':
      return compared(bound(keyword, params, 'item'), `${Array.isArray(value) ? value.length : 0}`);
    case 'minProperties':
    case 'maxProperties':
      return compared(bound(keyword, params, 'field'), `${isObject(value) ? Object.keys(value).length : 0}`);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return compared(`a number ${params.comparison} ${params.limit}`);
    case 'multipleOf':
      return compared(`a multiple of ${params.multipleOf}`);
    case 'uniqueItems':
      return said(`the items ${params.j} and ${params.i} are equal; every item must be different`);
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return said(`there may be at most ${params.limit ?? params.len} items`);
    case 'contains':
      return said(
        `at least ${params.minContains ?? 1} item must be of the kind that the schema names under "contains"`,
      );
    case 'not':
      return said(`${describe(value)} is what the schema excludes`);
    case 'false schema':
      return said('no value is allowed here');
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(params.passingSchemas)
        ? said(`${describe(value)} fits more than one of the allowed forms; it must fit exactly one`)
        : compared(typeof params.expected === 'string' ? params.expected : 'one of the allowed forms');
    default:
      return said(error.message ?? `the value breaks "${keyword}"`);
  }
}

/**
 * A union that fails reports every branch. What helps is the one branch that was meant, or else one line for all.
 * The errors of the branches stand before the error of the union.
 */
function withoutBranches(errors: readonly CheckError[], root: Json): CheckError[] {
  const kept: CheckError[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const isUnion = error.keyword === 'anyOf' || error.keyword === 'oneOf';
    if (!isUnion || Array.isArray(error.params.passingSchemas)) {
      kept.push(error);
      continue;
    }
    const inside: CheckError[] = [];
    for (let last = kept.at(-1); last && isInside(last, error); last = kept.at(-1)) {
      inside.push(last);
      kept.pop();
    }
    for (const one of meantBranch(inside.reverse(), error, valueAt(root, error.instancePath))) kept.push(one);
  }
  return kept;
}

function isInside(error: CheckError, union: CheckError): boolean {
  const isBelow = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  if (!isBelow) return false;
  if (error.schemaPath.startsWith(`${union.schemaPath}/`)) return true;
  const owner = union.schemaPath.slice(0, union.schemaPath.lastIndexOf('/') + 1);
  return !error.schemaPath.startsWith(owner) || owner === '#/';
}

function meantBranch(inside: readonly CheckError[], union: CheckError, value: Json | undefined): readonly CheckError[] {
  const branches = new Map<string, CheckError[]>();
  for (const error of inside) {
    const key = branchOf(error, union);
    const branch = branches.get(key);
    if (branch) branch.push(error);
    else branches.set(key, [error]);
  }
  const isMeant = (branch: readonly CheckError[]): boolean =>
    !branch.some(({ keyword, instancePath }) => {
      if (instancePath === union.instancePath) return ['type', 'const', 'enum', 'false schema'].includes(keyword);
      const below = instancePath.slice(union.instancePath.length + 1);
      return !below.includes('/') && (keyword === 'const' || keyword === 'enum');
    });
  const meant = [...branches.values()].filter(isMeant);
  if (meant.length === 1) return meant[0] ?? [];
  const ofKind = [...branches.values()].filter((branch) => branch.some((error) => isChoiceOfKind(error, union, value)));
  const isOtherwiseMistyped = inside.every(
    ({ keyword, instancePath }) => instancePath !== union.instancePath || keyword === 'enum' || keyword === 'type',
  );
  if (ofKind.length === 1 && isOtherwiseMistyped) return ofKind[0] ?? [];
  const wanted = [...branches.values()].map((branch) =>
    branch.find((error) => error.instancePath === union.instancePath),
  );
  const expected = wanted.map((error) => {
    if (error?.keyword === 'type') return [error.params.type].flat().join(' or ');
    if (error?.keyword === 'const') return short(error.params.allowedValue);
    return error?.keyword === 'enum' ? list(error.params.allowedValues) : undefined;
  });
  if (expected.length === 0 || expected.includes(undefined)) return [union];
  return [{ ...union, params: { expected: [...new Set(expected)].join(' or ') } }];
}

/** One word of several was asked for, and it is another word. */
function isChoiceOfKind({ keyword, instancePath, params }: CheckError, union: CheckError, value: Json | undefined) {
  if (keyword !== 'enum' || instancePath !== union.instancePath || typeof value !== 'string') return false;
  return (params.allowedValues as readonly unknown[]).every((one) => typeof one === 'string');
}

function branchOf(error: CheckError, union: CheckError): string {
  const prefix = `${union.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/')[0] ?? '';
  return error.schemaPath.split('/').slice(0, 3).join('/');
}

export function valueAt(root: Json, pointer: string): Json | undefined {
  let at: Json | undefined = root;
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty object' : `an object with ${keys.slice(0, 8).join(', ')}`;
  }
  return `${typeof value} ${short(value)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

function list(values: unknown): string {
  const shown = (values as readonly unknown[]).map(short);
  return shown.length > 20 ? `${shown.slice(0, 20).join(', ')}, …` : shown.join(', ');
}

function bound(keyword: string, params: Readonly<Record<string, unknown>>, noun: string): string {
  const limit = Number(params.limit);
  return `at ${keyword.startsWith('min') ? 'least' : 'most'} ${limit} ${noun}${limit === 1 ? '' : 's'}`;
}
