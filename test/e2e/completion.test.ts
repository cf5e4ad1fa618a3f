/** Completion in real shells: each loads what `pipeline completion` prints, and asks the program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, type Workspace, workspace } from '../support/cli.js';
import { HAS_TMUX, terminal } from '../support/terminal.js';

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
const HAS_ZSH = has('zsh');
const HAS_FISH = has('fish');
if (!HAS_ZSH || !HAS_FISH) console.warn('zsh or fish is not installed: completion is not tried there');

interface Place extends Workspace {
  readonly env: Readonly<Record<string, string>>;
}

/** With a run, a skill with a blank in its name, and `pipeline` in PATH. */
async function place(): Promise<Place> {
  const made = workspace();
  made.write(
    'pipeline.yaml',
    'version: 1\nname: t\nsteps: [{ id: first, set: { x: 1 } }, { id: second, set: { x: 1 } }]\n',
  );
  made.write('skills/two words/SKILL.md', '---\nname: two words\ndescription: d\n---\nBody\n');
  await made.pipeline(['run', 'pipeline.yaml', 'q', '-q']);
  const bin = join(made.dir, '../bin');
  mkdirSync(bin);
  symlinkSync(CLI, join(bin, 'pipeline'));
  const node = join(process.execPath, '..');
  const env = { PATH: `${bin}:${node}:${process.env.PATH}`, HOME: join(made.dir, '../home'), LC_ALL: 'C.UTF-8' };
  return { ...made, env };
}

type Complete = (at: Place, words: readonly string[]) => string[];

function ran(at: Place, shell: string, args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd: at.dir, env: at.env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

const bash: Complete = (at, words) =>
  ran(at, 'bash', [
    '--norc',
    '-c',
    'eval "$(pipeline completion bash)"; COMP_WORDS=(pipeline "$@"); COMP_CWORD=$#; _pipeline_complete pipeline "${!#}"; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
    ...words,
  ]);

/** As fish lists what the tab key offers, without what each is. */
const fish: Complete = (at, words) => {
  const line = ['pipeline', ...words].map((word) => word.replaceAll(' ', '\\ ')).join(' ');
  const script = 'pipeline completion fish | source; complete -C $argv[1]';
  return ran(at, 'fish', ['--no-config', '-c', script, line]).map((one) => one.split('\t')[0] ?? '');
};

describe.each([
  { shell: 'bash', complete: bash, isThere: true },
  { shell: 'fish', complete: fish, isThere: HAS_FISH },
])('$shell', ({ complete, isThere }) => {
  it.runIf(isThere)('completes commands, options and their choices, skills, runs, steps, files', async () => {
    const at = await place();
    expect(complete(at, ['expl'])).toEqual(['explain']);
    expect(complete(at, ['runs', 'p'])).toContain('prune');
    expect(complete(at, ['run', '--dry'])).toEqual(['--dry-run']);
    expect(complete(at, ['check', '--skills'])).toEqual(['--skills-dir']);
    expect(complete(at, ['graph', '--format', ''])).toEqual(
      expect.arrayContaining(['ascii', 'mermaid', 'svg', 'json']),
    );
    expect(complete(at, ['run', 'idea'])).toEqual(['idea-spark']);
    expect(complete(at, ['show', 't/'])).toEqual(expect.arrayContaining(['t/latest', 't/q']));
    expect(complete(at, ['logs', 't/latest', 's'])).toEqual(['second']);
    expect(complete(at, ['resume', 't/q', '--from', 'f'])).toEqual(['first']);
    expect(complete(at, ['run', 'pipe'])).toEqual(['pipeline.yaml']);
    expect(complete(at, ['logs', 'nowhere/run', ''])).toEqual([]);
  });
});

it('bash quotes a name with a blank, and completes behind the = that it takes apart', async () => {
  const at = await place();
  expect(bash(at, ['run', 'two'])).toEqual(['two\\ words']);
  expect(bash(at, ['graph', '--format', '=', 'mer'])).toEqual(['mermaid']);
  expect(bash(at, ['graph', '--format', '='])).toContain('svg');
});

it.runIf(HAS_TMUX && HAS_ZSH)('zsh completes at the tab key', async () => {
  const at = await place();
  const screen = terminal('exec zsh -f', at.dir, at.env);
  screen.keys('autoload -Uz compinit && compinit -u -D; eval "$(pipeline completion zsh)"; echo rea""dy', 'Enter');
  await screen.sees(/^ready$/m);
  screen.keys('pipeline expl', 'Tab');
  await screen.sees(/pipeline explain$/m);
  screen.keys('C-u', 'pipeline logs t/latest sec', 'Tab');
  await screen.sees(/pipeline logs t\/latest second$/m);
  screen.keys('C-u', 'pipeline graph --format=mer', 'Tab');
  await screen.sees(/pipeline graph --format=mermaid$/m);
  screen.keys('C-u', 'pipeline run two', 'Tab');
  await screen.sees(/pipeline run two\\ words$/m);
});

it.runIf(HAS_TMUX)('bash completes at the tab key', async () => {
  const at = await place();
  const screen = terminal('exec bash --norc --noprofile', at.dir, at.env);
  screen.keys('eval "$(pipeline completion bash)"; echo rea""dy', 'Enter');
  await screen.sees(/^ready$/m);
  screen.keys('pipeline logs t/latest sec', 'Tab');
  await screen.sees(/pipeline logs t\/latest second$/m);
  screen.keys('C-u', 'pipeline graph --format=mer', 'Tab');
  await screen.sees(/pipeline graph --format=mermaid$/m);
});

it('says nothing but names where a shell asks, whatever is wrong', async () => {
  const at = await place();
  at.write('pipeline.config.yaml', 'models: [\n');
  for (const words of [
    ['run', '--nope', ''],
    ['nope', ''],
    ['--', '--'],
    [],
    ['show', '\u0000'],
    ['skills', 'add', ''],
  ]) {
    expect(await at.pipeline(['__complete', ...words.map((word) => word.replaceAll('\u0000', ''))])).toMatchObject({
      code: 0,
      stderr: '',
    });
  }
});

it('a shell that has no completion is named', async () => {
  const ran = await workspace().pipeline(['completion', 'tcsh']);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('bash, zsh, fish') });
});
