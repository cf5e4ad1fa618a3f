/** Reads what a next-loop script prints: one block between two rules of `━`, and lines around it that are notes. */
import type { JsonObject } from '../core/json.js';

const KEYS = ['STATE', 'STEP', 'TYPE', 'DO', 'PROMPT', 'INPUT', 'OUTPUT', 'RUN', 'NOTES', 'THEN'] as const;
type Key = (typeof KEYS)[number];

/** A rule has 72 of them; an editor may have cut or joined some. */
const RULE = /^\u2501{20,}$/;
const KEY = /^([A-Z]+) *: ?(.*)$/;
/** The width of a key with its colon: continuation lines begin behind it. */
const INDENT = 9;

/** Texts are '' where the block has no such key. */
export interface Block extends JsonObject {
  readonly state: string;
  readonly step: string;
  /** `llm_subagent`, `bash`, `terminal`, or what the script made up. */
  readonly type: string;
  readonly do: string;
  readonly prompt: string;
  /** One an entry, as written. */
  readonly input: readonly string[];
  readonly output: string;
  /** A script of lines. */
  readonly run: string;
  readonly notes: string;
  readonly after: string;
  /** Lines that belong to no key. */
  readonly bare: readonly string[];
}

export interface Printed {
  readonly block: Block | undefined;
  /** Lines outside of the block, for the log. */
  readonly around: readonly string[];
  /** What keeps the block from being used, for the author. */
  readonly problem?: string;
}

export function readPrinted(text: string): Printed {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  const rules = lines.flatMap((line, at) => (RULE.test(line.trim()) ? [at] : []));
  const [from, to] = rules;
  if (from === undefined) return { block: undefined, around: lines.filter(isSaid), problem: 'it printed no block' };
  if (to === undefined) {
    return { block: undefined, around: lines.filter(isSaid), problem: 'its block has no second line of ━' };
  }
  const around = [...lines.slice(0, from), ...lines.slice(to + 1)].filter(
    (line) => isSaid(line) && !RULE.test(line.trim()),
  );
  if (rules.length > 2) return { block: undefined, around, problem: 'it printed more than one block' };
  const { block, twice } = readBlock(lines.slice(from + 1, to));
  if (twice !== undefined) return { block: undefined, around, problem: `its block has ${twice} twice` };
  return { block, around, ...(block.type === '' ? { problem: 'its block has no TYPE' } : {}) };
}

const isSaid = (line: string) => line.trim() !== '';

/** `twice`: a key that would have two meanings. */
function readBlock(lines: readonly string[]): { readonly block: Block; readonly twice: Key | undefined } {
  const values = new Map<Key, string[]>();
  const bare: string[] = [];
  let current: string[] | undefined;
  let twice: Key | undefined;
  for (const line of lines) {
    const [, key, value = ''] = KEY.exec(line) ?? [];
    if (isKey(key)) {
      if (values.has(key)) twice ??= key;
      current = [value];
      values.set(key, current);
    } else if (current && /^\s/.test(line)) current.push(line.slice(indentOf(line)));
    else if (line !== '') {
      bare.push(line);
      current = undefined;
    }
  }
  const text = (key: Key) => (values.get(key) ?? []).join('\n').trim();
  const block: Block = {
    state: text('STATE'),
    step: text('STEP'),
    type: text('TYPE').split(/\s/, 1)[0] ?? '',
    do: text('DO'),
    prompt: text('PROMPT'),
    input: (values.get('INPUT') ?? []).map((entry) => entry.trim()).filter(isSaid),
    output: text('OUTPUT'),
    run: (values.get('RUN') ?? []).join('\n').trim(),
    notes: text('NOTES'),
    after: text('THEN'),
    bare,
  };
  return { block, twice };
}

function isKey(word: string | undefined): word is Key {
  return (KEYS as readonly (string | undefined)[]).includes(word);
}

/** What stands deeper than the value column stays: a here-document in RUN, a list in NOTES. */
function indentOf(line: string): number {
  return Math.min(INDENT, line.length - line.trimStart().length);
}
