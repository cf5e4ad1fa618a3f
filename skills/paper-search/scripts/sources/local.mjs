/** Source `local:<file or folder>`: the papers of your own library that share a word with the query. */
import { resolve } from 'node:path';
import { readLibrary } from '../library.mjs';
import { scoreOf, wordsOf } from '../rank.mjs';

/** @param {{query: string, argument: string, maxPapers: number, inYears: (paper: object) => boolean}} search */
export async function search({ query, argument, maxPapers, inYears }) {
  if (argument === '') throw new Error('say which library: local:<file or folder>');
  const path = resolve(process.env.PIPELINE_PROJECT_DIR ?? '.', argument);
  const words = wordsOf(query);
  const papers = await readLibrary(path, `local:${argument}`);
  const hits = papers.filter(inYears).map((paper) => ({ ...paper, score: scoreOf(paper, words) }));
  const fitting = hits.filter((paper) => paper.score > 0);
  fitting.sort((a, b) => b.score - a.score || b.citations - a.citations);
  return { papers: fitting.slice(0, maxPapers), note: `${papers.length} papers in the library` };
}
