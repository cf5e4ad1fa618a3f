#!/usr/bin/env node
/** Puts off-topic hits aside, then numbers the others P1, P2, … with the core ones first. */
import { text } from 'node:stream/consumers';
import { line, shortened } from './wording.mjs';

const ABSTRACT_KEPT = 600;
const ABSTRACT_IN_DIGEST = 260;
/** A digest of so many papers stays under 8 000 tokens. */
const MAX_IN_DIGEST = 60;

const { papers, judgements } = JSON.parse(await text(process.stdin));

const verdicts = new Map();
for (const { id, relevance, reason } of judgements)
  if (!verdicts.has(id)) verdicts.set(id, { relevance, reason: line(reason) });
const judged = papers.map((paper) => ({
  paper,
  ...(verdicts.get(paper.id) ?? { relevance: 'core', reason: 'Not judged; what is unsure counts as core.' }),
}));

const related = ['core', 'adjacent'].flatMap((wanted) => judged.filter(({ relevance }) => relevance === wanted));
const numbered = related.map(({ paper, relevance, reason }, place) => ({
  id: `P${place + 1}`,
  title: paper.title,
  byline: byline(paper.authors),
  year: paper.year,
  venue: paper.venue,
  abstract: shortened(paper.abstract, ABSTRACT_KEPT),
  url: paper.url,
  citations: paper.citations,
  survey: paper.survey,
  relevance,
  reason,
}));
const archived = judged
  .filter(({ relevance }) => relevance === 'off_topic')
  .map(({ paper, reason }) => ({ title: paper.title, reason }));
const digest = numbered.slice(0, MAX_IN_DIGEST).map(digestLine).join('\n');

process.stdout.write(
  JSON.stringify({ papers: numbered, ids: numbered.map(({ id }) => id), related: numbered.length, archived, digest }),
);

function digestLine(paper) {
  const kind = `${paper.relevance}${paper.survey ? ', survey' : ''}`;
  return `${paper.id}. ${paper.title} (${paper.year ?? 'no year'}; ${kind}). ${shortened(paper.abstract, ABSTRACT_IN_DIGEST)}`;
}

function byline(authors) {
  const named = authors.filter((author) => author !== 'others');
  if (named.length === 0) return 'unknown';
  return shortened(authors.length <= 2 ? named.join(' and ') : `${named[0]} et al.`, 120);
}
