/** YAML as a person may write it: every style of a scalar, with a mark at the place that is wrong. */

/** Stands in a text before the character that is wrong, and is taken out of the file. */
export const MARK = '¦';

export const BLOCK_STYLES = [
  'plain',
  'single',
  'double',
  'literal',
  'folded',
  'plain lines',
  'single lines',
  'double lines',
] as const;
export const FLOW_STYLES = ['plain', 'single', 'double', 'single lines', 'double lines'] as const;
export type Style = (typeof BLOCK_STYLES)[number];

export type Yaml =
  | null
  | boolean
  | number
  | string
  | Scalar
  | Flow
  | Marked
  | readonly Yaml[]
  | { readonly [key: string]: Yaml };

interface Scalar {
  readonly $style: Style;
  readonly text: string;
}

interface Flow {
  readonly $flow: Yaml;
}

interface Marked {
  readonly $marked: Yaml;
}

export const written = (style: Style, text: string): Scalar => ({ $style: style, text });
export const flow = (value: Yaml): Flow => ({ $flow: value });
/** The value begins at the place that is wrong. */
export const marked = (value: Yaml): Marked => ({ $marked: value });

/** Undefined if one of its scalars cannot be written in its style. */
export function yamlOf(value: { readonly [key: string]: Yaml }): string | undefined {
  try {
    return `${mapLines(value, 0).join('\n')}\n`;
  } catch (error) {
    if (error instanceof Unwritable) return undefined;
    throw error;
  }
}

class Unwritable extends Error {}

/** What stands after `key:` or `-`. */
function after(value: Yaml, indent: number): string {
  const pad = ' '.repeat(indent);
  if (isFlow(value)) return ` ${flowText(value.$flow, indent)}`;
  if (isMarked(value)) return ` ${MARK}${after(value.$marked, indent).trimStart()}`;
  if (isScalar(value)) return ` ${token(value, indent, false)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return `\n${value.map((item: Yaml) => `${pad}-${item_(item, indent)}`).join('\n')}`;
  }
  if (typeof value === 'object' && value !== null) {
    return `\n${mapLines(value as { readonly [key: string]: Yaml }, indent).join('\n')}`;
  }
  return ` ${JSON.stringify(value)}`;
}

/** A mapping begins in the line of its dash. */
function item_(value: Yaml, indent: number): string {
  const text = after(value, indent + 2);
  return text.startsWith('\n') ? ` ${text.slice(indent + 3)}` : text;
}

function mapLines(map: { readonly [key: string]: Yaml }, indent: number): string[] {
  return Object.entries(map).map(([key, value]) => `${' '.repeat(indent)}${keyText(key)}:${after(value, indent + 2)}`);
}

function keyText(key: string): string {
  return /^¦?\$?[a-zA-Z_]+$/.test(key) ? key : quoted(key);
}

/** The mark of a quoted key stands before its quote, unless it is inside of an expression. */
function quoted(key: string): string {
  return key.startsWith(MARK) ? `${MARK}${JSON.stringify(key.slice(1))}` : JSON.stringify(key);
}

function flowText(value: Yaml, indent: number): string {
  if (isFlow(value)) return flowText(value.$flow, indent);
  if (isMarked(value)) return `${MARK}${flowText(value.$marked, indent)}`;
  if (isScalar(value)) return token(value, indent, true);
  if (Array.isArray(value)) return `[${value.map((item: Yaml) => flowText(item, indent)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inner]) => `${keyText(key)}: ${flowText(inner as Yaml, indent)}`);
    return `{ ${entries.join(', ')} }`;
  }
  return JSON.stringify(value);
}

function token({ $style, text }: Scalar, indent: number, inFlow: boolean): string {
  const [style, lines] = $style.split(' ');
  const newline = `\n${' '.repeat(indent + 2)}`;
  const folded = (one: string): string => (lines === undefined ? one : one.replaceAll(' ', newline));
  switch (style) {
    case 'plain':
      if (!isPlain(text, inFlow)) throw new Unwritable();
      return folded(text);
    case 'single':
      return folded(`'${text.replaceAll("'", "''")}'`);
    case 'double': {
      const escaped = escapedText(text);
      return `"${lines === undefined ? escaped.replace(' ', ` \\${newline}`) : folded(escaped)}"`;
    }
    case 'literal':
    case 'folded':
      if (inFlow) throw new Unwritable();
      return `${style === 'literal' ? '|' : '>-'}${newline}${text.replaceAll(' ', newline)}`;
    default:
      throw new Error(`no style ${style}`);
  }
}

/** Every fifth letter by its number. */
function escapedText(text: string): string {
  let letters = 0;
  return text.replace(/["\\a-z]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    letters++;
    if (letters % 5 !== 0) return character;
    const hex = character.charCodeAt(0).toString(16);
    return letters % 2 === 0 ? `\\x${hex}` : `\\u00${hex}`;
  });
}

function isPlain(text: string, inFlow: boolean): boolean {
  const bare = text.replaceAll(MARK, '');
  if (/: | #|:$/.test(bare) || /^[-?:,[\]{}#&*!|>'"%@`\s]/.test(bare)) return false;
  return !inFlow || !/[,[\]{}]/.test(bare);
}

function isScalar(value: Yaml): value is Scalar {
  return typeof value === 'object' && value !== null && '$style' in value;
}

function isFlow(value: Yaml): value is Flow {
  return typeof value === 'object' && value !== null && '$flow' in value;
}

function isMarked(value: Yaml): value is Marked {
  return typeof value === 'object' && value !== null && '$marked' in value;
}

/** The file without its mark, and where that stood as `line:column`. */
export function withoutMark(text: string): { readonly text: string; readonly at: string } {
  const offset = text.indexOf(MARK);
  if (offset === -1 || text.indexOf(MARK, offset + 1) !== -1) throw new Error(`one mark is needed in ${text}`);
  const before = text.slice(0, offset).split('\n');
  return { text: text.replace(MARK, ''), at: `${before.length}:${(before.at(-1) ?? '').length + 1}` };
}
