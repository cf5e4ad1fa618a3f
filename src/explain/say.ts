/** Values and texts that differ, as a person reads them: short, cut where they differ, without a byte that a terminal would obey. */

import { type Difference, listChange } from '../core/compare-json.js';
import type { LineChange } from '../core/compare-text.js';
import { isObject, type Json } from '../core/json.js';
import { plainLines, plainText } from '../core/plain-text.js';

/** Characters of a line or value that are shown. */
const MOST_CHARACTERS = 120;
/** Of those, before the first one that differs. */
const LEAD = 40;
const MOST_FIELDS = 4;

/** As JSON on one line. */
export function spoken(value: Json, most = MOST_CHARACTERS): string {
  return cut(plainLines(JSON.stringify(value)), 0, most);
}

/** `"a" → "b"`, `new: "b"`, `gone: "a"`; of long ones the part where they begin to differ. */
export function change({ before, now }: Pick<Difference, 'before' | 'now'>): string {
  if (before === undefined) return now === undefined ? '' : `new: ${spoken(now)}`;
  if (now === undefined) return `gone: ${spoken(before)}`;
  const [was, is] = cutPair(plainLines(JSON.stringify(before)), plainLines(JSON.stringify(now)));
  return `${was} → ${is}`;
}

/** `     4 - the old line`; lines that took each other's place are cut at the same character. */
export function lineTexts(changes: readonly LineChange[]): string[] {
  const partners = partnersOf(changes);
  const width = String(Math.max(...changes.map(({ line }) => line))).length;
  return changes.map((one) => {
    const [text] = cutPair(plainLines(one.text), plainLines(partners.get(one)?.text ?? ''));
    return `${String(one.line).padStart(width)} ${one.type === 'added' ? '+' : '-'} ${text}`.trimEnd();
  });
}

/** Of a run of removed lines and the run of added ones after it: the first with the first. */
function partnersOf(changes: readonly LineChange[]): Map<LineChange, LineChange> {
  const partners = new Map<LineChange, LineChange>();
  for (let at = 0; at < changes.length; ) {
    const removed = runOf(changes, at, 'removed');
    const added = runOf(changes, at + removed.length, 'added');
    for (const [index, old] of removed.entries()) {
      const fresh = added[index];
      if (fresh) partners.set(old, fresh).set(fresh, old);
    }
    at += removed.length + added.length;
  }
  return partners;
}

function runOf(changes: readonly LineChange[], from: number, type: LineChange['type']): readonly LineChange[] {
  const end = changes.findIndex((one, at) => at >= from && one.type !== type);
  return changes.slice(from, end < 0 ? changes.length : end);
}

function cutPair(one: string, other: string): [string, string] {
  let same = 0;
  while (same < Math.min(one.length, other.length) && one[same] === other[same]) same++;
  return [cut(one, same, MOST_CHARACTERS), cut(other, same, MOST_CHARACTERS)];
}

/** @param differs the character that must be seen */
function cut(text: string, differs: number, most: number): string {
  if (text.length <= most) return text;
  const from = differs + LEAD > most ? Math.min(differs - LEAD, text.length - 1) : 0;
  const part = whole(text.slice(from, from + most));
  return `${from > 0 ? '…' : ''}${part}${from + most < text.length ? '…' : ''}`;
}

/** Without half a character at either end. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}

/** What became of a value as a whole: `1 of 12 hits changed, 2 new`, `verdict, summary changed`. */
export function summary(before: Json, now: Json): string {
  if (Array.isArray(before) && Array.isArray(now)) return listSummary(before, now, 'items');
  if (!isObject(before) || !isObject(now)) return change({ before, now });
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const lists: string[] = [];
  const others: string[] = [];
  for (const name of names) {
    const [was, is] = [before[name], now[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    if (!Array.isArray(was) || !Array.isArray(is)) others.push(plainText(name));
    else {
      const said = listSummary(was, is, plainText(name));
      if (said !== '') lists.push(said);
    }
  }
  const fields = others.slice(0, MOST_FIELDS).join(', ');
  const more = others.length > MOST_FIELDS ? ` and ${others.length - MOST_FIELDS} more` : '';
  return [...(fields === '' ? [] : [`${fields}${more} changed`]), ...lists].join('; ');
}

function listSummary(before: readonly Json[], now: readonly Json[], noun: string): string {
  const { changed, added, removed, count } = listChange(before, now);
  const said = [
    ...(changed > 0 ? [`${changed} of ${count} ${noun} changed`] : []),
    ...(added > 0 ? [`${added} new`] : []),
    ...(removed > 0 ? [`${removed} gone`] : []),
  ];
  return changed > 0 || said.length === 0 ? said.join(', ') : `${noun}: ${said.join(', ')} (${count} now)`;
}
