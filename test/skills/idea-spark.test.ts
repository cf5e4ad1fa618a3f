/** What the scripts of idea-spark guard. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importScript, runScript } from './script.js';

const CANDIDATE = {
  title: 'Sleep staging from silence',
  hook: 'What is not heard tells the stage.',
  mechanism: ['Record (P1).', 'Cut.', 'Compare.', 'Learn.', 'Decide.'],
  closes: [{ gap: 'G1', by: 'Step 3 compares (P2).', papers: ['P2'] }],
  falsification: { test: 'Nights of 20 people.', fails_if: 'kappa < 0.4', baseline: 'Loudness.' },
  budget: { compute: 'A laptop.', accelerator_hours: 0, person_weeks: 3, material: 'Recordings.' },
  missed: { paper: 'P1', what: 'It threw silence away.' },
  signature_terms: ['silence features', 'quiet staging'],
  aliases: ['acoustic absence', 'null sound'],
  cites: ['P1', 'P2'],
};
const PAPERS = [1, 2, 3, 4, 5].map((place) => ({
  id: `P${place}`,
  title: `Paper ${place}`,
  byline: 'Ada Lovelace',
  year: 2000 + place,
  venue: 'Nature',
  abstract: 'Abstract.',
  url: '',
  citations: 1,
  survey: false,
  relevance: 'core',
  reason: `Reason ${place}.`,
}));

type Operation = { op: string; section: string; index: number; text: string };
const draft = (more: Record<string, unknown> = {}) =>
  runScript('idea-spark/scripts/draft.mjs', [], {
    stdin: {
      base: CANDIDATE,
      original: CANDIDATE,
      operations: [],
      papers: PAPERS,
      gaps: ['G1', 'G2'],
      sources: 'sample',
      ...more,
    },
  });
const drafted = (more: Record<string, unknown> = {}) => JSON.parse(draft(more).stdout);

describe('number.mjs', () => {
  const hit = (place: number) => ({
    ...PAPERS[0],
    id: `H${place}`,
    title: `Hit ${place}`,
    authors: ['Ada Lovelace', 'others'],
  });
  const judge = (id: string, relevance: string) => ({ id, relevance, reason: 'Because.' });
  const numbered = (judgements: unknown[]) =>
    JSON.parse(
      runScript('idea-spark/scripts/number.mjs', [], { stdin: { papers: [1, 2, 3, 4].map(hit), judgements } }).stdout,
    );

  it('archives what is off topic and numbers the rest, core first; what nobody judged is core', () => {
    const { papers, archived, related, ids } = numbered([
      judge('H1', 'adjacent'),
      judge('H2', 'off_topic'),
      judge('H3', 'core'),
    ]);
    expect(papers.map(({ title }: { title: string }) => title)).toEqual(['Hit 3', 'Hit 4', 'Hit 1']);
    expect(ids).toEqual(['P1', 'P2', 'P3']);
    expect(archived).toEqual([{ title: 'Hit 2', reason: 'Because.' }]);
    expect(related).toBe(3);
  });

  it('takes the first of two judgements of one hit', () => {
    expect(numbered([judge('H1', 'core'), judge('H1', 'off_topic')]).archived).toEqual([]);
  });
});

describe('draft.mjs', () => {
  it('leaves a candidate without changes as it is, and finds nothing wrong with a sound one', () => {
    expect(drafted()).toMatchObject({ candidate: CANDIDATE, problems: [] });
  });

  it('applies changes in order', () => {
    const operations: Operation[] = [
      { op: 'replace', section: 'title', index: 0, text: 'Staging sleep\nfrom silence' },
      { op: 'insert', section: 'mechanism', index: 1, text: 'Clean.' },
      { op: 'remove', section: 'mechanism', index: 0, text: 'Not needed.' },
      { op: 'replace', section: 'closes', index: 0, text: 'Step 2 compares.' },
    ];
    const { candidate, problems, left_out } = drafted({ operations });
    expect([...problems, ...left_out]).toEqual([]);
    expect(candidate.title).toBe('Staging sleep from silence');
    expect(candidate.mechanism).toEqual(['Clean.', 'Cut.', 'Compare.', 'Learn.', 'Decide.']);
    expect(candidate.closes[0].by).toBe('Step 2 compares.');
  });

  it.each<[string, Operation]>([
    ['a locked section', { op: 'replace', section: 'falsification', index: 0, text: 'Ask a friend.' }],
    ['a name of every object', { op: 'replace', section: '__proto__', index: 0, text: 'x' }],
    ['a place that is not there', { op: 'replace', section: 'mechanism', index: 9, text: 'x' }],
    ['fewer steps than a mechanism needs', { op: 'remove', section: 'mechanism', index: 0, text: 'x' }],
    ['a text that is too long', { op: 'replace', section: 'title', index: 0, text: 'x'.repeat(121) }],
  ])('leaves out a change of %s, and says so', (_, operation) => {
    const { candidate, problems, left_out } = drafted({ operations: [operation] });
    expect(candidate).toEqual(CANDIDATE);
    expect(problems).toEqual([]);
    expect(left_out[0]).toContain('was left out');
  });

  it('fails when the falsification test or the budget differs by a byte', () => {
    const base = { ...CANDIDATE, falsification: { ...CANDIDATE.falsification, fails_if: 'kappa < 0.3' } };
    const ran = draft({ base });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('locked');
  });

  it('keeps the locked parts byte-equal and the bounds of the schema under any changes', async () => {
    const { applyOperations, lockedBytes } = await importScript('idea-spark/scripts/candidate.mjs');
    const operation = fc.record({
      op: fc.constantFrom('replace', 'insert', 'remove'),
      section: fc.constantFrom(...Object.keys(CANDIDATE), 'missed', 'constructor'),
      index: fc.nat(13),
      text: fc.string({ maxLength: 600 }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 20 }), (operations) => {
        const { candidate } = applyOperations(CANDIDATE, operations);
        expect(lockedBytes(candidate)).toBe(lockedBytes(CANDIDATE));
        expect(candidate.mechanism.length).toBeGreaterThanOrEqual(5);
        expect(candidate.mechanism.length).toBeLessThanOrEqual(12);
        expect(candidate.signature_terms.length).toBeGreaterThanOrEqual(2);
        expect(new Set(candidate.mechanism).size).toBe(candidate.mechanism.length);
        for (const text of [candidate.title, candidate.hook, ...candidate.mechanism])
          expect(text.length).toBeGreaterThan(0);
        expect(candidate.cites).toEqual(CANDIDATE.cites);
      }),
    );
  });

  it('finds citations in lists and in brackets that name no paper, and takes a P450 for a word', () => {
    const base = { ...CANDIDATE, hook: 'P450 enzymes hum (P1, P8).', cites: ['P1', 'P9'] };
    expect(drafted({ base }).problems).toEqual([
      'P9 is cited, but no such paper was found.',
      'P8 is cited, but no such paper was found.',
    ]);
  });

  it('bounds the search for collisions by years, but not the sample', () => {
    expect(drafted().searches.map((search: { start_year: number }) => search.start_year)).toEqual([0, 0]);
    const [signature, alias] = drafted({ sources: 'local:refs.bib' }).searches;
    expect(signature).toMatchObject({ role: 'signature', queries: 'silence features|quiet staging' });
    expect(signature.start_year).toBeGreaterThan(alias.start_year);
  });
});

describe('cards.mjs', () => {
  const plain = {
    title: 'Silence tells',
    hook: 'Hook.',
    problem: 'Stuck.',
    idea: ['One.', 'Two.', 'Three.'],
    new: 'New.',
    test: 'Test.',
    cost: 'Cost.',
  };
  const check = { level: 'clear', finding: 'Fine.', evidence: ['P1', 'C1'] };
  const spark = (more: Record<string, unknown> = {}) => ({
    query: '平安夜的烟花 & "quotes" $(touch x) undefined',
    direction: 'Read.',
    sample: true,
    papers: PAPERS,
    bottleneck: {
      statement: 'Stuck.',
      unaddressed: [{ id: 'G1', gap: 'Gap.', seen_in: ['P1'] }],
      closest: [{ paper: 'P1', does: 'Does.', leaves: 'Leaves.' }],
      cites: ['P1', 'P2'],
    },
    candidate: CANDIDATE,
    audit: {
      checks: { already_done: check, works: check, follows: check, testable: check, affordable: check },
      closest_prior: { id: 'C1', difference: 'Differs.' },
      verdict: 'advance',
      summary: 'Sound.',
    },
    evidence: [{ id: 'C1', title: 'Other', url: '', year: 2020 }],
    trail: [{ round: 1, verdict: 'advance', summary: 'Sound.' }],
    plain: { en: plain, zh: plain },
    ...more,
  });
  const render = (more: Record<string, unknown> = {}, env: Record<string, string> = {}) => {
    const cwd = mkdtempSync(join(tmpdir(), 'cards-'));
    const ran = runScript('idea-spark/scripts/cards.mjs', [], { stdin: spark(more), env, cwd });
    const read = (name: string) => readFileSync(join(cwd, 'phase4', `idea.${name}.md`), 'utf8');
    return { ran, read };
  };

  it('writes three cards that hold the query and two papers each', () => {
    const { ran, read } = render();
    expect(ran.stderr).toBe('');
    for (const name of ['en', 'zh', 'detail']) {
      const card = read(name);
      expect(card).toContain(spark().query);
      expect(card).toMatch(/P1[\s\S]*P2/);
      expect(card.startsWith('# ')).toBe(true);
    }
    expect(read('zh')).toContain('**方向**');
  });

  it('marks every card of a placeholder model in its first line', () => {
    const { read } = render({}, { PIPELINE_PLACEHOLDER: '1' });
    for (const name of ['en', 'zh', 'detail']) expect(read(name)).toMatch(/^> (Placeholder text|占位文本)/);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a title of 16 words', { plain: { en: { ...plain, title: 'word '.repeat(16) }, zh: plain } }],
    ['a citation of nothing', { plain: { en: { ...plain, new: 'As in (P99).' }, zh: plain } }],
    ['one paper only', { candidate: { ...CANDIDATE, cites: ['P1'] } }],
    ['an empty part', { plain: { en: { ...plain, test: ' ' }, zh: plain } }],
  ])('refuses a card with %s', (_, more) => {
    const { ran } = render(more);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('phase4/idea.en.md: ');
  });
});
