/** A source of the network as a search: its API's own parts stand in sources/, what all share stands here. */
import { get } from './get.mjs';
import { toPaper } from './records.mjs';

/** How many times more rows to ask for when the API cannot keep to the years itself. */
const YEARS_MARGIN = 4;

/**
 * @param {{name: string, base: string, distanceMs: number, maxRows: number, filtersYears: boolean,
 *   request: (search: {query: string, rows: number, startYear: number, endYear: number}) => {path: string, params: object},
 *   parse?: (body: string) => unknown, items: (answer: unknown) => unknown, record: (item: object) => object | undefined}} api
 *   `base`: overridden by PAPER_SEARCH_<NAME>_URL; `distanceMs`: least time between two requests;
 *   `items`: the list in an answer; `record`: one of them in the words that records.mjs reads
 */
export function network(api) {
  return async ({ query, maxPapers, startYear, endYear, inYears, cache }) => {
    const narrowed = (startYear > 0 || endYear > 0) && !api.filtersYears;
    const rows = Math.min(api.maxRows, narrowed ? maxPapers * YEARS_MARGIN : maxPapers);
    const { path, params } = api.request({ query, rows, startYear, endYear });
    const items = await get(addressOf(api, path, params), {
      source: api.name,
      distanceMs: api.distanceMs,
      cache,
      read: (body) => itemsOf(api, body),
    });
    const papers = items
      .filter((item) => typeof item === 'object' && item !== null)
      .map((item) => toPaper(api.record(item), api.name))
      .filter((paper) => paper && inYears(paper));
    const note = maxPapers > api.maxRows ? `at most ${api.maxRows} an answer` : '';
    return { papers: papers.slice(0, maxPapers), note };
  };
}

/** What stands for a list when it is none. */
export function list(value) {
  return Array.isArray(value) ? value : [];
}

/** `2019-01-01` and `2021-12-31`, or '' where there is no bound. */
export function dayBounds(startYear, endYear) {
  const year = (value) => String(value).padStart(4, '0');
  return { from: startYear > 0 ? `${year(startYear)}-01-01` : '', until: endYear > 0 ? `${year(endYear)}-12-31` : '' };
}

function addressOf(api, path, params) {
  const variable = `PAPER_SEARCH_${api.name.toUpperCase()}_URL`;
  const base = process.env[variable] || api.base;
  let url;
  try {
    url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  } catch {
    throw new Error(`${variable} is no address`);
  }
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${variable} must begin with https:// or http://`);
  for (const [key, value] of Object.entries(params)) if (value !== '') url.searchParams.set(key, String(value));
  return url;
}

function itemsOf(api, body) {
  const items = api.items((api.parse ?? parseJson)(body));
  if (!Array.isArray(items)) throw new Error('its answer holds no list of papers');
  return items.slice(0, api.maxRows);
}

/** The parser's own message is left out: it repeats what the server sent. */
function parseJson(body) {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(body.trimStart().startsWith('<') ? 'its answer is a web page, not JSON' : 'its answer is no JSON');
  }
}
