/** Fuzzes the tool `patch_file`: one passage is another, or the file is as it was. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { FIXTURES } from '../../test/support/cli.js';
import { place } from '../../test/tools/context.js';
import { filesIn } from './front-matter.js';
import { below, damagedBytes, mutated, pick } from './mutate.js';
import type { Random, Target } from './target.js';

const WORDS = [
  '$&',
  '$1',
  '$$',
  '\\',
  '\r\n',
  '\n',
  '\r',
  '\uFEFF',
  'a',
  'aa',
  ' ',
  '\t',
  '',
  '// ',
  '😀',
  '\ud83d',
  '\0',
];

export const patch: Target = {
  name: 'patch_file',
  inputs: 400,
  async open() {
    const corpus = {
      texts: filesIn(join(FIXTURES, 'corpus'), /^SKILL\.md$/).map((text) => text.slice(0, 8_000)),
      words: WORDS,
    };
    const { work, context } = place();
    const file = join(work, 'text.md');
    return (random) => {
      const text = random() < 0.3 ? `\uFEFF${mutated(corpus, random)}` : mutated(corpus, random);
      const before = damagedBytes(text, random);
      const [find, replace] = [passage(text, random), passage(pick(corpus.texts, random), random)];
      writeFileSync(file, before);
      return {
        input: JSON.stringify({ find, replace, text }),
        async read() {
          const { type } = await patchFileTool.execute({ path: 'text.md', find, replace }, context);
          const after = readFileSync(file);
          if (type === 'error') return after.equals(before) ? undefined : 'refused, yet the file is another';
          return wrongWith(after.toString(), Buffer.from(before).toString(), { find, replace });
        },
      };
    };
  },
};

/** Mostly a piece of the text as it is; else with other line ends, or with something else in it. */
function passage(text: string, random: Random): string {
  const from = below(text.length, random);
  const piece = text.slice(from, from + 1 + below(10 ** (1 + below(3, random)), random));
  if (random() < 0.6) return piece;
  if (random() < 0.5) return random() < 0.5 ? piece.replace(/\r?\n/g, '\r\n') : piece.replaceAll('\r\n', '\n');
  return random() < 0.5 ? piece + pick(WORDS, random) : pick(WORDS, random);
}

/** Read more freely than the tool does: any line end may be meant, and half of one. */
function wrongWith(after: string, before: string, { find, replace }: Readonly<Record<'find' | 'replace', string>>) {
  const readings = [find, find.replace(/^\uFEFF/, '')].flatMap((one) => [one, unix(one), crlf(one), `${crlf(one)}\n`]);
  const added = [replace, unix(replace), crlf(replace), `${crlf(replace)}\n`];
  const single = readings.filter(
    (one) => one !== '' && before.includes(one) && before.indexOf(one) === before.lastIndexOf(one),
  );
  const results = single.flatMap((one) => added.map((each) => asWritten(before.replace(one, () => each))));
  if (!results.includes(after)) return 'more than the one passage is another';
  if (before.startsWith('\uFEFF') && !after.startsWith('\uFEFF')) return 'the byte order mark is lost';
  const isCrlf = /\r\n/.test(before) && !/(^|[^\r])\n/.test(before);
  return isCrlf && /(^|[^\r])\n/.test(after) ? 'a line ends in LF where all ended in CRLF' : undefined;
}

/** Half a surrogate pair is none. */
const asWritten = (text: string) => Buffer.from(text).toString();
const unix = (text: string) => text.replaceAll('\r\n', '\n');
const crlf = (text: string) => unix(text).replaceAll('\n', '\r\n');
