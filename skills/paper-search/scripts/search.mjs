#!/usr/bin/env node
/** Searches every source asked for, then prints one united and ordered list of papers. */
import { HELP, readArguments, UsageError } from './arguments.mjs';
import { rank } from './rank.mjs';
import { findSource } from './sources.mjs';
import { toTable } from './table.mjs';
import { unite } from './unite.mjs';

/** Most papers one answer holds. */
const MAX_TOTAL = 500;

/** Runs every source by itself: one that fails is reported and stops nothing. */
async function searchAll(asked) {
  const chosen = asked.sources.map((name) => ({ name, ...findSource(name) }));
  const inYears = (paper) =>
    (asked.startYear === 0 || (paper.year !== null && paper.year >= asked.startYear)) &&
    (asked.endYear === 0 || (paper.year !== null && paper.year <= asked.endYear));

  const ask = async ({ name, search, argument }) => {
    const papers = [];
    const notes = new Set();
    try {
      for (const query of asked.queries) {
        const found = await search({ query, argument, maxPapers: asked.maxPapers, inYears });
        papers.push(...found.papers);
        if (found.note) notes.add(found.note);
      }
      const united = unite(papers);
      return { name, status: 'ok', count: united.length, note: [...notes].join('; '), papers: united };
    } catch (error) {
      return { name, status: 'failed', count: 0, note: String(error.message ?? error), papers: [] };
    }
  };

  if (asked.parallel) return Promise.all(chosen.map(ask));
  const answers = [];
  for (const source of chosen) answers.push(await ask(source));
  return answers;
}

/** The answer as the JSON that the pipelines read. */
function toAnswer(asked, answers) {
  const ranked = rank(unite(answers.flatMap((answer) => answer.papers)), asked.queries);
  const kept = ranked.filter((paper) => paper.score >= asked.minScore);
  return {
    queries: asked.queries,
    sample: answers.some((answer) => answer.name === 'sample'),
    sources: answers.map(({ name, status, count, note }) => ({ name, status, count, note })),
    dropped: ranked.length - kept.length,
    cut: Math.max(0, kept.length - MAX_TOTAL),
    papers: kept.slice(0, MAX_TOTAL),
  };
}

/** @returns the exit code */
async function main(argv, out, err) {
  let asked;
  let answers;
  try {
    asked = readArguments(argv);
    if (asked.help) {
      out.write(`${HELP}\n`);
      return 0;
    }
    answers = await searchAll(asked);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err.write(`${error.message} See --help.\n`);
    return 2;
  }

  const failed = answers.filter((answer) => answer.status === 'failed');
  for (const { name, note } of failed) err.write(`Source ${name} failed: ${note}\n`);
  if (failed.length === answers.length) return 1;

  if (asked.raw) {
    const raw = answers.map((answer) => ({ ...answer, papers: rank(answer.papers, asked.queries) }));
    out.write(
      asked.json ? `${JSON.stringify({ queries: asked.queries, sources: raw })}\n` : raw.map(rawText).join('\n'),
    );
    return 0;
  }
  const answer = toAnswer(asked, answers);
  if (answer.dropped > 0) err.write(`${answer.dropped} papers with a score under ${asked.minScore} were dropped.\n`);
  if (answer.cut > 0) err.write(`${answer.cut} papers over the bound of ${MAX_TOTAL} were cut.\n`);
  out.write(asked.json ? `${JSON.stringify(answer)}\n` : `${noteLine(answer)}${toTable(answer.papers)}\n`);
  return 0;
}

function noteLine(answer) {
  return answer.sample
    ? `${answer.papers.length} papers (sample, not a search)\n\n`
    : `${answer.papers.length} papers\n\n`;
}

function rawText(answer) {
  return `## ${answer.name}: ${answer.count} papers${answer.note ? ` (${answer.note})` : ''}\n\n${toTable(answer.papers)}\n`;
}

process.exitCode = await main(process.argv.slice(2), process.stdout, process.stderr);
