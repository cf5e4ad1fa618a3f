#!/usr/bin/env node
/** Unites several answers of search.mjs, read as a JSON list from stdin, into one numbered list of papers. */
import { text } from 'node:stream/consumers';
import { rank } from './rank.mjs';
import { familyNames } from './table.mjs';
import { unite } from './unite.mjs';

const HELP = `node merge.mjs [--prefix=H] [--max=200] [--abstract=300] < answers.json

  --prefix=<letter>   ids are <letter>1, <letter>2, … (H)
  --max=N             keep the N best (200); says how many were cut
  --abstract=N        characters of each abstract in "digest" (300)`;

const asked = { prefix: 'H', max: '200', abstract: '300' };
for (const word of process.argv.slice(2)) {
  const found = /^--(prefix|max|abstract)=(\w+)$/.exec(word);
  if (!found) {
    process.stderr.write(`${HELP}\n`);
    process.exit(word === '--help' ? 0 : 2);
  }
  asked[found[1]] = found[2];
}

const answers = JSON.parse(await text(process.stdin));
const queries = [...new Set(answers.flatMap((answer) => answer.queries))];
const ranked = rank(unite(answers.flatMap((answer) => answer.papers)), queries);
const papers = ranked
  .slice(0, Number(asked.max))
  .map((paper, place) => ({ id: `${asked.prefix}${place + 1}`, ...paper }));
if (ranked.length > papers.length)
  process.stderr.write(`${ranked.length - papers.length} papers over the bound were cut.\n`);

process.stdout.write(
  JSON.stringify({
    sample: answers.some((answer) => answer.sample),
    queries,
    found: answers.reduce((sum, answer) => sum + answer.papers.length, 0),
    ids: papers.map((paper) => paper.id),
    papers,
    digest: papers.map(digestLine).join('\n'),
  }),
);

/** One paper as one line of text for an agent. */
function digestLine(paper) {
  const where = [familyNames(paper.authors), paper.year ?? 'no year', paper.venue].filter(Boolean).join(', ');
  const limit = Number(asked.abstract);
  const abstract =
    paper.abstract.length > limit ? `${paper.abstract.slice(0, limit).replace(/\s+\S*$/, '')} …` : paper.abstract;
  return `${paper.id}. ${paper.survey ? '[survey] ' : ''}${paper.title} (${where}). ${abstract}`.trim();
}
