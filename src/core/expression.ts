/** Expressions and templates: parse, evaluate, render. */
import { parseTree } from './cel.js';
import { evaluateTree } from './evaluate.js';
import { Fault, type FaultData } from './faults.js';
import { asText } from './functions.js';
import { type Json, never } from './json.js';
import type { Position, Problem } from './problems.js';
import { bindMacro, children, loopMacro, staticPath, type Tree } from './tree.js';

/** One expression of a pipeline file. Pure: same scope, same value. */
export interface Expression {
  readonly source: string;
  /** Of its first character. */
  readonly at: Position;
  readonly ast: Node;
  /** Every static path it reads, e.g. steps.a.output.title → {root: 'steps', path: ['a', 'output', 'title']}; longest paths, no duplicates. */
  readonly refs: readonly Ref[];
  /** Throws a Fault `step.expression` that names the source and the position. */
  evaluate(scope: Scope): Json;
}

export interface Ref {
  readonly root: string;
  readonly path: readonly (string | number)[];
  /** Offsets into the source. */
  readonly start: number;
  readonly end: number;
}

/** Values by root name: query, inputs, steps, output, item, … */
export type Scope = Readonly<Record<string, Json | undefined>>;

/** A node of CEL's syntax tree: `op`, `args`, and offsets into the source. */
export interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

/** A YAML value whose strings may hold `${{ }}`. */
export type Template =
  | { readonly type: 'literal'; readonly value: Json }
  /** A scalar that is exactly one `${{ }}`: keeps its type. */
  | { readonly type: 'expression'; readonly expression: Expression }
  /** Mixed text: strings go as they are, null as nothing, the rest as JSON. */
  | { readonly type: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly type: 'list'; readonly items: readonly Template[] }
  | { readonly type: 'map'; readonly entries: readonly (readonly [string, Template])[] };

/** Where an offset of a text stands in its file. */
export type Locate = (offset: number) => Position;

const locations = new WeakMap<Expression, Locate>();

/** Where an offset of an expression's source stands in its file. */
export function positionIn(expression: Expression, offset: number): Position {
  return (locations.get(expression) ?? linear(expression.source, expression.at))(offset);
}

/**
 * @param at of the first character of `source`
 * @param locate for a source that is escaped or folded in its file; `at` is then not used
 */
export function parseExpression(
  source: string,
  at: Position,
  locate: Locate = linear(source, at),
): { readonly expression: Expression } | { readonly problem: Problem } {
  const lead = source.length - source.trimStart().length;
  const text = source.trim();
  const place: Locate = (offset) => locate(offset + lead);
  const parsed = parseTree(text);
  if ('complaint' in parsed) {
    const { message, offset, hint } = parsed.complaint;
    return {
      problem: { severity: 'error', rule: 'expression', message, at: place(offset), ...(hint ? { hint } : {}) },
    };
  }
  return { expression: expressionOf(text, parsed.tree, place) };
}

/** The same source at the same place, read as another tree. */
export function readAs(expression: Expression, tree: Tree): Expression {
  return expressionOf(expression.source, tree, (offset) => positionIn(expression, offset));
}

function expressionOf(source: string, tree: Tree, place: Locate): Expression {
  const expression: Expression = {
    source,
    at: place(0),
    ast: tree,
    refs: refsOf(tree),
    evaluate: (scope) => evaluateNamed(expression, tree, scope),
  };
  locations.set(expression, place);
  return expression;
}

/** For `when`, `foreach`, `until` and `that`: an expression with or without its `${{ }}`. */
export function compileCondition(
  text: string,
  locate: Locate,
): { readonly expression: Expression } | { readonly problems: readonly Problem[] } {
  if (!text.trim().startsWith('${{')) {
    const parsed = parseExpression(text, locate(0), locate);
    return 'problem' in parsed ? { problems: [parsed.problem] } : parsed;
  }
  const compiled = compileText(text, locate);
  if ('problems' in compiled) return compiled;
  if (compiled.template.type === 'expression') return { expression: compiled.template.expression };
  const hint = 'Put the whole expression into one pair of braces, or leave the braces out.';
  return { problems: [complain(locate(0), 'Here stands exactly one expression, not a text', hint)] };
}

/** Finds every `${{ }}` of a text. `readable`: what could be read of a text that has problems. */
export function compileText(
  text: string,
  locate: Locate,
): { readonly template: Template } | { readonly problems: readonly Problem[]; readonly readable: Template } {
  const parts: (string | Expression)[] = [];
  const problems: Problem[] = [];
  let literal = '';
  let offset = 0;
  for (;;) {
    const open = text.indexOf('${{', offset);
    if (open < 0) break;
    if (text[open - 1] === '$' && open > offset) {
      literal += `${text.slice(offset, open - 1)}\${{`;
      offset = open + 3;
      continue;
    }
    literal += text.slice(offset, open);
    const end = closingBraces(text, open + 3);
    if ('unclosed' in end) {
      const hint =
        end.unclosed === open ? 'Close it with }}, or write $${{ for the characters themselves.' : 'Close the quote.';
      const what = end.unclosed === open ? '`${{` is not closed' : 'A quote inside `${{` is not closed';
      problems.push(complain(locate(end.unclosed), what, hint));
      break;
    }
    const start = open + 3;
    const parsed = parseExpression(text.slice(start, end.close), locate(start), (at) => locate(start + at));
    if ('problem' in parsed) problems.push(parsed.problem);
    else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(parsed.expression);
    }
    offset = end.close + 2;
  }
  if (problems.length > 0) return { problems, readable: { type: 'text', parts } };
  literal += text.slice(offset);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return { template: templateOf(parts) };
}

