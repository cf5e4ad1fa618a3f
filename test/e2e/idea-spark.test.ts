import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUNDLED_SKILLS, type Ran, type Workspace, workspace } from '../support/cli.js';

const CARDS = ['phase4/idea.en.md', 'phase4/idea.zh.md', 'phase4/idea.detail.md'];

function newcomer(atEnd?: (clean: () => void) => void): Workspace {
  const place = workspace(undefined, atEnd);
  cpSync(BUNDLED_SKILLS, join(place.dir, 'skills'), { recursive: true });
  return place;
}

describe('idea-spark in a project that holds nothing but the skills, with no model configured', () => {
  const clean: (() => void)[] = [];
  let place: Workspace;
  let robots: Ran;

  beforeAll(async () => {
    place = newcomer((undo) => clean.push(undo));
    robots = await place.pipeline(['run', 'idea-spark', 'tiny robots that repair bridges']);
    await place.pipeline(['run', 'idea-spark', 'protein folding with sparse attention']);
    return () => {
      for (const undo of clean) undo();
    };
  });

  const run = (slug: string, path: string) => place.read(join('skill_run/idea-spark', slug, path));

  it('ends with 0, and says on stderr that a sketch stood in for a model and how to get one', () => {
    expect(robots).toMatchObject({ code: 0, signal: null });
    expect(robots.stderr).toMatch(/model: sketch/);
    expect(robots.stderr).toMatch(/PLACEHOLDER/);
    expect(robots.stderr).toMatch(/OPENAI_API_KEY/);
  });

  it('prints the run folder and the result on stdout, and nothing else', () => {
    const [folder = '', ...rest] = robots.stdout.split('\n');
    expect(folder).toBe(join(place.dir, 'skill_run/idea-spark/tiny-robots-that-repair-bridges'));
    const result: unknown = JSON.parse(rest.join('\n'));
    expect(result).toMatchObject({ verdict: 'advance', cards: CARDS });
  });

  it.each([
    ['tiny-robots-that-repair-bridges', ['tiny', 'robots', 'repair', 'bridges']],
    ['protein-folding-with-sparse-attention', ['protein', 'folding', 'sparse', 'attention']],
  ])('leaves three cards in %s that hold two terms of the query and two papers of phase0', (slug, terms) => {
    const papers = JSON.parse(run(slug, 'phase0/papers.json')) as { readonly id: string }[];
    const ids = papers.map((paper) => paper.id);
    expect(ids.length).toBeGreaterThanOrEqual(2);
    for (const card of CARDS) {
      const text = run(slug, card);
      const words = new Set(text.match(/\b\w+\b/g) ?? []);
      expect(terms.filter((term) => text.toLowerCase().includes(term)).length, card).toBeGreaterThanOrEqual(2);
      expect(ids.filter((id) => words.has(id)).length, card).toBeGreaterThanOrEqual(2);
    }
  });

  it('marks each card as placeholder text', () => {
    for (const card of CARDS) expect(run('tiny-robots-that-repair-bridges', card)).toMatch(/placeholder|占位/i);
  });

  it.each(CARDS)('writes %s so that two queries share less than half of its lines', (card) => {
    const lines = (slug: string) =>
      run(slug, card)
        .split('\n')
        .filter((line) => line.trim() !== '');
    const one = lines('tiny-robots-that-repair-bridges');
    const other = new Set(lines('protein-folding-with-sparse-attention'));
    const differing = one.filter((line) => !other.has(line)).length;
    expect(differing / one.length).toBeGreaterThan(0.5);
  });
});

it('names the folder of a Chinese query in pinyin, and the next of the same name -2, announced', async () => {
  const place = newcomer();
  const first = await place.pipeline(['run', 'idea-spark', '平安夜的烟花']);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout.split('\n')[0]).toBe(join(place.dir, 'skill_run/idea-spark/ping-an-ye-de-yan-hua'));
  expect(first.stderr).not.toContain('exists already');
  const text = place.read('skill_run/idea-spark/ping-an-ye-de-yan-hua/phase4/idea.zh.md');
  expect(text).toMatch(/平安夜|烟花/);

  const second = await place.pipeline(['run', 'idea-spark', '平安夜的烟花']);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout.split('\n')[0]).toBe(join(place.dir, 'skill_run/idea-spark/ping-an-ye-de-yan-hua-2'));
  expect(second.stderr).toMatch(/"ping-an-ye-de-yan-hua" exists already: this one is "ping-an-ye-de-yan-hua-2"/);
  expect(readdirSync(join(place.dir, 'skill_run/idea-spark')).sort()).toEqual([
    'latest',
    'ping-an-ye-de-yan-hua',
    'ping-an-ye-de-yan-hua-2',
    'pipeline.log',
  ]);
  expect(readFileSync(join(place.dir, 'skill_run/idea-spark/latest/run.json'), 'utf8')).toContain(
    '"slug": "ping-an-ye-de-yan-hua-2"',
  );
});
