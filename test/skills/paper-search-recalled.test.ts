/** How search.mjs merges what a model recalled. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScript } from './script.js';

const RECALLED = {
  papers: [
    { title: 'Attention is All you Need!', authors: ['A. Vaswani'], year: 2018, venue: 'Elsewhere', abstract: 'Mine.' },
    { title: 'Attention never indexed', authors: ['Ada Lovelace'], year: 1999, doi: '', arxiv: '' },
  ],
};
const search = (args: readonly string[], stdin: unknown, env: Record<string, string> = {}) =>
  runScript('paper-search/scripts/search.mjs', ['--query=attention', '--json', ...args], { stdin, env });

describe('model_knowledge', () => {
  it('is united with the other sources, which speak first, and is named in its rows', () => {
    const ran = search(['--sources=model_knowledge,sample', '--recalled=-'], RECALLED);
    const { papers, sources } = JSON.parse(ran.stdout);
    const of = (year: number) => papers.find((paper: { year: number }) => paper.year === year);
    expect(papers.filter(({ title }: { title: string }) => /attention is all/i.test(title))).toHaveLength(1);
    expect(of(2017)).toMatchObject({ title: 'Attention Is All You Need', sources: ['sample', 'model_knowledge'] });
    expect(of(2017).venue).toBe('NeurIPS');
    expect(of(1999).sources).toEqual(['model_knowledge']);
    expect(sources[0]).toMatchObject({ status: 'ok', count: 2, note: 'recalled by a model, not looked up' });
  });

  it('keeps to the years and the number of papers, and reads a file too', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'recalled-')), 'r.json');
    writeFileSync(file, JSON.stringify(RECALLED));
    const papers = (...args: string[]) =>
      JSON.parse(search(['--sources=model_knowledge', `--recalled=${file}`, ...args], null).stdout).papers;
    expect(papers('--end-year=2000')).toHaveLength(1);
    expect(papers('--max-papers=1')).toHaveLength(1);
  });

  it.each<[string, readonly string[], unknown, Record<string, string>, string]>([
    ['by hand, without the step', [], null, {}, 'pipeline run paper-search'],
    ['when the step failed', ['--recalled=-'], null, {}, 'the step that recalls papers gave none'],
    ['when what it gave is none', ['--recalled=-'], { papers: 'x' }, {}, 'the step that recalls papers gave none'],
    ['without a language model', ['--recalled=-'], RECALLED, { PIPELINE_PLACEHOLDER: '1' }, 'no language model'],
  ])('is a source that failed %s', (_when, args, stdin, env, reason) => {
    const ran = search(['--sources=sample,model_knowledge', ...args], stdin, env);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('Source model_knowledge failed');
    expect(ran.stderr).toContain(reason);
  });

  it('refuses a file that is missing or no JSON with exit code 2', () => {
    expect(search(['--sources=model_knowledge', '--recalled=absent.json'], null)).toMatchObject({
      code: 2,
      stdout: '',
    });
    const file = join(mkdtempSync(join(tmpdir(), 'recalled-')), 'r.json');
    writeFileSync(file, 'papers');
    expect(search(['--sources=model_knowledge', `--recalled=${file}`], null).stderr).toContain('it is no JSON');
  });
});
