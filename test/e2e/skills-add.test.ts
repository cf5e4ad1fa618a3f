import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';

const DIGEST = '---\nname: digest\ndescription: Digests papers.\nallowed-tools: Read\n---\nRead them.\n';
const FETCH =
  'permissions: { network: true, env: [PATH] }\nsteps:\n  - id: fetch\n    shell: { run: "echo one > got.txt; echo done" }\n    artifacts: [got.txt]\n';
const TEST = 'name: fetches\nquery: q\nexpect: { status: done }\n';

interface Upstream {
  readonly dir: string;
  readonly url: string;
  write(path: string, text: string): void;
  remove(path: string): void;
  commit(): string;
}

/** A repository that a stranger keeps, beside the project. */
function upstream(place: Workspace, name = 'upstream'): Upstream {
  const dir = join(dirname(place.dir), name);
  const git = (...args: readonly string[]) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    const ran = spawnSync('git', [...who, ...args], { cwd: dir, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return ran.stdout.trim();
  };
  mkdirSync(dir, { recursive: true });
  git('init', '--quiet');
  return {
    dir,
    url: `file://${dir}`,
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    commit() {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', 'x');
      return git('rev-parse', 'HEAD');
    },
  };
}

function twoSkills(place: Workspace): Upstream {
  const there = upstream(place);
  there.write('skills/digest/SKILL.md', DIGEST);
  there.write('skills/digest/scripts/a.py', 'print(1)\n');
  there.write('skills/fetch/pipeline.yaml', FETCH);
  there.write('skills/fetch/tests/fetches.test.yaml', TEST);
  there.commit();
  return there;
}

const skillsOf = (place: Workspace) => readdirSync(join(place.dir, 'skills')).sort();
const lockOf = (place: Workspace) => JSON.parse(place.read('skills-lock.json'));

describe('pipeline skills add', () => {
  it('says what each may do, and copies nothing where nobody can be asked', async () => {
    const place = workspace();
    const there = twoSkills(place);
    const ran = await place.pipeline(['skills', 'add', there.url]);
    expect(ran.code).toBe(2);
    for (const part of [
      'Digests papers.',
      'tools        read_file',
      'programs     scripts/a.py',
      '| echo one > got.txt; echo done',
      'network      yes',
      'environment  PATH',
      'publishes    got.txt',
      'Nobody can be asked here: nothing was copied.',
    ])
      expect(ran.stderr).toContain(part);
    expect(skillsOf(place)).toEqual([]);
    expect(place.has('skills-lock.json')).toBe(false);
  });

  it('copies with --yes, records where from, and changes nothing else: no configuration, no grant', async () => {
    const place = workspace();
    const there = twoSkills(place);
    const commit = there.commit();
    const ran = await place.pipeline(['skills', 'add', there.url, '--yes', '--json']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout).added.map((one: { name: string }) => one.name)).toEqual(['digest', 'fetch']);
    expect(place.read('skills/digest/SKILL.md')).toBe(DIGEST);
    expect(lockOf(place)).toMatchObject({
      version: 1,
      skills: {
        digest: { source: there.url, sourceType: 'git', skillPath: 'skills/digest/SKILL.md', commit },
        fetch: { skillPath: 'skills/fetch/pipeline.yaml' },
      },
    });
    expect(readdirSync(place.dir).sort()).toEqual(['skills', 'skills-lock.json']);
    expect(skillsOf(place)).toEqual(['digest', 'fetch']);
    expect(await place.pipeline(['skills', 'check'])).toMatchObject({ code: 0 });
    expect(await place.pipeline(['run', 'fetch', 'q'])).toMatchObject({ code: 0 });
  });

  it('takes only what --skill names, and says what there is when it is not there', async () => {
    const place = workspace();
    const there = twoSkills(place);
    expect(await place.pipeline(['skills', 'add', there.url, '--skill', 'Fetch', '--yes'])).toMatchObject({ code: 0 });
    expect(skillsOf(place)).toEqual(['fetch']);
    const ran = await place.pipeline(['skills', 'add', there.url, '--skill', 'nope', '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('It has: digest, fetch.');
  });

  it('copies regular files only: links, other repositories and git folders of a stranger stay where they are', async () => {
    const place = workspace();
    const there = upstream(place);
    there.write('skills/digest/SKILL.md', DIGEST);
    symlinkSync('/etc/passwd', join(there.dir, 'skills/digest/passwd'));
    symlinkSync('../../..', join(there.dir, 'skills/digest/up'));
    there.write('skills/digest/node_modules/x/index.js', 'x');
    there.write('.gitmodules', '[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch PWNED"\n');
    there.write('.gitattributes', '* filter=evil\n');
    there.commit();
    const ran = await place.pipeline(['skills', 'add', there.url, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('skills/digest/passwd is left out: it is a link.');
    expect(readdirSync(join(place.dir, 'skills/digest'))).toEqual(['SKILL.md']);
  });

  it('runs no hook, of the repository or of a template', async () => {
    const place = workspace();
    const there = twoSkills(place);
    const canary = join(place.dir, 'PWNED');
    const template = join(dirname(place.dir), 'template/hooks');
    mkdirSync(template, { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
      for (const dir of [join(there.dir, '.git/hooks'), template]) {
        writeFileSync(join(dir, hook), `#!/bin/sh\ntouch ${canary}\n`);
        chmodSync(join(dir, hook), 0o755);
      }
    writeFileSync(join(dirname(place.dir), 'home/.gitconfig'), `[init]\n\ttemplateDir = ${dirname(template)}\n`);
    expect(await place.pipeline(['skills', 'add', there.url, '--yes'])).toMatchObject({ code: 0 });
    expect(place.has('PWNED')).toBe(false);
  });

  it.each([
    'ext::sh -c "touch PWNED"',
    'http://127.0.0.1:9/a.git',
    'git://127.0.0.1/a.git',
    '--upload-pack=touch PWNED',
    'https://user:key@127.0.0.1/a.git',
    'ssh://-oProxyCommand=touch/a',
    'fd::17',
  ])('refuses %j before anything is started', async (address) => {
    const place = workspace();
    const ran = await place.pipeline(['skills', 'add', '--yes', '--', address]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/is no address|names no place|holds a user name/);
    expect(place.has('PWNED')).toBe(false);
    expect(skillsOf(place)).toEqual([]);
  });

  it('overwrites nothing, not even by a name that is looked up as the same', async () => {
    const place = workspace();
    const there = twoSkills(place);
    place.write('skills/Digest/SKILL.md', 'mine');
    const ran = await place.pipeline(['skills', 'add', there.url, '--skill', 'digest', '--yes']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('skills/Digest is there already');
    expect(place.read('skills/Digest/SKILL.md')).toBe('mine');
    expect(skillsOf(place)).toEqual(['Digest']);
  });

  it('leaves out what cannot be read safely, with the reason, and says when a bundled skill loses its place', async () => {
    const place = workspace();
    const there = upstream(place);
    there.write('skills/evil/SKILL.md', '---js\n{}\n---\n');
    there.write('skills/hello/SKILL.md', '---\nname: hello\ndescription: d\n---\nb\n');
    there.commit();
    const ran = await place.pipeline(['skills', 'add', there.url, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('evil is left out: what it does cannot be told.');
    expect(ran.stderr).toMatch(/It takes the place of .*skills\/hello/);
    expect(skillsOf(place)).toEqual(['hello']);
  });

  it('shows no byte of a stranger that a terminal would obey', async () => {
    const place = workspace();
    const there = upstream(place);
    there.write('skills/a/SKILL.md', '---\nname: a\ndescription: "x\\e[2J\\u202Ey"\n---\nb\n');
    there.write('skills/a/\u001b[31mred.txt', 'x');
    there.write('skills/b/pipeline.yaml', 'steps:\n  - id: s\n    shell: { run: "echo \\e[2J" }\n');
    there.commit();
    const ran = await place.pipeline(['skills', 'add', there.url, '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(ran.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/);
    expect(ran.stderr).toContain('| echo \\u001b[2J');
    expect(readdirSync(join(place.dir, 'skills/a'))).toEqual(['SKILL.md']);
  });

  it('takes a folder, and a skill of more than 2 000 files is refused', async () => {
    const place = workspace();
    const away = join(dirname(place.dir), 'away');
    mkdirSync(join(away, 'many'), { recursive: true });
    writeFileSync(join(away, 'SKILL.md'), DIGEST);
    expect(await place.pipeline(['skills', 'add', '../away', '--yes'])).toMatchObject({ code: 0 });
    expect(lockOf(place).skills.away).toMatchObject({ source: '../away', sourceType: 'local', skillPath: 'SKILL.md' });
    rmSync(join(place.dir, 'skills/away'), { recursive: true });
    for (let at = 0; at < 2_001; at++) writeFileSync(join(away, 'many', `${at}`), '');
    const ran = await place.pipeline(['skills', 'add', '../away', '--yes']);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('at most 2000 files and 50 MB');
    expect(skillsOf(place)).toEqual([]);
  });
});

describe('an added skill whose files changed', () => {
  it('is not run, resumed, forked or tested until it is trusted: exit 4, with the names of the files', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    expect(await place.pipeline(['run', 'fetch', 'q'])).toMatchObject({ code: 0 });
    place.edit('skills/fetch/pipeline.yaml', 'echo one', 'echo two');
    place.write('skills/fetch/more.txt', 'x');
    for (const command of ['run fetch other', 'resume fetch/q', 'fork fetch/q', 'test fetch', 'skills check']) {
      const ran = await place.pipeline(command.split(' '));
      expect(ran.code, `${command}: ${ran.stderr}`).toBe(4);
      expect(ran.stderr).toContain('The skill "fetch" is not what was added: changed pipeline.yaml; new more.txt.');
    }
    expect(place.has('skill_run/fetch/other')).toBe(false);
    for (const command of ['list', 'check fetch', 'show fetch', 'graph fetch'])
      expect(await place.pipeline(command.split(' ')), command).toMatchObject({ code: 0 });
    const dry = await place.pipeline(['run', '--dry-run', 'fetch', 'q']);
    expect(dry).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('✗ The skill "fetch" is not what was added'),
    });
    const trusted = await place.pipeline(['skills', 'trust', 'fetch']);
    expect(trusted, trusted.stderr).toMatchObject({ code: 0 });
    expect(trusted.stderr).toContain('| echo two > got.txt');
    expect(await place.pipeline(['run', 'fetch', 'other'])).toMatchObject({ code: 0 });
    expect(await place.pipeline(['skills', 'check'])).toMatchObject({ code: 0 });
  });

  it('is not run as a step of another pipeline, or by its folder, either', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    place.write('skills/mine/pipeline.yaml', 'steps:\n  - id: a\n    pipeline: { skill: fetch }\n');
    place.write(
      'skills/uses/pipeline.yaml',
      'steps:\n  - id: a\n    shell: { command: [ls, "${{ skills.fetch.dir }}"] }\n',
    );
    expect(await place.pipeline(['run', 'mine', 'q'])).toMatchObject({ code: 0 });
    place.edit('skills/fetch/pipeline.yaml', 'echo one', 'echo two');
    for (const target of ['mine', 'uses', './skills/fetch', 'skills/fetch/pipeline.yaml'])
      expect((await place.pipeline(['run', target, 'other'])).code, target).toBe(4);
  });

  it('a skill of the project that is not in the lock is its own, and a broken lock guards nobody: exit 2', async () => {
    const place = workspace();
    place.write('skills/mine/pipeline.yaml', 'steps:\n  - id: a\n    set: { v: 1 }\n');
    expect(await place.pipeline(['run', 'mine', 'q'])).toMatchObject({ code: 0 });
    place.write('skills-lock.json', '<<<<<<< ours\n');
    const ran = await place.pipeline(['run', 'mine', 'other']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('skills-lock.json cannot be used');
    expect(await place.pipeline(['list'])).toMatchObject({ code: 0 });
  });

  it('is removed with --yes only, and one that is as it was at once', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    place.edit('skills/digest/SKILL.md', 'Read them', 'Burn them');
    expect(await place.pipeline(['skills', 'remove', 'digest'])).toMatchObject({ code: 2 });
    expect(await place.pipeline(['skills', 'remove', 'fetch'])).toMatchObject({ code: 0 });
    expect(skillsOf(place)).toEqual(['digest']);
    expect(await place.pipeline(['skills', 'remove', 'digest', '--yes'])).toMatchObject({ code: 0 });
    expect(lockOf(place).skills).toEqual({});
    expect(await place.pipeline(['skills', 'trust', 'digest'])).toMatchObject({ code: 2 });
  });
});

describe('pipeline skills update', () => {
  it('says what changed, and replaces with --yes what may do no more than before', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    there.write('skills/digest/SKILL.md', DIGEST.replace('Read them', 'Read them all'));
    there.remove('skills/digest/scripts/a.py');
    there.write('skills/digest/notes.md', 'x');
    const commit = there.commit();
    const asked = await place.pipeline(['skills', 'update', 'digest']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('changed SKILL.md; new notes.md; gone scripts/a.py');
    expect(asked.stderr).toContain('may do nothing more than was agreed to');
    const ran = await place.pipeline(['skills', 'update', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: 'digest  updated\nfetch  unchanged\n' });
    expect(place.read('skills/digest/SKILL.md')).toContain('Read them all');
    expect(lockOf(place).skills.digest.commit).toBe(commit);
    expect(await place.pipeline(['skills', 'check'])).toMatchObject({ code: 0 });
  });

  it('--yes replaces one that its script drives, which asks for no more than before wherever it was staged', async () => {
    const place = workspace();
    const there = upstream(place);
    there.write('skills/drive/SKILL.md', '---\nname: drive\ndescription: d\n---\nx\n');
    there.write('skills/drive/scripts/run.sh', 'echo one\n');
    there.commit();
    const added = await place.pipeline(['skills', 'add', there.url, '--yes']);
    expect(added, added.stderr).toMatchObject({ code: 0 });
    expect(added.stderr).toContain('| whatever commands its script asks for');
    there.write('skills/drive/scripts/run.sh', 'echo two\n');
    there.commit();
    const updated = await place.pipeline(['skills', 'update', 'drive', '--yes']);
    expect(updated, updated.stderr).toMatchObject({ code: 0, stdout: 'drive  updated\n' });
  });

  it('--yes never widens what it may do: exit 4, and the old one stays', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    const lock = place.read('skills-lock.json');
    there.write('skills/digest/SKILL.md', DIGEST.replace('allowed-tools: Read', 'allowed-tools: Read Write'));
    there.write('skills/fetch/pipeline.yaml', FETCH.replace('echo one', 'echo two'));
    there.commit();
    for (const [name, more] of [
      ['digest', 'tools        write_file'],
      ['fetch', '| echo two > got.txt'],
    ] as const) {
      const ran = await place.pipeline(['skills', 'update', name, '--yes']);
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain(more);
    }
    expect(place.read('skills-lock.json')).toBe(lock);
    expect(await place.pipeline(['skills', 'check'])).toMatchObject({ code: 0 });
  });

  it('brings back what was agreed to after it was changed here', async () => {
    const place = workspace();
    const there = twoSkills(place);
    await place.pipeline(['skills', 'add', there.url, '--yes']);
    place.edit('skills/fetch/pipeline.yaml', 'echo one', 'echo two');
    const ran = await place.pipeline(['skills', 'update', 'fetch', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain(
      'Its files were changed here since it was added; that is lost: changed pipeline.yaml.',
    );
    expect(place.read('skills/fetch/pipeline.yaml')).toBe(FETCH);
    expect(await place.pipeline(['skills', 'check'])).toMatchObject({ code: 0 });
  });
});
