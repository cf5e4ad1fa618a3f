/** Reads single values of a mapping with their types, units or bounds. */
import { unsafeIn } from '../core/plain-text.js';
import { nearest, type Position } from '../core/problems.js';
import { booleanMeant, certainly, numberMeant } from './certain.js';
import { durationMeant, parseDuration } from './duration.js';
import type { Reading } from './fields.js';
import { editOf, type Meant, replacement } from './value-edit.js';
import { describeNode, type YamlNode, type YamlPair, type YamlScalar } from './yaml-tree.js';
import { scalarText } from './yaml-write.js';

/** All of these return undefined, with a problem said, if the value is something else; and in silence for no pair or a broken value. */
type Read<T> = (pair: YamlPair | undefined, reading: Reading) => T | undefined;

export const readString: Read<string> = (pair, reading) => {
  if (!pair || pair.value.type === 'broken') return undefined;
  if (pair.value.type === 'scalar' && typeof pair.value.value === 'string') return pair.value.value;
  return wrong(
    pair,
    'a text',
    reading,
    pair.value.type === 'scalar' && pair.value.value !== null
      ? { hint: 'Put it in quotes.', edit: asWritten(pair.value, reading) }
      : {},
  );
};

/** A text of one line that is shown to people and becomes a part of paths. */
export const readLabel: Read<string> = (pair, reading) => {
  const text = readString(pair, reading)?.trim();
  const unshown = text === undefined ? undefined : unsafeIn(text);
  if (!pair || unshown === undefined) return text;
  const character = `U+${(unshown.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const message = `"${pair.key}" is shown on one line and holds the control character ${character}.`;
  reading.notes.error('not-allowed', pair.value.at, message, { hint: 'Write it without that character.' });
  return undefined;
};

export const readBoolean: Read<boolean> = (pair, reading) => {
  if (!pair || pair.value.type === 'broken') return undefined;
  if (pair.value.type === 'scalar' && typeof pair.value.value === 'boolean') return pair.value.value;
  const meant = pair.value.type === 'scalar' ? booleanMeant(String(pair.value.value)) : undefined;
  return wrong(pair, 'true or false', reading, meant === undefined ? {} : { hint: `Write ${meant}.`, edit: meant });
};

export function readNumber(
  pair: YamlPair | undefined,
  reading: Reading,
  bounds: { readonly min?: number; readonly max?: number; readonly integer?: boolean },
): number | undefined {
  if (!pair || pair.value.type === 'broken') return undefined;
  const what = bounds.integer ? 'a whole number' : 'a number';
  if (pair.value.type !== 'scalar' || typeof pair.value.value !== 'number') {
    const meant = pair.value.type === 'scalar' ? numberMeant(String(pair.value.value)) : undefined;
    return wrong(pair, what, reading, meant === undefined ? {} : { hint: `Write ${meant}.`, edit: meant });
  }
  const { value } = pair.value;
  if (bounds.integer && !Number.isInteger(value)) return wrong(pair, what, reading);
  if (bounds.min !== undefined && value < bounds.min)
    return outOfBounds(pair, `at least ${bounds.min}`, value, reading);
  if (bounds.max !== undefined && value > bounds.max) return outOfBounds(pair, `at most ${bounds.max}`, value, reading);
  return value;
}

function outOfBounds(pair: YamlPair, bound: string, value: number, { notes }: Reading): undefined {
  notes.error('out-of-bounds', pair.value.at, `"${pair.key}" must be ${bound}, not ${value}.`);
  return undefined;
}

export function readChoice<T extends string>(
  pair: YamlPair | undefined,
  choices: readonly T[],
  reading: Reading,
): T | undefined {
  if (!pair || pair.value.type === 'broken') return undefined;
  const { value } = pair;
  const words = choices.map((choice) => `"${choice}"`).join(' or ');
  if (value.type !== 'scalar') return wrong(pair, words, reading);
  const found = choices.find((choice) => choice === value.value);
  if (found) return found;
  const meant = nearest(String(value.value), choices);
  reading.notes.error('not-allowed', value.at, `"${pair.key}" must be ${words}, not ${shown(value)}.`, {
    hint: meant ? `Did you mean "${meant}"?` : undefined,
    edit: editOf(value, certainly(String(value.value), choices, 'choice'), reading),
  });
  return undefined;
}

export interface TextItem {
  readonly text: string;
  readonly at: Position;
  readonly node: YamlScalar;
}

/** A list of texts. */
export function readTexts(
  pair: YamlPair | undefined,
  reading: Reading,
  what = 'a list of texts',
): TextItem[] | undefined {
  if (!pair || pair.value.type === 'broken') return undefined;
  if (pair.value.type !== 'list') {
    const single = pair.value.type === 'scalar' && typeof pair.value.value === 'string' ? pair.value.value : undefined;
    reading.notes.error(
      'wrong-type',
      pair.value.at,
      `"${pair.key}" must be ${what}, not ${describeNode(pair.value)}.`,
      {
        hint: single === undefined ? undefined : `Write [${single}].`,
        edit:
          single === undefined || /[\s,]/.test(single)
            ? undefined
            : replacement(pair.value, `[${scalarText(single)}]`, reading),
      },
    );
    return undefined;
  }
  const items: TextItem[] = [];
  for (const node of pair.value.items) {
    if (node.type === 'broken') continue;
    if (node.type === 'scalar' && typeof node.value === 'string') items.push({ text: node.value, at: node.at, node });
    else
      reading.notes.error('wrong-type', node.at, `"${pair.key}" must be ${what}; this item is ${describeNode(node)}.`);
  }
  return items;
}

/** In milliseconds, at least 1. */
export const readDuration: Read<number> = (pair, reading) => {
  if (!pair || pair.value.type === 'broken') return undefined;
  const { value } = pair;
  const written = value.type === 'scalar' ? value.value : null;
  const ms = typeof written === 'string' ? parseDuration(written) : undefined;
  if (ms !== undefined && ms > 0) return ms;
  const meant = typeof written === 'string' && ms === undefined ? durationMeant(written) : undefined;
  const hint =
    typeof written === 'number'
      ? `A number has no unit: write ${written}s, ${written}m or ${written}h.`
      : meant
        ? `Write ${meant}.`
        : 'Write for example 2s, 10m, 1h30m.';
  const edit = editOf(value, meant, reading);
  reading.notes.error('duration', value.at, `"${pair.key}" must be a duration, not ${shown(value)}.`, { hint, edit });
  return undefined;
};

/** A count, or a share such as `90%`. */
export const readMinimum: Read<{ readonly count: number } | { readonly share: number }> = (pair, reading) => {
  if (!pair || pair.value.type === 'broken') return undefined;
  const written = pair.value.type === 'scalar' ? pair.value.value : null;
  if (typeof written === 'number' && Number.isInteger(written) && written >= 0) return { count: written };
  const percent = typeof written === 'string' ? /^(\d+(?:\.\d+)?)\s*%$/.exec(written.trim()) : null;
  if (percent && Number(percent[1]) <= 100) return { share: Number(percent[1]) / 100 };
  const number = typeof written === 'string' ? numberMeant(written) : undefined;
  const meant = number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
  reading.notes.error(
    'wrong-type',
    pair.value.at,
    `"${pair.key}" must be a count or a percentage up to 100%, not ${shown(pair.value)}.`,
    {
      hint: meant === undefined ? 'Write for example 1, or 90%.' : `Write ${meant}.`,
      edit: editOf(pair.value, meant, reading),
    },
  );
  return undefined;
};

export function shown(node: YamlNode): string {
  if (node.type !== 'scalar' || node.value === null) return describeNode(node);
  return typeof node.value === 'string' ? `"${node.value.slice(0, 60)}"` : String(node.value);
}

function wrong(
  pair: YamlPair,
  wanted: string,
  reading: Reading,
  { hint, edit }: { readonly hint?: string | undefined; readonly edit?: Meant } = {},
): undefined {
  const message = `"${pair.key}" must be ${wanted}, not ${shown(pair.value)}.`;
  reading.notes.error('wrong-type', pair.value.at, message, { hint, edit: editOf(pair.value, edit, reading) });
  return undefined;
}

/** Of a number or a switch where a text belongs: what stands there. */
function asWritten(node: YamlNode, { source }: Reading): string | undefined {
  return node.type === 'scalar' && !node.isAlias ? source.text.slice(node.start, node.end) : undefined;
}
