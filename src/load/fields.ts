/** Reads the keys of a mapping: unknown ones are said, with the key that was meant. */
import { nearest } from '../core/problems.js';
import { certainly } from './certain.js';
import type { Notes } from './notes.js';
import type { Source } from './text.js';
import { describeNode, type YamlNode, type YamlPair } from './yaml-tree.js';
import { scalarText } from './yaml-write.js';

/** What is read of a file, with the place where its problems go. */
export interface Reading {
  readonly source: Source;
  readonly notes: Notes;
}

/** A key that people write for another: its name here, or a sentence where renaming is not enough. */
export type Aliases = Readonly<Record<string, { readonly key: string } | { readonly hint: string }>>;

export interface Known {
  /** For messages: `a step`, `"retry"`. */
  readonly what: string;
  readonly keys: readonly string[];
  readonly aliases?: Aliases;
}

export type Fields = ReadonlyMap<string, YamlPair>;

/** Undefined if the value is no mapping. A misspelt key counts as the one that was meant, so that it is one problem, not two. */
export function readFields(node: YamlNode, known: Known, reading: Reading): Fields | undefined {
  if (node.type === 'broken') return undefined;
  if (node.type !== 'map') {
    reading.notes.error('wrong-type', node.at, `${capital(known.what)} must be a mapping, not ${describeNode(node)}.`, {
      hint: `Its keys are: ${known.keys.join(', ')}.`,
    });
    return undefined;
  }
  const fields = new Map<string, YamlPair>();
  for (const pair of node.pairs) if (known.keys.includes(pair.key)) fields.set(pair.key, pair);
  for (const pair of node.pairs) {
    if (known.keys.includes(pair.key)) continue;
    const meant = unknownKey(pair, known, fields, reading);
    if (meant && !fields.has(meant)) fields.set(meant, pair);
  }
  return fields;
}

/** @returns the key that was meant */
function unknownKey(pair: YamlPair, known: Known, present: Fields, { source, notes }: Reading): string | undefined {
  const message = `${capital(known.what)} has no key "${pair.key}".`;
  const alias = known.aliases && Object.hasOwn(known.aliases, pair.key) ? known.aliases[pair.key] : undefined;
  if (alias && 'hint' in alias) {
    notes.error('unknown-key', pair.keySpan.at, message, { hint: alias.hint });
    return undefined;
  }
  const meant = alias?.key ?? nearest(pair.key, known.keys);
  const slip = meant ? undefined : slipOf(pair.key, known.keys);
  if (slip) {
    notes.error('unknown-key', pair.keySpan.at, message, { hint: slip });
    return undefined;
  }
  if (!meant) {
    const keys = known.keys.length > 0 ? `Its keys are: ${known.keys.join(', ')}.` : 'It has no keys.';
    notes.error('unknown-key', pair.keySpan.at, message, { hint: keys });
    return undefined;
  }
  const { start, end } = pair.keySpan;
  const isCertain = alias !== undefined || certainly(pair.key, known.keys) === meant;
  const edit =
    !isCertain || present.has(meant)
      ? undefined
      : { start: start + source.skipped, end: end + source.skipped, text: scalarText(meant) };
  notes.error('unknown-key', pair.keySpan.at, message, {
    hint: present.has(meant)
      ? `"${meant}" is there already: put what it says in there.`
      : alias
        ? `Here it is called "${meant}".`
        : `Did you mean "${meant}"?`,
    edit,
  });
  return meant;
}

/** What was typed in the place of a key, if that is no matter of its letters. */
function slipOf(written: string, keys: readonly string[]): string | undefined {
  if (written === '<<') return 'Merge keys are not read here: write the keys out.';
  const word = /^(\w+)\s*:?\s*[[{"'|>]/.exec(written)?.[1];
  return word !== undefined && keys.includes(word) ? `A colon and a blank follow a key: "${word}: …".` : undefined;
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
