import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchText } from '../../src/tools/patch-text.js';

const content = (source: string, find: string, replace: string) => {
  const patched = patchText(source, find, replace);
  return patched.type === 'patched' ? patched.content : patched.text;
};

describe('patchText', () => {
  it('keeps a byte order mark and the line ends of the file', () => {
    expect(content('\uFEFFalpha\r\nbeta\r\ngamma\r\n', 'alpha\nbeta', 'A\nB')).toBe('\uFEFFA\r\nB\r\ngamma\r\n');
    expect(content('\uFEFFalpha\r\nbeta\r\n', 'beta', 'B\nC')).toBe('\uFEFFalpha\r\nB\r\nC\r\n');
    expect(content('\uFEFFalpha\n', '\uFEFFalpha', 'A')).toBe('\uFEFFA\n');
    expect(content('a\nb\nc\n', 'a\r\nb', 'x\r\ny')).toBe('x\ny\nc\n');
  });

  it('takes no line end apart', () => {
    expect(content('alpha\r\nbeta\r\n', '\nbeta', '\nB')).toBe('alpha\r\nB\r\n');
    expect(content('alpha\r\nbeta\r\n', 'alpha\r', 'A\r')).toBe('A\r\nbeta\r\n');
  });

  it('leaves a file with both line ends as it is written', () => {
    expect(content('a\r\nb\nc', 'b\n', 'x\n')).toBe('a\r\nx\nc');
  });

  it('shows the nearest line when nothing matches', () => {
    expect(content('function add(a, b) {\n  return a + b;\n}\n', 'return a+ c;', '')).toContain(
      'The nearest line is 2: "  return a + b;". Read the file again',
    );
    expect(content('', 'something', '')).toContain('does not occur in the file. Read');
  });

  it('counts occurrences that overlap', () => {
    expect(content('aaa', 'aa', 'b')).toContain('occurs 2 times, at lines 1, 1');
  });

  it('counts no further than a person would, over as long a text as there is', () => {
    expect(content('a\n'.repeat(11), 'a', 'b')).toContain('occurs 11 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …');
    // A line number reckoned for each of them would take minutes.
    expect(content(' \n'.repeat(2_000_000), ' ', 'b')).toContain('occurs more than 1000 times, at lines 1, 2, 3,');
  });

  it('refuses what would change nothing', () => {
    expect(content('a', '', 'b')).toContain('`find` is empty');
    expect(content('a', 'a', 'a')).toContain('nothing would change');
  });

  it('changes exactly the passage, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '$', '量'), maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, text, (before, find, after, replace) => {
        const patched = patchText(before + find + after, find, replace);
        if (patched.type === 'problem') return;
        expect(patched.content).toBe(before + replace + after);
        expect(patched.line).toBe(before.split('\n').length);
      }),
    );
  });
});
