/** CEL's operators over JSON values, and the faults that they and the functions raise. */
import { Fault } from './faults.js';
import { isEqual, kindOf, MAX_LIST_ITEMS, MAX_TEXT_CHARACTERS } from './functions.js';
import { isObject, type Json, never } from './json.js';
import type { BinaryOp } from './tree.js';

export function binary(op: Exclude<BinaryOp, '==' | '!='>, left: Json, right: Json): Json {
  switch (op) {
    case 'in':
      return isIn(left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(op, left, right);
    case '+':
      if (typeof left === 'string' && typeof right === 'string') return checked(left + right);
      if (Array.isArray(left) && Array.isArray(right)) return checked([...left, ...right]);
      return checked(sum(left, right));
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(op, numeric(left, op), numeric(right, op));
    default:
      return never(op);
  }
}

function sum(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  const hint =
    typeof left === 'string' || typeof right === 'string'
      ? 'string(…) makes a text of any value.'
      : nullHint(left, right);
  throw fault(`${a(kindOf(left))} and ${a(kindOf(right))} cannot be added`, hint);
}

function arithmetic(op: '-' | '*' | '/' | '%', left: number, right: number): number {
  if (right === 0 && (op === '/' || op === '%')) throw fault('A division by zero');
  return checked(
    op === '-' ? left - right : op === '*' ? left * right : op === '/' ? left / right : left % right,
  ) as number;
}

function order(op: '<' | '<=' | '>' | '>=', left: Json, right: Json): boolean {
  const comparable = typeof left === typeof right && ['number', 'string', 'boolean'].includes(typeof left);
  if (!comparable)
    throw fault(`${a(kindOf(left))} and ${a(kindOf(right))} have no order (${op})`, nullHint(left, right));
  const [x, y] = [left, right] as [number, number];
  return op === '<' ? x < y : op === '<=' ? x <= y : op === '>' ? x > y : x >= y;
}

function isIn(item: Json, all: Json): boolean {
  if (Array.isArray(all)) {
    bounded(all.length);
    return all.some((one) => isEqual(item, one));
  }
  if (isObject(all)) return typeof item === 'string' && Object.hasOwn(all, item);
  const hint = typeof all === 'string' ? 'For a part of a text write text.contains(part).' : nullHint(all);
  throw fault(`\`in\` looks into a list or a map, not into ${a(kindOf(all))}`, hint);
}

export function truth(value: Json, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw fault(
    `${what} is ${a(kindOf(value))}, neither true nor false`,
    'Compare it, for example with `!= null` or `== "…"`.',
  );
}

export function numeric(value: Json, op: string): number {
  if (typeof value === 'number') return value;
  throw fault(`\`${op}\` takes numbers, not ${a(kindOf(value))}`, nullHint(value));
}

/** Nothing grows without bound, and every number is one that JSON can hold. */
export function checked(value: Json): Json {
  if (typeof value === 'number' && !Number.isFinite(value)) throw fault('The result is no finite number');
  if (typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS)
    throw fault(`A text is longer than ${MAX_TEXT_CHARACTERS} characters`);
  if (Array.isArray(value)) bounded(value.length);
  return value;
}

export function bounded(items: number): void {
  if (items > MAX_LIST_ITEMS) throw fault(`A list has more than ${MAX_LIST_ITEMS} items`, 'Let a step work on it.');
}

export function fault(message: string, hint?: string): Fault {
  return new Fault('step.expression', message, hint ? { hint } : {});
}

export function nullHint(...values: readonly Json[]): string | undefined {
  return values.includes(null) ? 'default(value, other) stands in for what is null or missing.' : undefined;
}

export function a(kind: string): string {
  return kind === 'null' ? 'null' : `a ${kind}`;
}
