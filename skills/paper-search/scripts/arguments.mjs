/** The command line of search.mjs as a checked value. */

export const HELP = `Search for papers and print one united, ordered list.

  node search.mjs --query "<words>" [options]

  --query "<words>"        what to look for; may be given more than once
  --queries "a|b|c"        several queries at once
  --start-year N           nothing older (0: no bound)
  --end-year N             nothing newer (0: no bound)
  --max-papers N           per source and query (10)
  --sources "a,b"          offline: sample (default), local:<file or folder>
                           local reads .bib, CSL-JSON and plain JSON; sample is the bundled library,
                           taken whole: it is marked "sample, not a search"
                           over the network: semantic_scholar, openalex, arxiv, openreview, crossref, dblp
                           model_knowledge: what a step of the pipeline recalled, see --recalled
  --min-score N            drop papers that share fewer words with the queries; says how many
  --raw                    one list per source, nothing united
  --no-parallel            one source after the other
  --json                   JSON on stdout instead of a Markdown table
  --recalled <file>        the hits of model_knowledge as JSON {"papers": [ … ]}; - reads standard input
  --cache <folder>         where answers of the network are kept for a day, in a folder paper-search of mode 0700
  --help                   this text

Write --query=<words> when the words may begin with a hyphen.
Environment: PAPER_SEARCH_MAILTO, an address that crossref and openalex answer faster to; PAPER_SEARCH_<SOURCE>_URL,
another server for a source; PAPER_SEARCH_TIMEOUT_MS, for one request (20000); PAPER_SEARCH_DISTANCE_MS, least time between
two requests to one source, in place of each source's own.
Exit code: 0, also when some source failed (said on stderr); 1 when every source failed; 2 for a wrong call.`;

const OPTIONS = {
  query: 'text',
  queries: 'text',
  sources: 'text',
  'start-year': 'count',
  'end-year': 'count',
  'max-papers': 'count',
  'min-score': 'count',
  raw: 'flag',
  'no-parallel': 'flag',
  json: 'flag',
  recalled: 'text',
  cache: 'text',
  help: 'flag',
};

/** A wrong call: its message says what to write instead. */
export class UsageError extends Error {}

/**
 * @param {readonly string[]} argv without node and the script
 * @returns what was asked for, with every default filled in; years are 0 for no bound, `recalled` and `cache` '' for not given
 */
export function readArguments(argv) {
  const asked = {
    queries: [],
    sources: ['sample'],
    startYear: 0,
    endYear: 0,
    maxPapers: 10,
    minScore: 0,
    raw: false,
    parallel: true,
    json: false,
    recalled: '',
    cache: '',
    help: false,
  };
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at];
    if (!word.startsWith('--')) throw new UsageError(`"${word}" is not an option; write --query "${word}".`);
    const equals = word.indexOf('=');
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const kind = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (!kind) throw new UsageError(`There is no option --${name}. The options are ${listOptions()}.`);
    if (kind === 'flag') {
      if (equals >= 0) throw new UsageError(`--${name} takes no value.`);
      if (name === 'no-parallel') asked.parallel = false;
      else asked[name] = true;
      continue;
    }
    const value = equals < 0 ? argv[++at] : word.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--${name} needs a value after it.`);
    take(asked, name, kind === 'count' ? count(name, value) : value);
  }
  if (asked.help) return asked;
  asked.queries = [...new Set(asked.queries.map((query) => query.trim()).filter((query) => query !== ''))];
  if (asked.queries.length === 0) throw new UsageError('Say what to look for: --query "<words>" or --queries "a|b|c".');
  if (asked.sources.length === 0) throw new UsageError('--sources is empty; write sample or local:<file or folder>.');
  if (asked.startYear > 0 && asked.endYear > 0 && asked.startYear > asked.endYear) {
    throw new UsageError(`--start-year ${asked.startYear} is after --end-year ${asked.endYear}.`);
  }
  return asked;
}

function take(asked, name, value) {
  if (name === 'query') asked.queries.push(value);
  else if (name === 'queries') asked.queries.push(...value.split('|'));
  else if (name === 'sources')
    asked.sources = [...new Set(value.split(',').map((source) => source.trim()))].filter(Boolean);
  else if (name === 'recalled' || name === 'cache') asked[name] = value;
  else if (name === 'start-year') asked.startYear = value;
  else if (name === 'end-year') asked.endYear = value;
  else if (name === 'max-papers') asked.maxPapers = Math.max(1, value);
  else asked.minScore = value;
}

function count(name, value) {
  if (!/^\d{1,6}$/.test(value.trim())) throw new UsageError(`--${name} takes a whole number, not "${value}".`);
  return Number(value);
}

function listOptions() {
  return Object.keys(OPTIONS)
    .map((name) => `--${name}`)
    .join(', ');
}
