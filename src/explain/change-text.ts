/** The changes of a key, of a value or of files, line by line as a person reads them. */

import { type Difference, members, pointer } from '../core/compare-json.js';
import { firstLine } from '../core/compare-text.js';
import { plainText } from '../core/plain-text.js';
import { FILES_OF_EARLIER_STEPS } from '../core/reasons.js';
import type { PartChange } from './compare-keys.js';
import type { FileChange } from './files.js';
import { change, lineTexts } from './say.js';

const MOST_DIFFERENCES = 6;
const MOST_FILES = 6;
/** Neighbours in a list that came or went together are one line from so many on. */
const MANY_ITEMS = 3;

/**
 * @param mostLines of a text, so many lines that differ are shown
 * @param follows from what other steps gave, which is said already: then values are named and not shown
 */
export function keyLines(changes: readonly PartChange[], mostLines: number, follows: boolean): string[] {
  if (!follows) return changes.flatMap((one) => partLines(one, mostLines));
  const asserts = changes.filter(isReadByAssert);
  const own = changes.filter((one) => !asserts.includes(one));
  const [first] = asserts;
  const read =
    asserts.length > 1 ? [`what ${asserts.length} asserts read changed`] : first ? [`${first.name} changed`] : [];
  return [
    ...own.flatMap((one) => (holdsValues(one) ? [`${plainText(one.name)} changed`] : partLines(one, mostLines))),
    ...read,
  ];
}

/** Of an assert that is as it was. */
export function isReadByAssert({ part, type }: PartChange): boolean {
  return part.startsWith('assert.') && type === 'values';
}

/** Whether it is made of values of other steps, rather than written in the file. */
export function holdsValues(one: PartChange): boolean {
  if (isReadByAssert(one) || one.part === FILES_OF_EARLIER_STEPS) return true;
  return (
    one.type === 'values' && one.part.startsWith('config.') && one.differences.some(({ place }) => place.length > 0)
  );
}

function partLines(one: PartChange, mostLines: number): string[] {
  const name = plainText(one.name);
  switch (one.type) {
    case 'added':
      return [`${name} is new`];
    case 'removed':
      return [`${name} is gone`];
    case 'changed':
      return [`${name} changed`];
    case 'lines': {
      const line = firstLine(one.lines);
      const isOneLine = one.lines.every(({ line }) => line === 1);
      const where = line === undefined || isOneLine ? '' : ` at line ${line}`;
      return [`${name} changed${where}`, ...limited(lineTexts(one.lines), mostLines).map((text) => `  ${text}`)];
    }
    case 'values':
      return valueLines(name, one.differences);
  }
}

function valueLines(name: string, found: readonly Difference[]): string[] {
  const spell = (place: Difference['place']) =>
    plainText(name === 'output schema' ? pointer(place) : members(place).replace(/^\./, ''));
  const [first] = found;
  if (!first || found.length > 1) return [`${name} changed`, ...differenceLines(found, spell)];
  if (name === 'model' || name === 'model host') return [`${name} ${plainText(`${first.before} → ${first.now}`)}`];
  if (first.place.length === 0) return [`${name} ${change(first)}`];
  return [`${name}${name === 'model parameter' ? '' : ' changed:'} ${spell(first.place)} ${change(first)}`];
}

export function differenceLines(
  found: readonly Difference[],
  spell: (place: Difference['place']) => string,
  most = MOST_DIFFERENCES,
): string[] {
  const lines: string[] = [];
  let at = 0;
  for (let run = 1; at < found.length && lines.length < most; at += run) {
    const one = found[at] as Difference;
    run = runLength(found, at);
    if (run < MANY_ITEMS) run = 1;
    const said = run === 1 ? change(one) : `${run} items ${one.before === undefined ? 'are new' : 'are gone'}`;
    lines.push(`${spell(run === 1 ? one.place : one.place.slice(0, -1))} ${said}`.trim());
  }
  return [...lines, ...(at < found.length ? [`… ${found.length - at} more`] : [])].map((text) => `  ${text}`);
}

/** How many items of one list came, or went, from here on. */
function runLength(found: readonly Difference[], from: number): number {
  const sortOf = ({ place, before, now }: Difference) =>
    typeof place.at(-1) !== 'number' || (before !== undefined && now !== undefined)
      ? undefined
      : JSON.stringify([place.slice(0, -1), before === undefined]);
  const sort = sortOf(found[from] as Difference);
  if (sort === undefined) return 1;
  const end = found.findIndex((one, at) => at > from && sortOf(one) !== sort);
  return (end < 0 ? found.length : end) - from;
}

export function filesLines(title: string, files: readonly FileChange[]): string[] {
  const words = { added: ' (new)', removed: ' (gone)', changed: '' };
  const names = files.map(({ path, type }) => `${plainText(path)}${words[type]}`);
  const [only] = names;
  if (only !== undefined && names.length === 1) return [`${title}: ${only}`];
  return [title, ...limited(names, MOST_FILES).map((name) => `  ${name}`)];
}

function limited(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), `… ${lines.length - most} more`];
}
