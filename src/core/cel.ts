/** CEL text to syntax tree; the only file that knows the CEL library. */
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import type { Json } from './json.js';
import { unsafeRegex } from './pattern.js';
import { LOOP_MACROS, type Tree } from './tree.js';

/** Nesting of brackets, and of the tree. */
const MAX_NESTING = 64;
const MAX_TREE_DEPTH = 500;
const MAX_SOURCE_CHARACTERS = 20_000;

/** Made at the first parse: it registers every operator and function. */
let made: Environment | undefined;

function environment(): Environment {
  made ??= new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: { maxDepth: MAX_NESTING },
  });
  return made;
}

export interface SyntaxComplaint {
  readonly message: string;
  readonly offset: number;
  readonly hint?: string | undefined;
}

class Refusal extends Error {
  constructor(readonly complaint: SyntaxComplaint) {
    super(complaint.message);
  }
}

export function parseTree(source: string): { readonly tree: Tree } | { readonly complaint: SyntaxComplaint } {
  if (source === '') return { complaint: { message: 'The expression is empty', offset: 0 } };
  if (source.length > MAX_SOURCE_CHARACTERS) {
    return { complaint: { message: `The expression is longer than ${MAX_SOURCE_CHARACTERS} characters`, offset: 0 } };
  }
  try {
    return { tree: convert(environment().parse(source).ast, 0) };
  } catch (error) {
    if (error instanceof Refusal) return { complaint: error.complaint };
    if (error instanceof RangeError)
      return { complaint: { message: 'The expression is nested too deeply', offset: 0 } };
    if (error instanceof ParseError) return { complaint: syntaxComplaint(source, error) };
    throw error;
  }
}

/** A plain tree: numbers are doubles, macros stand as they were written. */
function convert(node: ASTNode, depth: number): Tree {
  if (depth > MAX_TREE_DEPTH) refuse(node, 'The expression is nested too deeply');
  const inner = (child: ASTNode): Tree => convert(child, depth + 1);
  const args = (): unknown => {
    switch (node.op) {
      case 'value':
        return literal(node, node.args);
      case 'id':
        return node.args;
      case '.':
        return [inner(node.args[0]), node.args[1]];
      case 'call':
        checkCall(node, node.args[0], node.args[1]);
        return [node.args[0], node.args[1].map(inner)];
      case 'rcall':
        checkMethod(node, node.args[0], node.args[2]);
        return [node.args[0], inner(node.args[1]), node.args[2].map(inner)];
      case 'list':
        return node.args.map(inner);
      case 'map':
        return node.args.map(([key, value]) => [inner(key), inner(value)]);
      case '!_':
      case '-_':
        return inner(node.args);
      default:
        return (node.args as readonly ASTNode[]).map(inner);
    }
  };
  return { op: node.op, args: args(), start: node.start, end: node.end } as Tree;
}

function literal(node: ASTNode, value: unknown): Json {
  if (typeof value === 'bigint') {
    const double = Number(value);
    if (BigInt(double) === value) return double;
    return refuse(node, `${value} is more than a number can hold exactly`, 'Write it as a text, in quotes.');
  }
  if (value instanceof Uint8Array) return refuse(node, 'There are no bytes: write the text without the b');
  if (typeof value === 'object' && value !== null) {
    return refuse(node, `There is one type of number: write ${value} without the u`);
  }
  return value as Json;
}

function checkCall(node: ASTNode, name: string, args: readonly ASTNode[]): void {
  if (name === 'has') {
    const [path, ...rest] = args;
    if (path && rest.length === 0 && (path.op === '.' || path.op === '[]')) return;
    refuse(node, 'has() takes one path that ends in a field, such as has(x.y)');
  }
  if (name === 'default' && args.length < 2)
    refuse(node, 'default() takes a value and at least one that stands in for it');
  if (name === 'timestamp' || name === 'duration' || name === 'bytes') {
    refuse(node, `There is no ${name}()`, 'Times are texts; ISO 8601 in UTC compares as it is written.');
  }
}

