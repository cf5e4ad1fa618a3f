#!/usr/bin/env node
/** Writes allinone.md: the whole table, with the summary added to it. */
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { cell, toTable } from './table.mjs';

const { query, hits, summary } = JSON.parse(await text(process.stdin));
const line = (value) => value.replace(/\s+/g, ' ').trim();

const parts = [`# Papers: ${line(query)}`];
if (process.env.PIPELINE_PLACEHOLDER === '1') {
  parts.push('> Placeholder text: no language model is configured, so the summary is not one. The table is real.');
}
parts.push(
  `${hits.papers.length} papers${hits.sample ? ' (sample, not a search)' : ''}; ${hits.sources.map(sourceLine).join('; ')}.`,
);
if (hits.dropped > 0) parts.push(`${hits.dropped} papers with a lower score were dropped.`);
parts.push(
  hits.papers.length > 0 ? toTable(hits.papers) : 'Nothing was found. Try fewer or other words, or another source.',
);
if (summary) {
  parts.push(`## Summary\n\n${line(summary.overview)}`);
  parts.push(
    summary.points
      .map((point) => `- ${line(point.text)} (${point.papers.map((place) => `#${place}`).join(', ')})`)
      .join('\n'),
  );
} else if (hits.papers.length > 0) {
  parts.push('There is no summary: the step that writes it failed.');
}

const page = `${parts.join('\n\n')}\n`;
writeFileSync('allinone.md', page);
process.stdout.write(page);

function sourceLine({ name, status, count, note }) {
  return `${cell(name)}: ${status === 'failed' ? 'failed' : count}${note ? ` (${cell(note)})` : ''}`;
}
