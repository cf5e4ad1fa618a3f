import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lockedAs, readLock, withEntry, writeLock } from '../../src/skills/lock.js';
import { folder } from '../load/arena.js';

/** As the `skills` program of npm writes it. */
const THEIRS = `{
  "version": 1,
  "skills": {
    "convex": {
      "source": "get-convex/agent-skills",
      "sourceType": "github",
      "skillPath": "skills/convex/SKILL.md",
      "computedHash": "c5f3622c64ef550aac27d1dbc041f0c7c40d9119863c9fb8bac180b0498ee8ed",
      "subagents": ["a"]
    }
  }
}
`;

it('what the `skills` program wrote is read, and written again byte for byte, with what only it knows', () => {
  const dir = folder({ 'skills-lock.json': THEIRS });
  const lock = readLock(dir);
  expect(lockedAs(lock, 'Convex')?.entry).toMatchObject({ source: 'get-convex/agent-skills', sourceType: 'github' });
  writeLock(dir, lock);
  const written = readFileSync(path.join(dir, 'skills-lock.json'), 'utf8');
  expect(JSON.parse(written)).toEqual(JSON.parse(THEIRS));
});

it('entries are sorted by name, and one stands for all spellings of its name', () => {
  const entry = { source: 'a/b', sourceType: 'github', computedHash: 'x' };
  const lock = withEntry(withEntry(withEntry({ skills: new Map() }, 'b', entry), 'A_c', entry), 'a-c', entry);
  const dir = folder({});
  writeLock(dir, lock);
  expect([...readLock(dir).skills.keys()]).toEqual(['a-c', 'b']);
  expect([...withEntry(lock, 'A-C', undefined).skills.keys()]).toEqual(['b']);
});

it('no lock is an empty one', () => expect(readLock(folder({})).skills.size).toBe(0));

it.each([
  ['{', /cannot be used/],
  ['[]', /not \{"version", "skills"\}/],
  ['{"version": 2, "skills": {}}', /its version is 2/],
  ['{"version": 1, "skills": {"a": {"source": "x"}}}', /its entry of "a"/],
  ['{"version": 1, "skills": {"a": 7}}', /its entry of "a"/],
  [
    '{"version": 1, "skills": {"a": {"source": "x", "sourceType": "git", "computedHash": "x", "files": {"a": 1}}}}',
    /"a"/,
  ],
  ['<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', /merge/],
])('%j is refused, because it may have guarded something', (text, words) => {
  expect(() => readLock(folder({ 'skills-lock.json': text }))).toThrow(words);
});

it('a skill called __proto__ is one like any other', () => {
  const text = '{"version":1,"skills":{"__proto__":{"source":"a","sourceType":"git","computedHash":"x"}}}';
  const dir = folder({ 'skills-lock.json': text });
  expect(lockedAs(readLock(dir), '__proto__')?.entry.source).toBe('a');
  writeLock(dir, readLock(dir));
  expect(readFileSync(path.join(dir, 'skills-lock.json'), 'utf8')).toContain('"__proto__"');
});
