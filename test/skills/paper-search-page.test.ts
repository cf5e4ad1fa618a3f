/** What the pages around a search hold. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importScript, runScript } from './script.js';

const hits = JSON.parse(runScript('paper-search/scripts/search.mjs', ['--json', '--query', 'deep learning']).stdout);

describe('merge.mjs', () => {
  it('unites several answers into one numbered list, each paper once', () => {
    const ran = runScript('paper-search/scripts/merge.mjs', ['--prefix=H', '--abstract=80'], {
      stdin: [hits, hits, hits],
    });
    const merged = JSON.parse(ran.stdout);
    expect(merged.found).toBe(hits.papers.length * 3);
    expect(merged.ids).toEqual(hits.papers.map((_: unknown, place: number) => `H${place + 1}`));
    expect(merged.papers.map(({ title }: { title: string }) => title)).toEqual(
      hits.papers.map(({ title }: { title: string }) => title),
    );
    expect(merged.digest.split('\n')).toHaveLength(hits.papers.length);
  });

  it('says how many papers it cuts', () => {
    const ran = runScript('paper-search/scripts/merge.mjs', ['--max=10'], { stdin: [hits] });
    expect(JSON.parse(ran.stdout).papers).toHaveLength(10);
    expect(ran.stderr).toContain(`${hits.papers.length - 10} papers`);
  });
});

describe('assemble.mjs', () => {
  const assemble = (summary: unknown, env: Record<string, string> = {}) => {
    const cwd = mkdtempSync(join(tmpdir(), 'assemble-'));
    const ran = runScript('paper-search/scripts/assemble.mjs', [], {
      stdin: { query: 'deep\n# learning', hits, summary },
      env,
      cwd,
    });
    return { ...ran, page: readFileSync(join(cwd, 'allinone.md'), 'utf8') };
  };
  const summary = { overview: 'An overview.', points: [{ text: 'A point.', papers: [1, 2] }] };

  it('shows every row and adds the summary after the table', () => {
    const { page, stdout } = assemble(summary);
    expect(stdout).toBe(page);
    for (const { title } of hits.papers) expect(page).toContain(title);
    expect(page.indexOf('An overview.')).toBeGreaterThan(page.lastIndexOf('| sample |'));
    expect(page).toContain('A point. (#1, #2)');
    expect(page).toContain('sample, not a search');
    expect(page).not.toContain('Placeholder');
  });

  it('keeps the table when there is no summary', () => {
    const { page } = assemble(null);
    expect(page.match(/^\| \d+ \|/gm)).toHaveLength(hits.papers.length);
    expect(page).toContain('There is no summary');
  });

  it('marks a placeholder', () => {
    expect(assemble(summary, { PIPELINE_PLACEHOLDER: '1' }).page).toContain('> Placeholder text');
  });
});

describe('unite', () => {
  it('gives the same groups in any order, and never loses a source or a citation count', async () => {
    const { unite } = await importScript('paper-search/scripts/unite.mjs');
    const { toPaper } = await importScript('paper-search/scripts/records.mjs');
    const record = fc.record({
      title: fc.constantFrom('Alpha', 'alpha!', 'Beta', 'Gamma'),
      year: fc.constantFrom(undefined, 2000, 2001, 2005),
      authors: fc.constantFrom([], ['Ada Lovelace'], ['Grace Hopper']),
      doi: fc.constantFrom('', '10.1000/a', '10.1000/b'),
      arxiv: fc.constantFrom('', '2001.00001', '2001.00001v2', '2001.00002'),
      citations: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (raw) => {
        const papers = raw.map((each, place) => toPaper(each, `local:${place}`));
        const groups = (list: unknown[]) =>
          unite(list)
            .map(
              (paper: { sources: string[]; citations: number }) =>
                `${[...paper.sources].sort().join()} ${paper.citations}`,
            )
            .sort();
        expect(groups([...papers].reverse())).toEqual(groups(papers));
        const named = unite(papers).flatMap((paper: { sources: string[] }) => paper.sources);
        expect(named.sort()).toEqual(papers.map((paper) => paper.sources[0]).sort());
      }),
    );
  });
});
