/** A page that is followed cannot show what was not printed, nor leave out what was. */
import { expect, it } from 'vitest';
import { blocksOf, mismatch } from './support/page.js';
import { FOLLOWED, readPage } from './support/pages.js';

it('a page is commands, what they print, files and changes of them, in order', () => {
  const page = [
    '```sh',
    'a b   # exit 2',
    'c',
    '```',
    '```',
    'said',
    '```',
    '```yaml x/y.yaml',
    'k: v',
    '```',
    '```diff x/y.yaml',
    ' z',
    '-k: v',
    '+k: w',
    '```',
    '```console',
    '$ d',
    'out',
    '```',
    '```yaml',
    'only: shown',
    '```',
    '```bash',
    'not run',
    '```',
  ].join('\n');
  expect(blocksOf(page)).toEqual([
    {
      type: 'commands',
      commands: [
        { line: 'a b   # exit 2', exit: 2 },
        { line: 'c', exit: 0 },
      ],
    },
    { type: 'printed', text: 'said\n' },
    { type: 'file', file: 'x/y.yaml', text: 'k: v\n' },
    { type: 'change', file: 'x/y.yaml', before: 'z\nk: v\n', after: 'z\nk: w\n' },
    { type: 'commands', commands: [{ line: 'd', exit: 0 }] },
    { type: 'printed', text: 'out\n' },
  ]);
});

it.each([
  ['one\ntwo', 'one\ntwo\n'],
  ['one\n…\nfour', 'one\ntwo\nthree\nfour'],
  ['took 3 ms, 1.2k tokens', 'took 12.5 s, 960 tokens'],
  ['in …/a', 'in /tmp/x/a'],
  ['…\nlast', 'last'],
])('%j may stand for %j', (page, printed) => {
  expect(mismatch(page, printed)).toBeUndefined();
});

it.each([
  ['one\ntwo', 'one', 'The page shows\ntwo\n'],
  ['one', 'one\ntwo', 'At the end the page leaves out\ntwo'],
  ['one\nthree', 'one\ntwo\nthree', 'Before\nthree\nthe page leaves out\ntwo'],
  ['2 passed', '1 passed', 'The page shows\n2 passed\n'],
  ['b\na', 'a\nb', 'Before\nb\nthe page leaves out\na'],
])('%j is seen not to be %j', (page, printed, said) => {
  expect(mismatch(page, printed)).toContain(said);
});

it.each(FOLLOWED)('%s names each file in its text, because a code host shows no name above a block', (page) => {
  const unnamed = readPage(page)
    .split(/^```/m)
    .flatMap((part, at, parts) => {
      const file = at % 2 === 1 ? /^\w+ (\S+)/.exec(part)?.[1] : undefined;
      const before = parts.filter((_, other) => other < at && other % 2 === 0).join('');
      const name = file?.slice(file.lastIndexOf('/') + 1);
      return file === undefined || before.includes(`${name}\``) ? [] : [file];
    });
  expect(unnamed).toEqual([]);
});
