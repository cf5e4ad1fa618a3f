/** Step paths such as `rounds/2/audit` or `search/3`: which are items of one loop, whose files are whose. */
import type { Where } from '../core/outcome.js';

/** As an event has it: the family only where it differs from the path. */
export function familyOf({ path, family }: Where): { readonly family?: string } {
  return path === family ? {} : { family };
}

/** The path without the numbers of rounds: a later round's files take the place of the earlier's. */
export function ownerOf({ path, family }: Where): string {
  // Only rounds are numbers there: most paths have none.
  if (!/\d/.test(family)) return path;
  const kinds = family.split('/');
  return path
    .split('/')
    .filter((_, at) => !/^\d+$/.test(kinds[at] ?? ''))
    .join('/');
}
