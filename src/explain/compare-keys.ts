/** Which parts of two keys differ, and how, in the words of the pipeline file. */

import { type Difference, differences } from '../core/compare-json.js';
import { type LineChange, lineChanges } from '../core/compare-text.js';
import { isObject, type Json, type JsonObject } from '../core/json.js';

export interface Keyed {
  readonly parts: Readonly<Record<string, string>>;
  /** What the parts are hashes of, as far as it was kept. */
  readonly values: JsonObject;
}

/** `part` as the key has it, `name` as people call it. */
export type PartChange = { readonly part: string; readonly name: string } & (
  | { readonly type: 'lines'; readonly lines: readonly LineChange[] }
  | { readonly type: 'values'; readonly differences: readonly Difference[] }
  | { readonly type: 'added' | 'removed' }
  /** Only the hashes are known. */
  | { readonly type: 'changed' }
);

export function comparedKeys(before: Keyed, now: Keyed): PartChange[] {
  const names = [...new Set([...Object.keys(now.parts), ...Object.keys(before.parts)])];
  const changed = names.filter((part) => before.parts[part] !== now.parts[part]);
  const isSaid = (part: string) => part === 'config.model' && changed.includes('model');
  return changed.filter((part) => !isSaid(part)).flatMap((part) => changesOf(part, before, now));
}

function changesOf(part: string, before: Keyed, now: Keyed): PartChange[] {
  const named = { part, name: partName(part) };
  const [was, is] = [keptValue(before, part), keptValue(now, part)];
  if (before.parts[part] === undefined)
    return [
      is === undefined
        ? { ...named, type: 'added' }
        : { ...named, type: 'values', differences: [{ place: [], now: is }] },
    ];
  if (now.parts[part] === undefined)
    return [
      was === undefined
        ? { ...named, type: 'removed' }
        : { ...named, type: 'values', differences: [{ place: [], before: was }] },
    ];
  if (was === undefined || is === undefined) return [{ ...named, type: 'changed' }];
  if (part === 'model') return modelChanges(was, is);
  if (/^assert\.\d+$/.test(part)) return [assertChange(named, was, is)];
  if (typeof was === 'string' && typeof is === 'string' && !(isWord(was) && isWord(is)))
    return [{ ...named, type: 'lines', lines: lineChanges(was, is) }];
  return [{ ...named, type: 'values', differences: differences(was, is) }];
}

const LONG_WORD = 60;

/** Short, on one line: to be quoted rather than listed by lines. */
function isWord(text: string): boolean {
  return text.length <= LONG_WORD && !text.includes('\n');
}

function keptValue({ values }: Keyed, part: string): Json | undefined {
  return Object.hasOwn(values, part) ? values[part] : undefined;
}

/** Written as [label, host, parameters]. */
function modelChanges(was: Json, is: Json): PartChange[] {
  const [label, host, parameters] = Array.isArray(was) ? was : [];
  const [newLabel, newHost, newParameters] = Array.isArray(is) ? is : [];
  const one = (name: string, before: Json = null, now: Json = null): PartChange[] => {
    const found = differences(before, now);
    return found.length === 0 ? [] : [{ part: 'model', name, type: 'values', differences: found }];
  };
  const given = isObject(parameters) && isObject(newParameters);
  return [
    ...one('model', label, newLabel),
    ...one('model host', host, newHost),
    ...(given ? one('model parameter', parameters, newParameters) : []),
  ];
}

/** Written as [source, values that it reads]. */
function assertChange(named: { readonly part: string; readonly name: string }, was: Json, is: Json): PartChange {
  const [source, values] = Array.isArray(was) ? was : [];
  const [newSource, newValues] = Array.isArray(is) ? is : [];
  if (typeof source === 'string' && typeof newSource === 'string' && source !== newSource)
    return { ...named, type: 'lines', lines: lineChanges(source, newSource) };
  const name = `what ${named.name} reads`;
  return { part: named.part, name, type: 'values', differences: differences(values ?? null, newValues ?? null) };
}

/** `prompt`, `output schema`, `file prompts/audit.md`. */
export function partName(part: string): string {
  if (part === 'output') return 'output schema';
  return part
    .replace(/^config\./, '')
    .replace(/^(file|tool|assert)\./, '$1 ')
    .replace(/^config$/, 'configuration');
}
