/** Finds the folders of the skills that expressions name. */

import type { Expression } from '../core/expression.js';
import { nearest } from '../core/problems.js';
import type { PipelineReading } from './draft.js';
import { referencesIn } from './references.js';
import { lookupName } from './skill.js';

/** By the names that expressions write: `skills.paper_search.dir`. */
export function skillFolders(expressions: readonly Expression[], reading: PipelineReading): Record<string, string> {
  const folders = new Map<string, string>();
  for (const { ref, at } of referencesIn(expressions, 'skills')) {
    const name = ref.path[0];
    if (typeof name !== 'string') {
      reading.notes.error('unknown-skill', at, '"skills" is read with a name: skills.paper_search.dir.');
      continue;
    }
    const skill = reading.findSkill(name);
    if (skill) {
      folders.set(name, skill.dir);
      continue;
    }
    const names = reading.skillNames().map(lookupName);
    const near = nearest(lookupName(name), names);
    reading.notes.error('unknown-skill', at, `There is no skill "${name}".`, {
      hint: near ? `Did you mean "${near}"?` : undefined,
    });
  }
  return Object.fromEntries(folders);
}
