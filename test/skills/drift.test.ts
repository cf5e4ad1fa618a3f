import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driftedSkills, driftOf, driftText, refuseDrift, skillDirsOf } from '../../src/skills/drift.js';
import { hashFolder } from '../../src/skills/hash.js';
import { withEntry, writeLock } from '../../src/skills/lock.js';
import { folder, load } from '../load/arena.js';

/** A project with one locked skill. */
function locked(files: Readonly<Record<string, string>>, root = 'skills', withFiles = true) {
  const projectDir = folder(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${root}/got/${name}`, text])),
  );
  const dir = path.join(projectDir, root, 'got');
  const { files: hashes, computedHash } = hashFolder(dir);
  const entry = { source: 'a/b', sourceType: 'github', computedHash, ...(withFiles ? { files: hashes } : {}) };
  writeLock(projectDir, withEntry({ skills: new Map() }, 'got', entry));
  return { projectDir, dir, entry };
}

describe('a locked skill', () => {
  it.each(['skills', '.agents/skills', '.claude/skills'])('in %s is as it was, until a file changes', (root) => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x', 'scripts/a.sh': 'y' }, root);
    refuseDrift([dir, path.join(dir, 'scripts')], projectDir);
    writeFileSync(path.join(dir, 'scripts/a.sh'), 'z');
    for (const each of [dir, path.join(dir, 'scripts'), path.join(dir, 'not/there')])
      expect(() => refuseDrift([each], projectDir)).toThrow(
        'The skill "got" is not what was added: changed scripts/a.sh',
      );
  });

  it('is met by whatever path leads to it', () => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x' });
    const link = path.join(folder({}), 'link');
    symlinkSync(dir, link);
    writeFileSync(path.join(dir, 'new.md'), 'z');
    expect(driftedSkills([link, `${dir}/../got/.`], projectDir)).toMatchObject([
      { name: 'got', drift: { added: ['new.md'] } },
    ]);
  });

  it('is met through a link beside it, and from another project', () => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x' });
    symlinkSync('got', path.join(projectDir, 'skills/zz'));
    writeFileSync(path.join(dir, 'new.md'), 'z');
    expect(() => refuseDrift([path.join(projectDir, 'skills/zz')], projectDir)).toThrow('new new.md');
    expect(() => refuseDrift([dir], folder({}))).toThrow('new new.md');
  });

  it('whose folder is spelt otherwise is still locked', () => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x' });
    const renamed = path.join(projectDir, 'skills/GOT');
    renameSync(dir, renamed);
    writeFileSync(path.join(renamed, 'SKILL.md'), 'y');
    expect(() => refuseDrift([renamed], projectDir)).toThrow('changed SKILL.md');
  });

  it('with one hash over all its files is refused as a whole', () => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x' }, '.agents/skills', false);
    refuseDrift([dir], projectDir);
    writeFileSync(path.join(dir, 'SKILL.md'), 'y');
    expect(() => refuseDrift([dir], projectDir)).toThrow('which files is not known');
  });

  it('that holds a link is not what was added, even where no file differs', () => {
    const { dir, entry } = locked({ 'SKILL.md': 'x' });
    symlinkSync('/etc/passwd', path.join(dir, 'link'));
    expect(driftOf(dir, entry)).toMatchObject({ added: ['link'] });
  });

  it('that cannot be read is refused with the reason', () => {
    const { projectDir, dir } = locked({ 'SKILL.md': 'x' });
    for (let at = 0; at <= 2_000; at++) writeFileSync(path.join(dir, `${at}`), '');
    expect(() => refuseDrift([dir], projectDir)).toThrow('larger than a skill may be');
  });
});

it('skills that are not in the lock, and folders elsewhere, are the own ones of the person', () => {
  const { projectDir, dir } = locked({ 'SKILL.md': 'x' });
  writeFileSync(path.join(dir, 'SKILL.md'), 'y');
  mkdirSync(path.join(projectDir, 'skills/mine'));
  refuseDrift([path.join(projectDir, 'skills/mine'), path.join(projectDir, 'skills'), projectDir, '/'], projectDir);
});

it('any change of any files is found, and named', () => {
  const names = fc.constantFrom('a', 'b', 'c/d', 'c/e', 'SKILL.md');
  const tree = fc.dictionary(names, fc.constantFrom('', 'x', 'y'), { minKeys: 1 });
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const { dir, entry } = locked(before);
      rmSync(dir, { recursive: true });
      for (const [name, text] of Object.entries(after)) {
        mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
        writeFileSync(path.join(dir, name), text);
      }
      const drift = driftOf(dir, entry);
      const differ = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (name) => before[name] !== after[name],
      );
      const named = drift ? [...drift.changed, ...drift.added, ...drift.missing] : [];
      expect(named.sort()).toEqual(differ.sort());
    }),
    { numRuns: 60 },
  );
});

it('a drift of many files is said in a line', () => {
  const added = Array.from({ length: 30 }, (_, at) => `f${at}`);
  expect(driftText({ changed: ['a'], added, missing: [] })).toMatch(/^changed a; new f0, .* and 18 more$/);
});

it('the folders of a plan are its own, those of its children and those that its expressions and agents name', async () => {
  const dir = folder({
    'skills/one/pipeline.yaml':
      'steps:\n  - id: a\n    pipeline: { skill: two }\n  - id: b\n    set: { v: "${{ skills.three.dir }}" }\n',
    'skills/two/pipeline.yaml': 'steps:\n  - id: a\n    set: { v: 1 }\n',
    'skills/three/SKILL.md': '---\nname: three\ndescription: d\n---\nb\n',
  });
  const { plan } = await load('one', dir);
  expect(
    plan &&
      skillDirsOf(plan)
        .map((each) => path.basename(each))
        .sort(),
  ).toEqual(['one', 'three', 'two']);
});