function checkMethod(node: ASTNode, name: string, args: readonly ASTNode[]): void {
  if (LOOP_MACROS.has(name)) {
    const most = name === 'map' ? 3 : 2;
    if (args[0]?.op === 'id' && args.length >= 2 && args.length <= most) return;
    refuse(node, `${name}() takes a variable and an expression, such as list.${name}(x, x.ok)`);
  }
  if (name !== 'matches' || args.length !== 1) return;
  const [pattern] = args;
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    refuse(
      pattern ?? node,
      'The pattern of matches() is written out, as a text',
      'For a part of a text use contains().',
    );
  }
  const reason = unsafeRegex(pattern.args);
  if (reason) refuse(pattern, `The pattern of matches() is refused: ${reason}`);
}

function refuse(node: ASTNode, message: string, hint?: string): never {
  throw new Refusal({ message, offset: node.start, hint });
}

const TOKENS: Readonly<Record<string, string>> = {
  EOF: 'the end',
  NUMBER: 'a number',
  STRING: 'a text',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '`+`',
  MINUS: '`-`',
  MULTIPLY: '`*`',
  DIVIDE: '`/`',
  MODULO: '`%`',
  EQ: '`==`',
  NE: '`!=`',
  LT: '`<`',
  LE: '`<=`',
  GT: '`>`',
  GE: '`>=`',
  AND: '`&&`',
  OR: '`||`',
  NOT: '`!`',
  IN: '`in`',
  LPAREN: '`(`',
  RPAREN: '`)`',
  LBRACKET: '`[`',
  RBRACKET: '`]`',
  LBRACE: '`{`',
  RBRACE: '`}`',
  DOT: '`.`',
  COMMA: '`,`',
  COLON: '`:`',
  QUESTION: '`?`',
  BYTES: 'bytes',
};

function syntaxComplaint(source: string, error: ParseError): SyntaxComplaint {
  const place = Math.min(error.range?.start ?? 0, source.length);
  // Of a word, the library names the last letter.
  const offset = place - (/\w$/.test(source[place] ?? '') ? (/\w*$/.exec(source.slice(0, place))?.[0].length ?? 0) : 0);
  const word = /^\w+/.exec(source.slice(offset))?.[0];
  if (error.code === 'limit_exceeded') return { message: 'The expression is nested too deeply or too long', offset };
  const message = error.summary
    .replace(
      /^Unexpected character: '?(.*?)'?$/s,
      (_, found) => `Unexpected ${found === 'undefined' ? 'end' : `\`${word ?? found}\``}`,
    )
    .replace(/\b[A-Z]{2,}\b/g, (token) => TOKENS[token] ?? token)
    .replace('Unexpected token: ', 'Unexpected ')
    .replace(/^Unexpected (?:a|the) /, 'Unexpected ');
  return {
    message: `${message} in ${JSON.stringify(source.length > 60 ? `${source.slice(0, 60)}…` : source)}`,
    offset,
    hint: syntaxHint(source, offset),
  };
}

function syntaxHint(source: string, offset: number): string | undefined {
  const rest = source.slice(offset);
  const before = source.slice(0, offset).trimEnd();
  if (/^=(?!=)/.test(rest))
    return before.endsWith('==') ? 'CEL compares with ==.' : 'CEL compares with ==; a single = means nothing.';
  if (/^&/.test(rest)) return 'CEL writes && for and.';
  if (/^\|/.test(rest)) return 'CEL writes || for or.';
  if (/^and\b/.test(rest)) return 'CEL writes && for and.';
  if (/^or\b/.test(rest)) return 'CEL writes || for or.';
  if (/\bnot$/.test(before)) return 'CEL writes ! for not.';
  if (/^\$/.test(rest)) return 'Names stand without $; this is already inside an expression.';
  if (/^[“”„‘’]/.test(rest)) return 'Texts stand in plain quotes, " or \'.';
  if (/^`/.test(rest)) return 'Texts stand in single or double quotes.';
  if (before.endsWith('.')) {
    const name = /^\w+/.exec(rest)?.[0];
    return name
      ? `Write ["${name}"] for a field of this name.`
      : 'A field that is not a plain name stands in brackets: ["the name"].';
  }
  return undefined;
}
