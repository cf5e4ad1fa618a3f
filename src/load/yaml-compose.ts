/** YAML text → documents of the library, or every mistake in it. */
import { Composer, type CST, type Document, isScalar, Lexer, Parser, visit } from 'yaml';

const MAX_DEPTH = 64;
const MAX_LEXEMES = 500_000;
/** Nobody reads more of a text that is broken everywhere; what comes after them is not looked at. */
const MAX_BROKEN_TOKENS = 1_000;
/** Lexemes that say what follows; they are no text. */
const CONTROL_LEXEMES: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f']);

export interface Mistake {
  readonly offset: number;
  readonly code: string;
  readonly message: string;
}

export type Composed =
  | { readonly type: 'documents'; readonly first: Document.Parsed | undefined; readonly mistakes: readonly Mistake[] }
  /** Not composed at all. */
  | { readonly type: 'refused'; readonly rule: string; readonly message: string; readonly offset: number };

/** Depth is counted on the parser's stack, before the composer recurses: 40 KB of `[` would abort the process. */
export function composeYaml(text: string): Composed {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let offset = 0;
  let lexemes = 0;
  let broken = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'error') broken++;
    }
    if (broken >= MAX_BROKEN_TOKENS) break;
    if (parser.stack.length > MAX_DEPTH + 1) {
      const message = `The YAML is nested deeper than ${MAX_DEPTH} levels.`;
      return { type: 'refused', rule: 'yaml-depth', message, offset };
    }
    if (++lexemes > MAX_LEXEMES) {
      return { type: 'refused', rule: 'yaml-size', message: 'The YAML holds too many values.', offset };
    }
    if (!CONTROL_LEXEMES.has(lexeme)) offset += lexeme.length;
  }
  for (const token of parser.end()) tokens.push(token);
  const documents = composeTokens(tokens, text.length);
  return { type: 'documents', first: documents[0], mistakes: mistakesOf(documents, text) };
}

/** A text that is broken everywhere makes an error for each token: they are made without their stacks, four times as fast. */
function composeTokens(tokens: readonly CST.Token[], length: number): Document.Parsed[] {
  const composer = new Composer({
    keepSourceTokens: true,
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return [...composer.compose(tokens, true, length)] as Document.Parsed[];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function mistakesOf(documents: readonly Document.Parsed[], text: string): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const document of documents) {
    for (const { pos, code, message } of [...document.errors, ...document.warnings]) {
      const unclosed = code === 'MISSING_CHAR' && /closing/.test(message) ? openingQuote(document, pos[0]) : undefined;
      mistakes.push({ offset: unclosed ?? pos[0], code, message });
    }
    mistakes.push(...cutScalars(document));
  }
  const second = documents[1];
  if (second)
    mistakes.push({
      offset: second.range?.[0] ?? text.length,
      code: 'MULTIPLE_DOCS',
      message: 'More than one document',
    });
  return mistakes.sort((a, b) => a.offset - b.offset);
}

function openingQuote(document: Document.Parsed, end: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_, node) {
      if (node.range?.[1] === end) start = node.range[0];
    },
  });
  return start;
}

/** Plain scalars of flow collections with an open parenthesis: a comma has cut them, and YAML says nothing. */
function cutScalars(document: Document.Parsed): Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Collection(_, node) {
      if (!node.flow) return;
      for (const item of node.items) {
        const value = isScalar(item) ? item : (item as { value?: unknown }).value;
        if (!isScalar(value) || value.type !== 'PLAIN' || typeof value.value !== 'string' || !value.range) continue;
        if (count(value.value, '(') > count(value.value, ')')) {
          mistakes.push({ offset: value.range[0], code: 'CUT', message: 'A comma cuts the value' });
        }
      }
    },
  });
  return mistakes;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
