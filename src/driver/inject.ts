/** Puts what an earlier step wrote in the place of a literal in a script: as a variable, so that it is data whatever it holds. */

/** The script with the literal replaced; undefined where it does not stand in it. @param variable the name of a variable of the environment */
export function injected(script: string, literal: string, variable: string): string | undefined {
  if (literal === '' || !script.includes(literal)) return undefined;
  const pieces: string[] = [];
  let from = 0;
  for (let at = script.indexOf(literal); at >= 0; at = script.indexOf(literal, from)) {
    pieces.push(script.slice(from, at), REFERENCE[quotingAt(script, at)](variable));
    from = at + literal.length;
  }
  return [...pieces, script.slice(from)].join('');
}

type Quoting = 'none' | 'double' | 'single';

/** Each gives one word's worth of data, in whatever stands around it. */
const REFERENCE: Readonly<Record<Quoting, (name: string) => string>> = {
  none: (name) => `"$${name}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"$${name}"'`,
};

/** In which quotes a place of a script stands; comments and here-documents are not looked for. */
function quotingAt(script: string, end: number): Quoting {
  let quoting: Quoting = 'none';
  for (let at = 0; at < end; at++) {
    const letter = script[at];
    if (letter === '\\' && quoting !== 'single') at++;
    else if (letter === '"' && quoting !== 'single') quoting = quoting === 'double' ? 'none' : 'double';
    else if (letter === "'" && quoting !== 'double') quoting = quoting === 'single' ? 'none' : 'single';
  }
  return quoting;
}

/** The queries that a sub-agent wrote, joined by `|`: a list of texts, or of objects with `query`, alone or as `queries`. */
export function queriesIn(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const list = Array.isArray(value) ? value : (value as { queries?: unknown } | null)?.queries;
    if (!Array.isArray(list)) return undefined;
    const queries = list.flatMap((one: unknown) => {
      const query = typeof one === 'string' ? one : (one as { query?: unknown } | null)?.query;
      return typeof query === 'string' && query.trim() !== '' ? [query.trim()] : [];
    });
    return queries.length > 0 ? queries.join('|') : undefined;
  } catch {
    return undefined;
  }
}