/** Texts with their expressions replaced; the values keep their types where an expression stands alone. */
export function render(template: Template, scope: Scope): Json {
  switch (template.type) {
    case 'literal':
      return template.value;
    case 'expression':
      return template.expression.evaluate(scope);
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : asText(part.evaluate(scope)))).join('');
    case 'list':
      return template.items.map((item) => render(item, scope));
    case 'map':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, render(value, scope)]));
    default:
      return never(template);
  }
}

const expressionsOf = new WeakMap<Template, readonly Expression[]>();

/** Every expression of a template, in the order of the file. */
export function templateExpressions(template: Template): readonly Expression[] {
  const known = expressionsOf.get(template);
  if (known) return known;
  const found = expressionsIn(template);
  expressionsOf.set(template, found);
  return found;
}

function expressionsIn(template: Template): readonly Expression[] {
  switch (template.type) {
    case 'literal':
      return [];
    case 'expression':
      return [template.expression];
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return template.items.flatMap(templateExpressions);
    case 'map':
      return template.entries.flatMap(([, value]) => templateExpressions(value));
    default:
      return never(template);
  }
}

function templateOf(parts: readonly (string | Expression)[]): Template {
  const expressions = parts.filter((part) => typeof part !== 'string');
  const [only] = expressions;
  if (!only) return { type: 'literal', value: parts.join('') };
  const alone = expressions.length === 1 && parts.every((part) => typeof part !== 'string' || part.trim() === '');
  return alone ? { type: 'expression', expression: only } : { type: 'text', parts };
}

/** The `}}` that ends an expression: not one inside a string of CEL or a map's literal. */
function closingBraces(text: string, start: number): { readonly close: number } | { readonly unclosed: number } {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") {
      const after = afterString(text, at, character);
      if (after === undefined) return { unclosed: text.includes('}}', at) ? at : start - 3 };
      at = after - 1;
    } else if (character === '{') depth++;
    else if (character === '}') {
      if (depth === 0 && text[at + 1] === '}') return { close: at };
      if (depth > 0) depth--;
    }
  }
  return { unclosed: start - 3 };
}

/** CEL skips the character after a backslash in raw strings too. */
function afterString(text: string, start: number, quote: string): number | undefined {
  const fence = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let at = start + fence.length; at < text.length; at++) {
    if (text.startsWith(fence, at)) return at + fence.length;
    if (fence.length === 1 && text[at] === '\n') return undefined;
    if (text[at] === '\\') at++;
  }
  return undefined;
}

function refsOf(tree: Tree): Ref[] {
  const refs = new Map<string, Ref>();
  const visit = (node: Tree, bound: ReadonlySet<string>): void => {
    const path = staticPath(node);
    if (path) {
      if (bound.has(path.root)) return;
      const key = JSON.stringify([path.root, ...path.path]);
      if (!refs.has(key)) refs.set(key, { ...path, start: node.start, end: node.end });
      return;
    }
    const loop = loopMacro(node);
    if (loop) {
      visit(loop.list, bound);
      for (const body of loop.bodies) visit(body, new Set([...bound, loop.variable]));
      return;
    }
    const bind = bindMacro(node);
    if (bind) {
      visit(bind.value, bound);
      visit(bind.body, new Set([...bound, bind.variable]));
      return;
    }
    for (const child of children(node)) visit(child, bound);
  };
  visit(tree, new Set());
  return [...refs.values()];
}

function evaluateNamed(expression: Expression, tree: Tree, scope: Scope): Json {
  try {
    return evaluateTree(tree, scope);
  } catch (error) {
    const data = faultOf(error);
    if (!data) throw error;
    const { line, column, file } = expression.at;
    const where = `${file.split(/[\\/]/).at(-1)}:${line}:${column}`;
    const { code, message, ...more } = data;
    throw new Fault(code, `${message}, in the expression ${expression.source} (${where})`, more);
  }
}

function faultOf(error: unknown): FaultData | undefined {
  if (error instanceof Fault) return error.data;
  return error instanceof RangeError ? { code: 'step.expression', message: 'A value is nested too deeply' } : undefined;
}

function linear(source: string, at: Position): Locate {
  return (offset) => {
    const before = source.slice(0, offset);
    const breaks = before.split('\n').length - 1;
    if (breaks === 0) return { ...at, column: at.column + offset };
    return { ...at, line: at.line + breaks, column: offset - before.lastIndexOf('\n') };
  };
}

function complain(at: Position, message: string, hint: string): Problem {
  return { severity: 'error', rule: 'expression', message, at, hint };
}
