/** Source `sample`: the bundled library, taken whole whatever the query, so that everything after it can be tried offline. */
import { fileURLToPath } from 'node:url';
import { readLibrary } from '../library.mjs';

const LIBRARY = fileURLToPath(new URL('../../sample/library.json', import.meta.url));

export async function search({ inYears }) {
  const papers = await readLibrary(LIBRARY, 'sample');
  return { papers: papers.filter(inYears), note: 'sample, not a search' };
}
