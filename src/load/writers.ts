/** Finds two steps that would write one file of the run folder. */
import { type Draft, everyDraft, lineage } from './draft.js';
import type { Notes } from './notes.js';

interface Writer {
  readonly draft: Draft;
  readonly line: number;
}

/** Of paths that are known before the run; the others are found when it happens. */
export function checkWriters(roots: readonly Draft[], notes: Notes): void {
  const writers = new Map<string, Writer>();
  for (const draft of everyDraft(roots)) {
    for (const { path, at } of draft.save) {
      if (path.type !== 'literal' || typeof path.value !== 'string') continue;
      const file = `${loopFolder(draft)}${normal(path.value)}`;
      const first = writers.get(file);
      if (!first) {
        writers.set(file, { draft, line: at.line });
        continue;
      }
      if (isConditional(first.draft) && isConditional(draft)) continue;
      notes.error(
        'two-writers',
        at,
        `Step "${draft.id}" saves "${path.value}", which step "${first.draft.id}" (line ${first.line}) saves too.`,
        {
          hint: 'Give one of them another path.',
        },
      );
    }
  }
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
