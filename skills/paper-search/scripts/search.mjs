#!/usr/bin/env node
/** Searches every source asked for, then prints one united and ordered list of papers. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readStdin } from 'node:stream/consumers';
import { HELP, readArguments, UsageError } from './arguments.mjs';
import { askAll } from './ask.mjs';
import { defaultCache } from './cache.mjs';
import { rank } from './rank.mjs';
import { checkSources } from './sources.mjs';
import { toTable } from './table.mjs';
import { unite } from './unite.mjs';

/** Most papers one answer holds. */
const MAX_TOTAL = 500;

/** What every worker needs, once: the hits of model_knowledge and the folder of the cache. */
async function prepare(asked) {
  checkSources(asked.sources);
  const recalled = asked.recalled === '' ? undefined : await readRecalled(asked.recalled);
  return { ...asked, recalled, cache: asked.cache === '' ? defaultCache() : resolve(asked.cache, 'paper-search') };
}

/** @returns null for an empty file: the step that recalls papers failed */
async function readRecalled(file) {
  const source = file === '-' ? await readStdin(process.stdin) : await readFile(file, 'utf8').catch(() => undefined);
  if (source === undefined) throw new UsageError(`--recalled ${file}: there is no such file.`);
  try {
    return source.trim() === '' ? null : JSON.parse(source);
  } catch {
    throw new UsageError(`--recalled ${file}: it is no JSON.`);
  }
}

/** The answer as the JSON that the pipelines read. */
function toAnswer(asked, answers) {
  const ranked = rank(unite(answers.flatMap((answer) => answer.papers)), asked.queries);
  const { papers, dropped } = keepBest(ranked, asked.minScore);
  return {
    queries: asked.queries,
    sample: answers.some((answer) => answer.name === 'sample'),
    sources: answers.map(({ name, status, note, papers }) => ({ name, status, count: papers.length, note })),
    dropped,
    cut: Math.max(0, papers.length - MAX_TOTAL),
    papers: papers.slice(0, MAX_TOTAL),
  };
}

/** The same, each source by itself. */
function toRawAnswer(asked, answers) {
  const sources = answers.map(({ name, status, note, papers }) => {
    const ranked = rank(papers, asked.queries);
    return { name, status, count: papers.length, note, ...keepBest(ranked, asked.minScore) };
  });
  return { queries: asked.queries, sources };
}

function keepBest(ranked, minScore) {
  const papers = ranked.filter((paper) => paper.score >= minScore);
  return { dropped: ranked.length - papers.length, papers };
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
    const found = await askAll(await prepare(asked));
    answers = found.map((answer) => ({ ...answer, papers: unite(answer.papers) }));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err.write(`${error.message} See --help.\n`);
    return 2;
  }

  const failed = answers.filter((answer) => answer.status === 'failed');
  for (const { name, note } of failed) err.write(`Source ${name} failed: ${note}\n`);
  for (const { name, status, note } of answers) if (status === 'partial') err.write(`Source ${name}: ${note}\n`);
  if (failed.length === answers.length) return 1;

  if (asked.raw) {
    const raw = toRawAnswer(asked, answers);
    sayDropped(
      err,
      asked,
      raw.sources.reduce((sum, source) => sum + source.dropped, 0),
    );
    out.write(asked.json ? `${JSON.stringify(raw)}\n` : raw.sources.map(rawText).join('\n'));
    return 0;
  }
  const answer = toAnswer(asked, answers);
  sayDropped(err, asked, answer.dropped);
  if (answer.cut > 0) err.write(`${answer.cut} papers over the bound of ${MAX_TOTAL} were cut.\n`);
  out.write(asked.json ? `${JSON.stringify(answer)}\n` : `${noteLine(answer)}${toTable(answer.papers)}\n`);
  return 0;
}

function sayDropped(err, asked, dropped) {
  if (dropped > 0) err.write(`${dropped} papers with a score under ${asked.minScore} were dropped.\n`);
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
