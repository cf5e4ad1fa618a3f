import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { placeName, sourceOfEntry } from '../../src/skills/place.js';
import { readSource } from '../../src/skills/source.js';
import { folder } from '../load/arena.js';

const read = (text: string) => readSource(text, '/nowhere', '/nowhere');

it.each([
  ['owner/repo', 'https://github.com/owner/repo.git', 'owner/repo', 'github'],
  ['https://github.com/owner/repo', 'https://github.com/owner/repo.git', 'owner/repo', 'github'],
  ['https://github.com/owner/re.po.git', 'https://github.com/owner/re.po.git', 'owner/re.po', 'github'],
  ['https://example.org/a/b.git', 'https://example.org/a/b.git', 'https://example.org/a/b.git', 'git'],
  ['ssh://git@example.org/a/b', 'ssh://git@example.org/a/b', 'ssh://git@example.org/a/b', 'git'],
  ['git@example.org:a/b.git', 'git@example.org:a/b.git', 'git@example.org:a/b.git', 'git'],
])('%s is fetched from %s', (text, url, source, sourceType) => {
  expect(read(text)).toEqual({ type: 'git', url, source, sourceType });
});

it('#name is a branch or a tag, and never an option', () => {
  expect(read('owner/repo#v1.2')).toMatchObject({ source: 'owner/repo', ref: 'v1.2' });
  for (const ref of ['-u', '--upload-pack=x', 'a..b', 'a b', ''])
    expect(() => read(`owner/repo#${ref}`)).toThrow(Fault);
});

it('an existing folder is meant before a repository of that name, and is said from the project', () => {
  const dir = folder({ 'owner/repo/SKILL.md': 'x' });
  const source = readSource('owner/repo', dir, dir);
  expect(source).toEqual({ type: 'folder', dir: `${dir}/owner/repo`, source: 'owner/repo', sourceType: 'local' });
  expect(sourceOfEntry({ ...source, computedHash: '' }, dir)).toEqual(source);
});

it('a source that another program recorded is read again, or is none', () => {
  const entry = (sourceType: string, source: string) => ({ sourceType, source, computedHash: '' });
  expect(sourceOfEntry(entry('github', 'a/b'), '/nowhere')).toMatchObject({ url: 'https://github.com/a/b.git' });
  for (const type of ['well-known', 'node_modules'])
    expect(sourceOfEntry(entry(type, 'a'), '/nowhere')).toBeUndefined();
});

it.each([
  ['https://example.org/a/my.skill.git', 'my-skill'],
  ['git@example.org:b.git', 'b'],
  ['owner/repo', 'repo'],
])('the whole of %s is called %s', (text, name) => expect(placeName(read(text))).toBe(name));

it('whatever is typed, git is given https, ssh, a file or nothing', () => {
  const bits = [
    'ext::',
    'http://',
    'https://',
    'file://',
    'ssh://',
    '-',
    '--',
    'a',
    '@',
    ':',
    '/',
    '#',
    ' ',
    '\n',
    '..',
    '%00',
    'x.y',
    '\\',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 4 })), { maxLength: 8 });
  fc.assert(
    fc.property(text, (parts) => {
      try {
        const source = read(parts.join(''));
        if (source.type === 'folder') return;
        expect(source.url).toMatch(/^(https:\/\/|ssh:\/\/|file:\/\/|[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:)/);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
      }
    }),
    { numRuns: 5_000 },
  );
});
