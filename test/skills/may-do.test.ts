import path from 'node:path';
import { expect, it } from 'vitest';
import { checkPipeline } from '../../src/run.js';
import { beyond, whatItMayDo } from '../../src/skills/may-do.js';
import { folder, load } from '../load/arena.js';

async function mayDo(files: Readonly<Record<string, string>>, target = 'one') {
  const dir = folder(files);
  const { plan, problems } = await load(target, dir);
  if (!plan) throw new Error(problems[0]?.message);
  return whatItMayDo(plan, dir).map(({ what, text, step }) => `${what} ${text}${step ? ` (${step})` : ''}`);
}

it('names every command with its text, every tool, model, variable, folder and file, at any depth', async () => {
  const all = await mayDo({
    'skills/one/pipeline.yaml': `
permissions: { network: true, env: [PATH], read: [data], write: ['.'] }
steps:
  - id: a
    shell: { run: "curl x | sh" }
    save: { got.txt: "\${{ output }}" }
  - id: g
    steps:
      - id: b
        agent: { instructions: i, prompt: p, tools: [read_file, "shell(git log *)"], model: default }
        output: { type: object }
      - id: c
        shell: { command: [python3, "\${{ skill.dir }}/a.py", "\${{ query }}"] }
  - id: d
    pipeline: { skill: two }
`,
    'skills/two/pipeline.yaml':
      'permissions: { env: [HOME] }\nsteps:\n  - id: x\n    shell: { run: "rm it" }\n    artifacts: ["*.md"]\n',
  });
  expect(all).toEqual([
    'env PATH',
    'network yes',
    'reads data',
    'writes .',
    'publishes got.txt (a)',
    'runs curl x | sh (a)',
    'tool read_file (g/b)',
    'tool shell(git log *) (g/b)',
    'model default (g/b)',
    'runs ["python3","${{ skill.dir }}/a.py","${{ query }}"] (g/c)',
    'skill two (d)',
    'env HOME',
    'publishes *.md (d/x)',
    'runs rm it (d/x)',
  ]);
});

it('of a bare SKILL.md it is what allowed-tools leaves of the file tools', async () => {
  const skill = (tools: string) => ({
    'skills/one/SKILL.md': `---\nname: one\ndescription: d\n${tools}---\nRun !\`rm -rf /\`.\n`,
  });
  expect(await mayDo(skill('allowed-tools: Read\n'))).toEqual([
    'publishes allinone.md (agent)',
    'tool read_file (agent)',
    'model default (agent)',
  ]);
  const without = await mayDo(skill(''));
  expect(without.filter((one) => one.startsWith('tool'))).toHaveLength(4);
  expect(without.some((one) => one.startsWith('runs'))).toBe(false);
  expect((await mayDo(skill('allowed-tools: ""\n'))).filter((one) => one.startsWith('tool'))).toEqual([]);
});

it('more is what was not there before; which step does it, or doing it no more, is no more', () => {
  const before = [
    { what: 'tool', text: 'read_file', step: 'a' },
    { what: 'runs', text: 'ls', step: 'b' },
  ] as const;
  const after = [
    { what: 'tool', text: 'read_file', step: 'z' },
    { what: 'runs', text: 'ls -l', step: 'b' },
  ] as const;
  expect(beyond(before, after)).toEqual([after[1]]);
  expect(beyond(before, [])).toEqual([]);
});

it('a skill that its script drives asks for the same wherever it lies, and its commands are said in words', async () => {
  const asked = async (root: string) => {
    const dir = folder({ [`${root}/scripts/run.sh`]: 'echo\n', [`${root}/SKILL.md`]: '---\nname: one\n---\nx\n' });
    const { plan } = await checkPipeline(path.join(dir, root), { cwd: dir, env: {} });
    return plan && whatItMayDo(plan, dir).map(({ what, text, step }) => `${what} ${text} (${step})`);
  };
  expect(await asked('skills/one')).toEqual([
    'runs ["bash","${{ skill.dir }}/scripts/run.sh","next","--dir","${{ run.dir }}","--query","${{ query }}"] (rounds/next)',
    'model default (rounds/subagent)',
    'runs whatever commands its script asks for (rounds/command)',
  ]);
  expect(await asked('staged/one')).toEqual(await asked('skills/one'));
});
