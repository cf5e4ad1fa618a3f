/** The sources there are, by name; to add one, write sources/<name>.mjs and list it here. */
import { UsageError } from './arguments.mjs';
import { local } from './sources/local.mjs';
import { sample } from './sources/sample.mjs';

/** Best first: when records are united, the fields of the earlier source win. */
const SOURCES = { local, sample };

/** `local:refs.bib` → its function and what follows the colon. */
export function findSource(name) {
  const colon = name.indexOf(':');
  const base = colon < 0 ? name : name.slice(0, colon);
  if (!Object.hasOwn(SOURCES, base)) {
    throw new UsageError(`There is no source "${name}". This version has sample and local:<file or folder>.`);
  }
  return { search: SOURCES[base], argument: colon < 0 ? '' : name.slice(colon + 1) };
}

/** 0 for the best source. */
export function qualityOf(name) {
  const place = Object.keys(SOURCES).indexOf(name.split(':')[0]);
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}
