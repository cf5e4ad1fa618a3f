/** Finds two steps that would write one file of the run folder. */
import type { Position } from '../core/problems.js';
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Notes } from './notes.js';

interface Writer {
  readonly draft: Draft;
  readonly path: string;
  readonly at: Position;
  /** By `save`, or by leaving it in the work folder. */
  readonly does: 'saves' | 'leaves';
}

/** Of paths that are known before the run; the others are found when it happens. */
export function checkWriters(roots: readonly Draft[], notes: Notes): void {
  const writers = new Map<string, Writer>();
  for (const writer of everyDraft(roots).flatMap(writersOf)) {
    const file = `${loopFolder(writer.draft)}${normal(writer.path)}`;
    const other = writers.get(file);
    const inWay = other ?? foldersOf(file).flatMap((folder) => writers.get(folder) ?? [])[0];
    if (!other) writers.set(file, writer);
    if (inWay) sayConflict(writer, inWay, other ? 'too' : 'as a file, not as a folder', notes);
  }
}

function sayConflict(second: Writer, first: Writer, how: string, notes: Notes): void {
  if (isConditional(first.draft) && isConditional(second.draft)) return;
  // What a step itself saves over what it left is one file with one owner.
  if (first.draft === second.draft && first.does !== second.does) return;
  const shared = how === 'too' ? 'which' : `and "${first.path}"`;
  const message = `Step "${second.draft.id}" ${second.does} "${second.path}", ${shared} step "${first.draft.id}" (line ${first.at.line}) ${first.does} ${how}.`;
  notes.error('two-writers', second.at, message, { hint: 'Give one of them another path.' });
}

function writersOf(draft: Draft): Writer[] {
  const saved = draft.save.flatMap(({ path, at }): Writer[] =>
    path.type === 'literal' && typeof path.value === 'string' ? [{ draft, path: path.value, at, does: 'saves' }] : [],
  );
  const artifacts = draft.fields.get('artifacts')?.value;
  const left = (artifacts?.type === 'list' ? artifacts.items : []).flatMap((item): Writer[] => {
    if (item.type !== 'scalar' || typeof item.value !== 'string' || /[*?[\]{}]/.test(item.value)) return [];
    return [{ draft, path: item.value, at: item.at, does: 'leaves' }];
  });
  return [...saved, ...left];
}

function foldersOf(file: string): string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** In a loop over items each has a folder of its own. */
function loopFolder(draft: Draft): string {
  return lineage(draft)
    .filter((each) => each.fields.has('foreach'))
    .map((each) => `${each.id}/*/`)
    .join('');
}

function normal(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** Steps that may both be skipped may exclude each other. */
function isConditional(draft: Draft): boolean {
  return lineage(draft).some((each) => each.fields.has('when'));
}
