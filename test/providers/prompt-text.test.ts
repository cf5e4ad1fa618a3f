import { describe, expect, it } from 'vitest';
import { cutText, humanise, pathsIn, readPrompt } from '../../src/providers/prompt-text.js';

describe('the lead of a prompt', () => {
  it.each([
    ['the first line', 'Cheaper long context for small models.\n\nMore.', 'Cheaper long context for small models'],
    ['after a label', 'Direction: cheaper long context', 'cheaper long context'],
    ['under a label', 'Direction:\n\n> "cheaper long context"', 'cheaper long context'],
    [
      'under a heading, past rules and fences',
      '# Query\n---\n```\ncode\n```\n- cheaper **long** context',
      'cheaper long context',
    ],
    ['of a subject named later', 'Write an essay about the topic.\nTopic: fireworks', 'fireworks'],
    ['without spaces', '方向:平安夜的烟花', '平安夜的烟花'],
    ['of nothing', '\n\n', 'untitled'],
  ])('is %s', (_, text, lead) => {
    expect(readPrompt(text).lead).toBe(lead);
  });

  it('has at most twelve words', () => {
    expect(readPrompt('one two three four five six seven eight nine ten eleven twelve thirteen').lead).toMatch(
      /twelve$/,
    );
  });
});

it('finds sentences, not headings, code or data', () => {
  const text =
    '# A heading that is long enough\nThe subject\nFirst sentence of the text. Second sentence of the text!\n```\nconst x = "code";\n```\n{"a": "data"}';
  expect(readPrompt(text).sentences).toEqual(['First sentence of the text.', 'Second sentence of the text!']);
});

it('cuts between words, and inside a language without spaces between characters', () => {
  expect(cutText('alpha beta gamma', 2, 100)).toBe('alpha beta');
  expect(cutText('alpha beta gamma', 9, 12)).toBe('alpha beta');
  expect(cutText('平安夜的烟花', 9, 3)).toBe('平安夜');
  expect(cutText('😀😀😀', 9, 5)).toBe('😀😀');
});

it('makes words of names', () => {
  expect(['almost_prior', 'almostPrior', 'a-b.c'].map(humanise)).toEqual(['almost prior', 'almost prior', 'a b c']);
});

it('sees paths, and neither addresses nor abbreviations', () => {
  expect(pathsIn('See notes.md, `src/a-b/c.ts` and ./x.json; not https://e.org/y.html, e.g. or 3.5.')).toEqual([
    'notes.md',
    'src/a-b/c.ts',
    './x.json',
  ]);
});
