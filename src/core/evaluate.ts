/** Evaluates CEL's syntax tree over JSON: one number type, bounded work, no prototypes. */
import type { Scope } from './expression.js';
import { Fault } from './faults.js';
import { arity, type CelFunction, FUNCTIONS, isEqual, kindOf, METHODS } from './functions.js';
import { isObject, type Json } from './json.js';
import { a, binary, bounded, checked, fault, nullHint, numeric, truth } from './operators.js';
import { nearest } from './problems.js';
import { bindMacro, loopMacro, showPath, staticPath, type Tree } from './tree.js';

/** Nodes that one evaluation may visit. */
const MAX_WORK = 5_000_000;

/** Faults about something that is not there: `default` goes on to its next argument. */
const absences = new WeakSet<Fault>();

interface Frame {
  readonly scope: Scope;
  readonly locals: Local | undefined;
  readonly work: { left: number };
}

interface Local {
  readonly name: string;
  readonly value: Json;
  readonly outer: Local | undefined;
}

export function evaluateTree(tree: Tree, scope: Scope): Json {
  return run(tree, { scope, locals: undefined, work: { left: MAX_WORK } });
}

function run(tree: Tree, frame: Frame): Json {
  if (frame.work.left-- <= 0) throw fault(`It takes more than ${MAX_WORK} operations`, 'Let a step compute it.');
  switch (tree.op) {
    case 'value':
      return tree.args;
    case 'id':
      return variable(tree.args, frame);
    case '.':
      return member(tree, run(tree.args[0], frame), tree.args[1]);
    case '[]':
      return member(tree, run(tree.args[0], frame), run(tree.args[1], frame));
    case 'list':
      return tree.args.map((item) => run(item, frame));
    case 'map':
      return Object.fromEntries(tree.args.map(([key, value]) => [mapKey(run(key, frame)), run(value, frame)]));
    case '?:':
      return truth(run(tree.args[0], frame), 'The condition before `?`')
        ? run(tree.args[1], frame)
        : run(tree.args[2], frame);
    case '&&':
      return logic(tree.args[0], tree.args[1], false, frame);
    case '||':
      return logic(tree.args[0], tree.args[1], true, frame);
    case '!_':
      return !truth(run(tree.args, frame), 'The value after `!`');
    case '-_':
      return -numeric(run(tree.args, frame), '-');
    case 'call':
      return call(tree, frame);
    case 'rcall':
      return method(tree, frame);
    case '==':
    case '!=':
      return isSame(tree.args[0], tree.args[1], frame) === (tree.op === '==');
    default:
      return binary(tree.op, run(tree.args[0], frame), run(tree.args[1], frame));
  }
}

function variable(name: string, frame: Frame): Json {
  for (let local = frame.locals; local; local = local.outer) if (local.name === name) return local.value;
  const value = Object.hasOwn(frame.scope, name) ? frame.scope[name] : undefined;
  if (value === undefined) throw absence(`${name} does not exist here`, name, Object.keys(frame.scope));
  return value;
}

function member(tree: Tree & { op: '.' | '[]' }, of: Json, key: Json): Json {
  const isList = Array.isArray(of);
  let value: Json | undefined;
  if (typeof key === 'number') value = isList && Number.isInteger(key) ? (of[key] as Json | undefined) : undefined;
  else if (typeof key === 'string' && isObject(of)) value = Object.hasOwn(of, key) ? of[key] : undefined;
  if (value === undefined) throw noMember(tree.args[0], of, key);
  return value;
}

/** What speaks against taking this member of this value. */
function noMember(ofTree: Tree, of: Json, key: Json): Fault {
  const from = write(ofTree);
  const path = typeof key === 'string' || typeof key === 'number' ? showPath(from, [key]) : from;
  if (Array.isArray(of)) {
    return typeof key === 'number'
      ? absence(`${path} does not exist: the list has ${count(of.length, 'item')}`)
      : fault(`${from} is a list and has no ${shown(key)}`, 'An item of a list is taken by its number.');
  }
  if (of === null) return absence(`${path} does not exist: ${from} is null`);
  if (!isObject(of)) return absence(`${path} does not exist: ${from} is ${a(kindOf(of))}, not a map`);
  return typeof key === 'string'
    ? absence(`${path} does not exist`, key, Object.keys(of))
    : fault(`${from} is a map and has no ${shown(key)}`, 'A value of a map is taken by its key, a text.');
}

function logic(left: Tree, right: Tree, decisive: boolean, frame: Frame): boolean {
  const name = decisive ? '||' : '&&';
  let first: boolean;
  try {
    first = truth(run(left, frame), `The value left of \`${name}\``);
  } catch (error) {
    // CEL: the other side may decide alone.
    if (run(right, frame) === decisive) return decisive;
    throw error;
  }
  return first === decisive ? decisive : truth(run(right, frame), `The value right of \`${name}\``);
}

function call(tree: Tree & { op: 'call' }, frame: Frame): Json {
  const [name, args] = tree.args;
  if (name === 'has' && args[0]) return runIfThere(args[0], frame) !== undefined;
  if (name === 'default') return firstThere(args, frame);
  const values = args.map((arg) => run(arg, frame));
  return apply(name, FUNCTIONS[name], values, false);
}

