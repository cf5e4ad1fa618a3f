/** Finds the folders of the skills that expressions name. */

import { type Expression, positionIn } from '../core/expression.js';
import { nearest } from '../core/problems.js';
import { certainly } from './certain.js';
import type { PipelineReading } from './draft.js';
import { editInside } from './expression-edit.js';
import { keyPlaceOf, referencesIn } from './references.js';
import { lookupName } from './skill.js';

/** By the names that expressions write: `skills.paper_search.dir`. */
export function skillFolders(expressions: readonly Expression[], reading: PipelineReading): Record<string, string> {
  const folders = new Map<string, string>();
  for (const { expression, ref, at } of referencesIn(expressions, 'skills')) {
    const name = ref.path[0];
    if (typeof name !== 'string') {
      reading.notes.error('unknown-skill', at, '"skills" is read with a name: skills.paper_search.dir.');
      continue;
    }
    if (folders.has(name)) continue;
    const skill = reading.findSkill(name);
    if (skill) {
      folders.set(name, skill.dir);
      continue;
    }
    const names = reading.skillNames().map(lookupName);
    const near = nearest(lookupName(name), names);
    const place = keyPlaceOf(expression, ref, 0);
    reading.notes.error('unknown-skill', positionIn(expression, place.start), `There is no skill "${name}".`, {
      hint: near ? `Did you mean "${near}"?` : undefined,
      edit: editInside(expression, place, certainly(lookupName(name), names), reading.source),
    });
  }
  return Object.fromEntries(folders);
}
