import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createThinkFilter, partHeadless } from '../../src/providers/think.js';

function part(pieces: readonly string[]): { text: string; reasoning: string } {
  const filter = createThinkFilter();
  const parts = [...pieces.map((piece) => filter.push(piece)), filter.end()];
  return { text: parts.map((p) => p.text).join(''), reasoning: parts.map((p) => p.reasoning).join('') };
}

describe('the think filter', () => {
  it('takes both spellings out, wherever the tags are cut', () => {
    const pieces = ['<th', 'ink>secret</thi', 'nk>ans', 'wer <thinking>s2</think', 'ing> end'];
    expect(part(pieces)).toEqual({ text: 'answer  end', reasoning: 'secrets2' });
  });

  it('parts the same text the same way, however it is cut', () => {
    const token = fc.constantFrom(
      '<think>',
      '</think>',
      '<thinking>',
      '</thinking>',
      'a',
      '<',
      '`',
      '```\n',
      ' b\n',
      '"',
      '{',
      '<thi',
      '量',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), fc.array(fc.nat(200), { maxLength: 20 }), (tokens, cuts) => {
        const text = tokens.join('');
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(part(pieces)).toEqual(part([text]));
      }),
    );
  });

  it('holds back at most ten characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<think', '>', '</thinkin', 'g>', '<', 'x'), { maxLength: 12 }),
        (pieces) => {
          const filter = createThinkFilter();
          let fed = 0;
          let out = 0;
          for (const piece of pieces) {
            fed += piece.length;
            const { text, reasoning } = filter.push(piece);
            out += text.length + reasoning.length;
            // A whole tag is swallowed, so it counts as let out.
            if (!pieces.join('').includes('>')) expect(fed - out).toBeLessThanOrEqual(10);
          }
        },
      ),
    );
  });

  it.each([
    ['inline code', 'Write `<think>x</think>` here.'],
    ['a code fence', 'See:\n```xml\n<think>x</think>\n```\nDone.'],
    ['quotation marks', 'The tag "<think>" begins a thought.'],
    ['JSON', '{"text":"strip <think>x</think> blocks"}'],
    ['something that only looks like one', 'a <thin b <think c < d'],
  ])('leaves a tag alone in %s', (_, text) => {
    expect(part([text])).toEqual({ text, reasoning: '' });
  });

  it('takes a thought out after code has ended', () => {
    expect(part(['`a` <think>x</think>b'])).toEqual({ text: '`a` b', reasoning: 'x' });
  });

  it('takes what follows a tag that is never closed as thought', () => {
    expect(part(['<think>half a tho', 'ught</thi'])).toEqual({ text: '', reasoning: 'half a thought</thi' });
  });

  it('gives back at the end what it held back', () => {
    expect(part(['a <thi'])).toEqual({ text: 'a <thi', reasoning: '' });
  });
});

describe('a reply that begins inside a thought', () => {
  it.each([
    [
      'a closing tag on a line of its own',
      'so, because\n</think>\n\nYes.',
      { reasoning: 'so, because\n', text: 'Yes.' },
    ],
    ['a closing tag at the end of a line', 'because</thinking> \nYes.', { reasoning: 'because', text: 'Yes.' }],
    ['nothing after the thought', 'because</think>', { reasoning: 'because', text: '' }],
  ])('is parted at %s', (_, text, parted) => {
    expect(partHeadless(text)).toEqual(parted);
  });

  it.each(['Yes.', 'A </think> in a sentence.', 'The tag `</think>\n` ends it.', '<thinker>\n</think>\n'])(
    'is not seen in %j',
    (text) => {
      expect(partHeadless(text)).toBeUndefined();
    },
  );
});
