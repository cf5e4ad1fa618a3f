/** What search.mjs promises on its command line. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runScript } from './script.js';

interface Paper {
  readonly title: string;
  readonly authors: readonly string[];
  readonly year: number | null;
  readonly venue: string;
  readonly abstract: string;
  readonly doi: string;
  readonly arxiv: string;
  readonly citations: number;
  readonly sources: readonly string[];
  readonly survey: boolean;
  readonly score: number;
}

let folder = '';
const search = (...args: string[]) => runScript('paper-search/scripts/search.mjs', args, { cwd: folder });
const papers = (...args: string[]): Paper[] => JSON.parse(search('--json', ...args).stdout).papers;
const library = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paper-search-'));
  mkdirSync(join(folder, 'two'));
});

describe('the sample', () => {
  it.each(['transformers', '平安夜的烟花', '$(touch pwned) "; `ls`', 'النوم'])(
    'is taken whole whatever the query: %s',
    (query) => {
      const ran = search('--json', `--query=${query}`);
      const answer = JSON.parse(ran.stdout);
      expect(ran.code).toBe(0);
      expect(answer.papers.length).toBeGreaterThanOrEqual(40);
      expect(answer.sample).toBe(true);
      expect(answer.sources[0].note).toBe('sample, not a search');
      expect(answer.queries).toEqual([query]);
    },
  );

  it('is marked as no search in the table too, and every paper has a row', () => {
    const { stdout } = search('--query', 'learning');
    expect(stdout).toContain('sample, not a search');
    expect(stdout.match(/^\| \d+ \|/gm)?.length).toBe(papers('--query', 'learning').length);
  });

  it('holds complete metadata, and no word that looks like the number of a paper', () => {
    for (const paper of papers('--query', 'x')) {
      expect(paper.title.length * paper.authors.length * paper.venue.length * paper.abstract.length).toBeGreaterThan(0);
      expect(paper.year).toBeGreaterThan(1900);
      expect(`${paper.title} ${paper.abstract}`).not.toMatch(/\b[PHCGR]\d+\b/);
    }
  });
});

describe('order and score', () => {
  it('counts distinct query words longer than three letters that begin some word of title or abstract', () => {
    library('score.json', [{ title: 'Graph networks for crystals', abstract: 'Networks of the atoms.', year: 2020 }]);
    expect(
      papers('--sources', 'local:score.json', '--query', 'graph network the for atom networks with')[0]?.score,
    ).toBe(4);
  });

  it('puts surveys last, then orders by score and citations', () => {
    library('order.json', [
      { title: 'A survey of sleep staging', citations: 900, year: 2020 },
      { title: 'Sleep', citations: 5, year: 2020 },
      { title: 'Sleep staging', citations: 1, year: 2020 },
      { title: 'Sleep again', citations: 7, year: 2020 },
    ]);
    const found = papers('--sources', 'local:order.json', '--query', 'sleep staging');
    expect(found.map(({ title }) => title)).toEqual([
      'Sleep staging',
      'Sleep again',
      'Sleep',
      'A survey of sleep staging',
    ]);
    expect(search('--sources', 'local:order.json', '--query', 'sleep').stdout).toContain(
      '[survey] A survey of sleep staging',
    );
  });

  it('takes no work on peer review for a survey', () => {
    library('peer.json', [{ title: 'Bias in peer review of sleep papers' }]);
    expect(papers('--sources', 'local:peer.json', '--query', 'sleep')[0]?.survey).toBe(false);
  });

  it('finds Chinese words in Chinese titles', () => {
    library('zh.json', [{ title: '烟花燃放对空气质量的影响' }, { title: '睡眠分期' }]);
    expect(papers('--sources', 'local:zh.json', '--query', '平安夜的烟花').map(({ title }) => title)).toEqual([
      '烟花燃放对空气质量的影响',
    ]);
  });

  it('drops papers under --min-score and says how many', () => {
    const ran = search('--json', '--query', 'graph neural networks', '--min-score', '2');
    const answer = JSON.parse(ran.stdout);
    expect(answer.papers.every((paper: Paper) => paper.score >= 2)).toBe(true);
    expect(ran.stderr).toContain(`${answer.dropped} papers`);
  });
});

describe('uniting', () => {
  it('unites by DOI, by arXiv id without its version, and by title with a near year or an author', () => {
    library('two/a.json', [
      { title: 'Sleep one', doi: '10.1000/ABC', citations: 3, year: 2001 },
      { title: 'Sleep two', arxiv: '2101.00001v3', year: 2021 },
      { title: 'Sleep: three!', year: 2010, authors: ['Ada Lovelace'] },
      { title: 'Sleep four', year: 1990, authors: ['Grace Hopper'] },
      { title: 'Sleep five', year: 1990, authors: ['Grace Hopper'] },
    ]);
    library('two/b.json', [
      { title: 'Sleep 1', DOI: 'https://doi.org/10.1000/abc', citations: 9, abstract: 'Filled.' },
      { title: 'Sleep II', url: 'https://arxiv.org/abs/2101.00001' },
      { title: 'Sleep Three', year: 2011 },
      { title: 'Sleep four', year: 2005, authors: ['Hopper, Grace'] },
      { title: 'Sleep five', year: 2005, authors: ['Alan Turing'] },
    ]);
    const found = papers('--sources', 'local:two', '--query', 'sleep', '--max-papers', '50');
    expect(found).toHaveLength(6);
    expect(found.find(({ doi }) => doi === '10.1000/abc')).toMatchObject({
      citations: 9,
      abstract: 'Filled.',
      year: 2001,
    });
  });

  it('names every source, and lets the better source speak first', () => {
    library('own.json', [
      { title: 'Attention is all you need', arxiv: '1706.03762v7', abstract: 'My note.', year: 2017 },
    ]);
    const [paper] = papers('--sources', 'sample,local:own.json', '--query', 'attention need');
    expect(paper?.sources).toEqual(['local:own.json', 'sample']);
    expect(paper).toMatchObject({ title: 'Attention is all you need', abstract: 'My note.', venue: 'NeurIPS' });
    expect(paper?.authors[0]).toBe('Ashish Vaswani');
  });

  it('keeps sources apart with --raw', () => {
    library('own.json', [{ title: 'Attention is all you need', arxiv: '1706.03762', year: 2017 }]);
    const answer = JSON.parse(
      search('--raw', '--json', '--sources', 'sample,local:own.json', '--query', 'attention').stdout,
    );
    expect(answer.sources.map((source: { papers: unknown[] }) => source.papers.length)).toEqual([46, 1]);
  });
});

describe('libraries', () => {
  it('reads BibTeX with nested braces, accents, joined strings and comments', () => {
    library(
      'refs.bib',
      `@string{jmlr = "Journal of Machine Learning"}
       @comment{not, this = {one}}
       @article{a, title = {{Sleep} and {\\"O}dipus: caf\\'{e}}, author = "M{\\"u}ller, Eva and Chloé Dupont",
         year = 2019, journal = jmlr # " Research", abstract = {We {sleep} "well".}, }
       @inproceedings{b, title="Sleep \\& dreams", year={2020}, booktitle={CHI}, eprint={2001.00001v2}}`,
    );
    const found = papers('--sources', 'local:refs.bib', '--query', 'sleep');
    expect(found).toHaveLength(2);
    expect(found.find(({ year }) => year === 2019)).toMatchObject({
      title: 'Sleep and Ödipus: café',
      authors: ['Müller, Eva', 'Chloé Dupont'],
      venue: 'Journal of Machine Learning Research',
      abstract: 'We sleep "well".',
    });
    expect(found.find(({ year }) => year === 2020)).toMatchObject({
      title: 'Sleep & dreams',
      arxiv: '2001.00001',
      venue: 'CHI',
    });
  });

  it('reads CSL-JSON', () => {
    library('csl.json', [
      {
        type: 'article-journal',
        title: 'Sleep',
        author: [{ family: 'Lovelace', given: 'Ada' }],
        issued: { 'date-parts': [[2015, 3]] },
        'container-title': 'Nature',
        DOI: '10.1000/XYZ',
      },
    ]);
    expect(papers('--sources', 'local:csl.json', '--query', 'sleep')[0]).toMatchObject({
      authors: ['Ada Lovelace'],
      year: 2015,
      venue: 'Nature',
      doi: '10.1000/xyz',
    });
  });

  it('keeps within --start-year, --end-year and --max-papers', () => {
    library(
      'years.json',
      Array.from({ length: 20 }, (_, place) => ({ title: `Sleep study ${place}`, year: 2000 + place })),
    );
    const years = papers(
      '--sources',
      'local:years.json',
      '--query',
      'sleep',
      '--start-year',
      '2005',
      '--end-year',
      '2012',
      '--max-papers',
      '5',
    );
    expect(years).toHaveLength(5);
    expect(years.every(({ year }) => year !== null && year >= 2005 && year <= 2012)).toBe(true);
  });
});

describe('faults', () => {
  it('says which sources exist when asked for another', () => {
    const ran = search('--query', 'x', '--sources', 'somewhere');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('sample and local:<file or folder>');
  });

  it('reports a failing source and goes on without it', () => {
    const ran = search('--json', '--query', 'x', '--sources', 'local:absent.bib,sample');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('Source local:absent.bib failed');
    expect(JSON.parse(ran.stdout).sources.map(({ status }: { status: string }) => status)).toEqual(['failed', 'ok']);
  });

  it('fails when every source failed', () => {
    expect(search('--query', 'x', '--sources', 'local:absent.bib')).toMatchObject({ code: 1, stdout: '' });
  });

  it.each([
    [[]],
    [['--query']],
    [['--query', ' ']],
    [['--wat', '1']],
    [['loose']],
    [['--query', 'x', '--max-papers', 'many']],
  ])('refuses %j with exit code 2', (args) => {
    const ran = search(...args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).not.toBe('');
  });

  it('takes a query that begins with a hyphen as a query', () => {
    expect(JSON.parse(search('--json', '--query=--help').stdout).queries).toEqual(['--help']);
  });

  it('gives the same bytes with and without --no-parallel', () => {
    const args = ['--json', '--queries', 'sleep|graphs', '--sources', 'sample,local:order.json'];
    expect(search(...args, '--no-parallel').stdout).toBe(search(...args).stdout);
  });
});
