import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSkill } from '../../src/load/skill.js';
import { FIXTURES, folder, places } from './arena.js';

const made = (name: string) => readSkill(path.join(FIXTURES, 'skills/made', name));
/** A skill of this text in a folder called `a`. */
const skillOf = (text: string | Uint8Array, strict = false) =>
  readSkill(path.join(folder({ 'a/SKILL.md': text }), 'a'), strict);

describe('forms of SKILL.md', () => {
  it.each([
    ['allowed-comma', []],
    ['allowed-star', ['yaml-indicator 4:16']],
    ['block-scalar', []],
    ['bom', []],
    ['bom-crlf', []],
    ['cr-only', []],
    ['dashes-in-value', []],
    ['dots-close', ['skill-front-matter 4:1']],
    ['dup-keys', ['yaml-duplicate-key 3:1']],
    ['empty-body', ['skill-empty-body 1:1']],
    ['empty-description', ['skill-description 2:1']],
    ['hr-in-body', []],
    ['lower-filename', []],
    ['metadata-json', []],
    ['missing-description', ['skill-description 2:1']],
    ['missing-name', ['skill-name 2:1']],
    ['name-path', ['skill-name 2:7']],
    ['name-upper', ['skill-name 2:7']],
    ['name-yes', ['skill-name 2:7']],
    ['no-frontmatter', ['skill-no-front-matter 1:1']],
    ['proto-key', []],
    ['tools-key', ['skill-tools 4:1']],
    ['unquoted-colon', ['yaml-colon 3:14']],
    ['vars', []],
  ])('%s loads, saying %j', (name, warnings) => {
    const { skill, problems } = made(name);
    expect(skill?.name).toBe(name);
    expect(places(problems)).toEqual(warnings);
    expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  it.each([
    ['nul-byte', 'skill-unreadable 9:1'],
    ['tab-indent', 'yaml-syntax 5:1'],
    ['unclosed', 'skill-unclosed 1:1'],
    ['utf16le', 'skill-unreadable 1:1'],
  ])('%s does not load, because of %s', (name, error) => {
    const { skill, problems } = made(name);
    expect(skill).toBeUndefined();
    expect(places(problems)).toEqual([error]);
  });

  it('covers every made form', () => {
    expect(readdirSync(path.join(FIXTURES, 'skills/made'))).toHaveLength(28);
  });

  it.each(readdirSync(path.join(FIXTURES, 'skills/real')))('the public skill %s loads', (name) => {
    const { skill, problems } = readSkill(path.join(FIXTURES, 'skills/real', name));
    expect(skill?.body.length).toBeGreaterThan(100);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('front matter', () => {
  it.each(['---js', '---javascript', '---JS', '--- js', '---json', '---coffee', '---\tjs', '\n\n---js'])(
    '%j is refused, and nothing of it runs',
    (fence) => {
      const dir = folder({});
      const flag = path.join(dir, 'PWNED');
      const text = `${fence}\n{name:(require('fs').writeFileSync(${JSON.stringify(flag)},'1'),'x')}\n---\nb`;
      const { skill, problems } = skillOf(text);
      expect(skill).toBeUndefined();
      expect(problems[0]?.rule).toBe('skill-unsafe');
      expect(existsSync(flag)).toBe(false);
    },
  );

  it('a second block in the body is text', () => {
    expect(skillOf('---\nname: a\ndescription: d\n---\n---js\nx\n---\n').skill?.body).toBe('---js\nx\n---\n');
  });

  it.each([
    ['a byte order mark', '\uFEFF---\nname: a\ndescription: d\n---\nb'],
    ['Windows line ends', '---\r\nname: a\r\ndescription: d\r\n---\r\nb'],
    ['blanks after the fences', '---  \nname: a\ndescription: d\n---\t\nb'],
    ['blank lines before', '\n \n---\nname: a\ndescription: d\n---\nb'],
    ['old Mac line ends', '---\rname: a\rdescription: d\r---\rb'],
  ])('%s changes nothing', (_, text) => {
    const { skill, problems } = skillOf(text);
    expect(skill).toMatchObject({ description: 'd', body: 'b' });
    expect(problems).toEqual([]);
  });

  it('gives a fresh result each time', () => {
    const dir = path.join(folder({ 'a/SKILL.md': '---\nname: a\ndescription: d\nmetadata: { n: 1 }\n---\nb' }), 'a');
    (readSkill(dir).skill?.metadata as { n: number }).n = 99;
    expect(readSkill(dir).skill?.metadata).toEqual({ n: 1 });
  });

  it('an unquoted colon over several lines is mended and said', () => {
    const { skill, problems } = skillOf('---\nname: a\ndescription: Use when: asked\n  about a: b\n---\nb');
    expect(skill?.description).toBe('Use when: asked about a: b');
    expect(problems.map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('strict makes an error of a warning', () => {
    const text = '---\nname: other\ndescription: d\n---\nb';
    expect(skillOf(text).skill?.name).toBe('a');
    expect(skillOf(text, true)).toMatchObject({ problems: [{ severity: 'error', rule: 'skill-name' }] });
  });

  it('cuts a description beyond 1 024 characters, and says how long it is', () => {
    const { skill, problems } = skillOf(`---\nname: a\ndescription: ${'d'.repeat(5_000)}\n---\nb`);
    expect(skill?.description).toHaveLength(1_024);
    expect(problems[0]?.message).toContain('5000 characters');
  });

  it.each([
    ['My_Skill', 'my-skill', 0],
    ['中文', '中文', 0],
    ['123', 'a', 1],
    ["''", 'a', 1],
    ['[a]', 'a', 1],
    ['a'.repeat(70), 'a'.repeat(70), 1],
  ])('the name %s in the folder %s makes %i warnings', (name, dir, count) => {
    const root = folder({ [`${dir}/SKILL.md`]: `---\nname: ${name}\ndescription: d\n---\nb` });
    const { skill, problems } = readSkill(path.join(root, dir));
    expect(skill?.name).toBe(dir);
    expect(problems).toHaveLength(count);
  });
});

describe('allowed-tools', () => {
  const tools = (written: string) => skillOf(`---\nname: a\ndescription: d\nallowed-tools: ${written}\n---\nb`);
  it.each([
    ['Read, Write, Edit', ['read_file', 'write_file', 'patch_file']],
    ['Read Glob Grep', ['read_file', 'list_files', 'search_files']],
    ['[Read, "Bash(git log:*)"]', ['read_file', 'shell(git log *)']],
    ['Bash(npm run test, x), Bash(npx a b:*) Read', ['shell(npm run test, x)', 'shell(npx a b *)', 'read_file']],
    ['Bash(*)', ['shell']],
    ['""', []],
  ])('%s is %j', (written, expected) => {
    expect(tools(written)).toMatchObject({ skill: { allowedTools: expected }, problems: [] });
  });

  it('says which tools have no counterpart', () => {
    const { skill, problems } = tools('Read, AskUserQuestion, mcp__github__*');
    expect(skill?.allowedTools).toEqual(['read_file']);
    expect(problems[0]?.message).toContain('AskUserQuestion, mcp__github__*');
  });

  it('is absent if the key is', () => {
    expect(skillOf('---\nname: a\ndescription: d\n---\nb').skill).not.toHaveProperty('allowedTools');
  });
});

describe('what a skill runs as', () => {
  it.each([
    [{ 'SKILL.md': 'x' }, 'agent'],
    [{ 'pipeline.yaml': 'steps: []' }, 'pipeline'],
    [{ 'SKILL.md': 'x', 'scripts/run.py': '' }, 'next-loop'],
    [{ 'scripts/run.py': '', 'pipeline.yaml': 'max_steps: 3' }, 'next-loop'],
    [{ 'scripts/run.sh': '', 'pipeline.yaml': 'name: x\nsteps:\n  - id: a' }, 'pipeline'],
  ])('%j is a %s', (files, runsAs) => {
    expect(readSkill(folder(files as Record<string, string>)).skill?.runsAs).toBe(runsAs);
  });

  it('a folder without any of them is said to hold none', () => {
    expect(places(readSkill(folder({ 'README.md': 'x' })).problems)).toEqual(['skill-missing 1:1']);
  });
});

describe('hostile folders', () => {
  it('does not read a SKILL.md that links out of its folder', () => {
    const dir = folder({ 'secret.txt': 'key', 'a/x': '' });
    symlinkSync(path.join(dir, 'secret.txt'), path.join(dir, 'a/SKILL.md'));
    const { skill, problems } = readSkill(path.join(dir, 'a'));
    expect(skill).toBeUndefined();
    expect(problems[0]?.message).toContain('outside');
  });

  it('does not read a SKILL.md that is a folder', () => {
    const dir = folder({});
    mkdirSync(path.join(dir, 'SKILL.md'));
    expect(places(readSkill(dir).problems)).toEqual(['skill-unreadable 1:1']);
  });

  it('never throws, whatever the bytes', () => {
    const dir = folder({});
    const bits = [
      '---\n',
      '---',
      'name: a\n',
      'description: ',
      ': ',
      '\r',
      '\uFEFF',
      '- ',
      '{',
      '[',
      '"',
      '\n',
      '...\n',
      'js',
      '&a',
      '*a',
      '|\n',
      '\t',
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ unit: 'binary' })), { maxLength: 30 });
    const bytes = fc.oneof(
      text.map((all) => Buffer.from(all.join(''))),
      fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all)),
    );
    fc.assert(
      fc.property(bytes, (content) => {
        writeFileSync(path.join(dir, 'SKILL.md'), content);
        const { skill, problems } = readSkill(dir);
        expect(skill !== undefined || problems.length > 0).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are read also with a hundred thousand blank lines, in time that grows with them', () => {
    const { skill } = skillOf(
      `---\nname: a\ndescription: Does.\n${'\n'.repeat(100_000)}metadata: { b: c }\n---\nDo.\n`,
    );
    expect(skill).toMatchObject({ description: 'Does.', metadata: { b: 'c' }, body: 'Do.\n' });
  });
});