/** Undefined where something on the way is missing or null: for has(), that is a no. */
function runIfThere(tree: Tree, frame: Frame): Json | undefined {
  try {
    return run(tree, frame);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function firstThere(args: readonly Tree[], frame: Frame): Json {
  let missing: unknown;
  for (const arg of args) {
    try {
      const value = run(arg, frame);
      if (value !== null) return value;
    } catch (error) {
      if (!isAbsence(error)) throw error;
      missing = error;
      if (arg === args.at(-1)) throw missing;
    }
  }
  return null;
}

function method(tree: Tree & { op: 'rcall' }, frame: Frame): Json {
  const loop = loopMacro(tree);
  if (loop) return iterate(loop, frame);
  const bind = bindMacro(tree);
  if (bind) return run(bind.body, within(frame, bind.variable, run(bind.value, frame)));
  const [name, receiver, args] = tree.args;
  const values = [receiver, ...args].map((arg) => run(arg, frame));
  return apply(name, METHODS[name], values, true);
}

function iterate(loop: NonNullable<ReturnType<typeof loopMacro>>, frame: Frame): Json {
  const over = run(loop.list, frame);
  if (!Array.isArray(over) && !isObject(over))
    throw fault(`${loop.name}() goes over a list, not over ${a(kindOf(over))}`, nullHint(over));
  const items: readonly Json[] = Array.isArray(over) ? over : Object.keys(over);
  bounded(items.length);
  const [first, second] = loop.bodies as readonly [Tree, Tree?];
  const at = (body: Tree, item: Json): Json => run(body, within(frame, loop.variable, item));
  const holds = (item: Json): boolean => truth(at(first, item), `The condition of ${loop.name}()`);
  switch (loop.name) {
    case 'map':
      return second ? items.filter(holds).map((item) => at(second, item)) : items.map((item) => at(first, item));
    case 'filter':
      return items.filter(holds);
    case 'exists_one':
      return items.filter(holds).length === 1;
    default:
      return quantify(items, holds, loop.name === 'exists');
  }
}

/** CEL: an element that decides wins over one that cannot be told. */
function quantify(items: readonly Json[], holds: (item: Json) => boolean, decisive: boolean): boolean {
  let failure: { error: unknown } | undefined;
  for (const item of items) {
    try {
      if (holds(item) === decisive) return decisive;
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
  return !decisive;
}

function within(frame: Frame, name: string, value: Json): Frame {
  return { scope: frame.scope, work: frame.work, locals: { name, value, outer: frame.locals } };
}

function apply(name: string, fn: CelFunction | undefined, values: readonly Json[], isMethod: boolean): Json {
  if (!fn) {
    const near = nearest(name, Object.keys(isMethod ? METHODS : FUNCTIONS));
    throw fault(`There is no ${isMethod ? 'method' : 'function'} ${name}()`, near && `Did you mean ${near}()?`);
  }
  const { least, most, text } = arity(fn, isMethod);
  const given = values.length - (isMethod ? 1 : 0);
  if (given < least || given > most) throw fault(`${name}() takes ${text}, not ${given}`);
  values.forEach((value, index) => {
    const wanted = fn.takes[index] as string;
    if (wanted === 'any' || wanted.split('|').includes(kindOf(value))) return;
    throw fault(`${name}() takes ${a(wanted.replaceAll('|', ' or '))}, not ${a(kindOf(value))}`, nullHint(value));
  });
  try {
    return checked((fn.apply as (...values: readonly Json[]) => Json)(...values));
  } catch (error) {
    if (typeof error === 'string') throw fault(`${name}() failed: ${error}`);
    if (error instanceof RangeError) throw fault(`${name}() failed: the result would be too long`);
    throw error;
  }
}

/** Compared with null, what is missing counts as null. */
function isSame(left: Tree, right: Tree, frame: Frame): boolean {
  const isNull = (tree: Tree): boolean => tree.op === 'value' && tree.args === null;
  if (isNull(right)) return (runIfThere(left, frame) ?? null) === null;
  if (isNull(left)) return (runIfThere(right, frame) ?? null) === null;
  return isEqual(run(left, frame), run(right, frame));
}

function mapKey(key: Json): string {
  if (typeof key !== 'string') throw fault(`The key of a map is a text, not ${a(kindOf(key))}`);
  return key;
}

function isAbsence(error: unknown): boolean {
  return error instanceof Fault && absences.has(error);
}

function absence(message: string, key?: string, known: readonly string[] = []): Fault {
  const near = key === undefined ? undefined : nearest(key, known);
  const hint = near
    ? `Did you mean ${near}?`
    : known.length > 0
      ? `There is ${known.slice(0, 12).join(', ')}.`
      : undefined;
  const error = fault(message, hint);
  absences.add(error);
  return error;
}

function write(tree: Tree): string {
  const path = staticPath(tree);
  if (path) return showPath(path.root, path.path);
  if (tree.op === '.') return `${write(tree.args[0])}.${tree.args[1]}`;
  if (tree.op === '[]') return `${write(tree.args[0])}[${write(tree.args[1])}]`;
  return '…';
}

function shown(key: Json): string {
  return typeof key === 'string' ? `field ${JSON.stringify(key)}` : `${kindOf(key)} ${JSON.stringify(key)}`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
