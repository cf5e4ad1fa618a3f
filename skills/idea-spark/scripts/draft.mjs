#!/usr/bin/env node
/** Makes the candidate of a round: applies the changes asked for, guards what is locked, checks every citation. */
import { text } from 'node:stream/consumers';
import { applyOperations, briefOf, lockedBytes, problemsOf } from './candidate.mjs';
import { line, shortened } from './wording.mjs';

/** How far back a collision is looked for. */
const RECENT_YEARS = 3;
const LONGER_YEARS = 12;

const { base, original, operations, papers, gaps, sources } = JSON.parse(await text(process.stdin));

const { candidate, refused } = applyOperations(base, operations);
if (lockedBytes(candidate) !== lockedBytes(original)) {
  process.stderr.write('The falsification test or the budget differs from what was first written; both are locked.\n');
  process.exit(1);
}

const known = papers.map(({ id }) => id);
const cited = new Set([
  ...candidate.cites,
  candidate.missed.paper,
  ...candidate.closes.flatMap((claim) => claim.papers),
]);
const year = new Date().getFullYear();
/** The sample is taken whole: bounds would only thin it out. */
const from = (years) => (sources === 'sample' ? 0 : year - years);
const asQueries = (terms) => terms.map((term) => line(term).replaceAll('|', ' ')).join('|');

process.stdout.write(
  JSON.stringify({
    candidate,
    problems: problemsOf(candidate, known, gaps),
    left_out: refused,
    brief: briefOf(candidate),
    cited: papers
      .filter(({ id }) => cited.has(id))
      .map((paper) => `${paper.id}. ${paper.title} (${paper.year ?? 'no year'}). ${shortened(paper.abstract, 400)}`)
      .join('\n'),
    searches: [
      { role: 'signature', queries: asQueries(candidate.signature_terms), start_year: from(RECENT_YEARS) },
      { role: 'alias', queries: asQueries(candidate.aliases), start_year: from(LONGER_YEARS) },
    ],
  }),
);
