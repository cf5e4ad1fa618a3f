/** Calls of functions and methods: whether they exist, and take what they are given. */
import { arity, type CelFunction, FUNCTIONS, METHODS } from '../core/functions.js';
import { nearest } from '../core/problems.js';
import type { Tree } from '../core/tree.js';
import { certainly } from './certain.js';
import { find, type Look, namePlace, names, nonNull } from './infer-findings.js';
import { showType } from './infer-show.js';
import { BOOLEAN, DYNAMIC, isNever, listOf, mayBe, NUMBER, STRING, type Type } from './infer-types.js';

const KINDS: Readonly<Record<string, Type['kind']>> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  list: 'list',
  map: 'map',
};

interface Given {
  /** A method's receiver comes first. */
  readonly args: readonly Tree[];
  readonly types: readonly Type[];
  readonly isMethod: boolean;
}

export function apply(
  tree: Tree & { op: 'call' | 'rcall' },
  name: string,
  fn: CelFunction | undefined,
  given: Given,
  look: Look,
): Type {
  const { args, types, isMethod } = given;
  if (!fn) {
    unknownFunction(tree, name, isMethod, look);
    return DYNAMIC;
  }
  const { least, most, text } = arity(fn, isMethod);
  const count = args.length - (isMethod ? 1 : 0);
  if (count < least || count > most) {
    find(look, namePlace(tree, look), `${name}() takes ${text}, not ${count}`);
    return gives(name, fn, types);
  }
  for (const [place, arg] of args.entries()) {
    const wanted = fn.takes[place]?.split('|') ?? [];
    if (wanted.includes('any')) continue;
    const type = types[place] ?? DYNAMIC;
    const known = nonNull(arg, type, look);
    if (isNever(known) || wanted.some((kind) => mayBe(known, KINDS[kind] ?? 'dynamic'))) continue;
    find(look, arg, `${name}() takes a ${wanted.join(' or ')}, and this is ${showType(known)}`);
  }
  return gives(name, fn, types);
}

function gives(name: string, fn: CelFunction, types: readonly Type[]): Type {
  switch (fn.gives) {
    case 'text':
      return STRING;
    case 'number':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'text list':
      return listOf(STRING);
    default:
      if (name === 'lines' && types[0]?.kind === 'string') return listOf(STRING);
      if (name === 'lines' && types[0]?.kind === 'list') return STRING;
      return DYNAMIC;
  }
}

function unknownFunction(tree: Tree & { op: 'call' | 'rcall' }, name: string, isMethod: boolean, look: Look): void {
  const [same, other] = isMethod ? [METHODS, FUNCTIONS] : [FUNCTIONS, METHODS];
  const known = [
    ...Object.keys(same),
    ...(isMethod ? ['all', 'exists', 'exists_one', 'map', 'filter'] : ['has', 'default']),
  ];
  const near = nearest(name, known);
  const elsewhere = Object.hasOwn(other, name) ? (isMethod ? `Write ${name}(x).` : `Write x.${name}(…).`) : undefined;
  const hint = near ? `Did you mean ${near}()?` : (elsewhere ?? `There is ${names(known)}.`);
  find(look, namePlace(tree, look), `There is no ${isMethod ? 'method' : 'function'} ${name}()`, hint, {
    replacement: certainly(name, known),
  });
}
