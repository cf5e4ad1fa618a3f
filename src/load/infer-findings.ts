/** What the check says about an expression, with the place in its source. */
import { showPath, staticPath, type Tree } from '../core/tree.js';
import type { TypeScope } from './infer-narrow.js';
import { showType } from './infer-show.js';
import {
  DYNAMIC,
  forms,
  isNever,
  literalType,
  mayBe,
  mayBeNull,
  overlaps,
  type Type,
  withoutNull,
} from './infer-types.js';

export interface Finding {
  /** Offsets into the expression's source. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
  /** The text that belongs at this place, when there is one right answer. */
  readonly replacement?: string;
  /** The step that is not there, or has no such field. */
  readonly step?: string;
}

export interface Look {
  readonly scope: TypeScope;
  /** Of the expression. */
  readonly source: string;
  /**
   * Whether it is a fault that something is missing. `path`: not along this path (inside has() and comparisons with null);
   * `default`: not anywhere below (inside default()).
   */
  readonly missing: 'fault' | 'path' | 'default';
  readonly findings: Finding[];
}

/** For what stands below a path: its parts are values like any other. */
export function inner(look: Look): Look {
  return look.missing === 'path' ? { ...look, missing: 'fault' } : look;
}

export interface Place {
  readonly start: number;
  readonly end: number;
  readonly isQuoted?: boolean;
}

export interface MoreOfFinding {
  readonly replacement?: string | undefined;
  readonly step?: string | undefined;
}

export function find(
  look: Look,
  { start, end }: Place,
  message: string,
  hint?: string,
  more: MoreOfFinding = {},
): void {
  const { replacement, step } = more;
  const finding: Finding = {
    start,
    end,
    message,
    ...(hint ? { hint } : {}),
    ...(replacement ? { replacement } : {}),
    ...(step === undefined ? {} : { step }),
  };
  const isKnown = look.findings.some(
    (other) => other.start === start && other.end === end && other.message === message,
  );
  if (!isKnown) look.findings.push(finding);
}

export function silent(look: Look): Look {
  return { ...look, findings: [] };
}

/** Of the key alone, with its quotes. */
export function keyPlace(tree: Tree & { op: '.' | '[]' }): Place {
  if (tree.op === '.') return { start: tree.end - tree.args[1].length, end: tree.end };
  const [, key] = tree.args;
  return { start: key.start, end: key.end, isQuoted: true };
}

/** Of a function's or method's name alone. */
export function namePlace(tree: Tree & { op: 'call' | 'rcall' }, look: Look): Place {
  const [name] = tree.args;
  const from = tree.op === 'call' ? tree.start : look.source.indexOf('.', tree.args[1].end);
  const start = look.source.indexOf(name, from);
  return from < 0 || start < 0 ? tree : { start, end: start + name.length };
}

export function span(left: Tree, right: Tree): Place {
  return { start: left.start, end: right.end };
}

export function write(tree: Tree): string | undefined {
  const path = staticPath(tree);
  return path && showPath(path.root, path.path);
}

export function names(all: readonly string[]): string {
  return all.length > 12 ? `${all.slice(0, 12).join(', ')}, …` : all.join(', ');
}

/** Says that null has no fields, and goes on without it. */
export function nonNull(tree: Tree, type: Type, look: Look): Type {
  if (!mayBeNull(type)) return type;
  const rest = withoutNull(type);
  if (look.missing !== 'fault') return rest;
  sayNull(tree, isNever(rest), look);
  return rest;
}

function sayNull(tree: Tree, isAlways: boolean, look: Look): void {
  const path = write(tree);
  const id = /^steps\.(\w+)\.output$/.exec(path ?? '')?.[1];
  const isHealed = id !== undefined && !mayBeDoneWithNull(id, look.scope);
  const guard = isHealed ? `steps.${id}.status == "done" && …` : `${path ?? 'x'} != null && …`;
  const hint = isAlways ? undefined : `Guard it: ${guard}, or default(${path ?? 'x'}, …).`;
  find(look, tree, `${path ?? 'This'} ${isAlways ? 'is' : 'may be'} null`, hint);
}

/** Such as a child pipeline that an end can end before its result. */
function mayBeDoneWithNull(id: string, { roots }: TypeScope): boolean {
  const field = (type: Type | undefined, key: string): Type | undefined =>
    type?.kind === 'map' ? type.fields.get(key)?.type : undefined;
  return forms(roots.get('steps') ?? DYNAMIC).some((steps) =>
    forms(field(steps, id) ?? DYNAMIC).some((step) => {
      const output = field(step, 'output');
      return (
        output !== undefined && mayBeNull(output) && overlaps(field(step, 'status') ?? DYNAMIC, literalType('done'))
      );
    }),
  );
}

export function requireKind(tree: Tree, type: Type, kind: 'boolean' | 'list' | 'number' | 'string', look: Look): void {
  if (isNever(type)) return;
  const known = nonNull(tree, type, inner(look));
  if (isNever(known) || mayBe(known, kind)) return;
  const wanted = { boolean: 'true or false', list: 'a list', number: 'a number', string: 'a text' }[kind];
  const hint = kind === 'boolean' ? 'Compare it, for example with `!= null` or `== "…"`.' : undefined;
  find(look, tree, `Here stands ${wanted}, and this is ${showType(known)}`, hint);
}
