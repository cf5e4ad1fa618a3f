/** The sources there are, by name; to add one, write sources/<name>.mjs with its `search` and list it here. */
import { UsageError } from './arguments.mjs';

/** Best first: when records are united, the fields of the earlier source win. */
const SOURCES = {
  local: () => import('./sources/local.mjs'),
  semantic_scholar: () => import('./sources/semantic-scholar.mjs'),
  openalex: () => import('./sources/openalex.mjs'),
  arxiv: () => import('./sources/arxiv.mjs'),
  openreview: () => import('./sources/openreview.mjs'),
  crossref: () => import('./sources/crossref.mjs'),
  dblp: () => import('./sources/dblp.mjs'),
  sample: () => import('./sources/sample.mjs'),
  model_knowledge: () => import('./sources/model-knowledge.mjs'),
};

/** Fails for a name that is none, before anything is asked. */
export function checkSources(names) {
  for (const name of names) {
    if (Object.hasOwn(SOURCES, baseOf(name))) continue;
    const others = Object.keys(SOURCES).filter((other) => other !== 'sample' && other !== 'local');
    throw new UsageError(
      `There is no source "${name}". There are sample and local:<file or folder>; over the network ${others.join(', ')}.`,
    );
  }
}

/** `local:refs.bib` → its search and what follows the colon. */
export async function loadSource(name) {
  const { search } = await SOURCES[baseOf(name)]();
  const colon = name.indexOf(':');
  return { search, argument: colon < 0 ? '' : name.slice(colon + 1) };
}

/** 0 for the best source. */
export function qualityOf(name) {
  const place = Object.keys(SOURCES).indexOf(baseOf(name));
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}

function baseOf(name) {
  return name.split(':')[0];
}
