/** The locked skill that a person named, or why there is none. */
import { Fault } from '../core/faults.js';
import { nearest } from '../core/problems.js';
import { type LockEntry, lockedAs, readLock } from '../skills/lock.js';

export function lockedSkill(name: string, projectDir: string): { readonly name: string; readonly entry: LockEntry } {
  const lock = readLock(projectDir);
  const locked = lockedAs(lock, name);
  if (locked) return locked;
  const near = nearest(name, lock.skills.keys());
  throw new Fault('input.unknown', `No skill ${JSON.stringify(name)} was added to this project.`, {
    hint: near ? `Did you mean "${near}"?` : 'pipeline skills list says which were; other skills here are your own.',
  });
}
