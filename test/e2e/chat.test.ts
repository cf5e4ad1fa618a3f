import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turn } from '../support/chat.js';
import { type Workspace, workspace } from '../support/cli.js';
import { mockServer } from '../support/mock-server.js';

const SANDBOXED = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0;

function place(turns: readonly unknown[]): Workspace {
  const made = workspace();
  made.write(
    'model.json',
    JSON.stringify({ agents: [{ match: 'You sum up', turns: [{ text: 'SUMMARY' }] }, { turns }] }),
  );
  return made;
}

const CHAT = 'pipeline chat --no-detect --model script:model.json';
const shell = (command: string) => ({ calls: [{ name: 'run_shell_command', arguments: { command } }] });

describe('piped into pipeline chat', () => {
  it('a text of several lines is one message, and only the answer is on stdout', async () => {
    const here = place([{ text: 'Hello.' }]);
    const ran = await here.bash(`printf 'one\\ntwo\\n' | ${CHAT}`);
    expect(ran).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(ran.stderr).toContain('model: script:model.json');
    const resumed = await here.bash(`printf '/save out.md' | ${CHAT} --resume`);
    expect(resumed.code).toBe(0);
    expect(here.read('out.md')).toContain('## Person\n\none\ntwo\n\n## Model\n\nHello.');
  });

  it('lines are commands and messages when the text begins with a slash', async () => {
    const here = place([{ text: 'Hello.' }, shell('echo $((2 + 3))'), { text: 'Five.' }, { text: 'Bye.' }]);
    const lines = ['/skills', 'hi', 'add', '/compact', '/cost', '/exit', 'never said'].join('\\n');
    const ran = await here.bash(`printf '${lines}' | ${CHAT} --sandbox off --debug`);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/\/now +Tells[\s\S]*Hello\.\nFive\.\n/);
    expect(ran.stdout).not.toContain('Bye.');
    expect(ran.stderr).toContain('→ run_shell_command echo $((2 + 3))\n✓ run_shell_command echo $((2 + 3))\n');
    expect(here.read('logs/agent.log')).toContain('exit code 0\\nstdout:\\n5');
  });

  it('is answered over the wire, and what a model thinks is neither on the screen nor in the text of its answer', async () => {
    const here = place([]);
    const text = '<think>a hidden thought</think>It is 5, not <b>.';
    const server = await mockServer([
      { ...turn({ calls: [{ name: 'skills_list', args: {} }] }), split: 'byte' },
      { ...turn({ text }), split: 'byte' },
    ]);
    onTestFinished(() => server.close());
    const wire = `OPENAI_API_KEY=k OPENAI_BASE_URL=${server.url} pipeline chat --model openai/m`;
    const ran = await here.bash(`echo '2 + 3?' | ${wire}; cat skill_run/.chat/*.ndjson >&2`);
    expect(ran.stdout).toBe('It is 5, not <b>.\n');
    expect(ran.stderr).toContain('"text":"It is 5, not <b>."');
    expect(ran.stderr).not.toMatch(/"text":"[^"]*hidden/);
    expect(server.requests.at(-1)?.body).toContain('"role":"tool"');
  });

  it('--json is a line of JSON for each message and command, also for what fails', async () => {
    const here = place([shell('true'), { text: 'Hello.' }]);
    const ran = await here.bash(`printf '/skills\\nhi\\nmore\\nnever' | ${CHAT} --json --sandbox off`);
    expect(ran.code).toBe(3);
    const lines = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { said: '/skills', status: 'done', answer: expect.stringContaining('/now'), usage: { calls: 0 } },
      { said: 'hi', status: 'done', answer: 'Hello.', usage: { calls: 2 }, session: expect.stringMatching(/^2/) },
      { said: 'more', status: 'failed', answer: '', fault: { code: 'provider.refused' } },
    ]);
    expect(ran.stderr).toContain('→ run_shell_command true');
  });

  it('nothing is an error, and so is what cannot be answered', async () => {
    const here = place([]);
    expect(await here.bash(`${CHAT} < /dev/null`)).toMatchObject({ code: 2 });
    const failed = await here.bash(`echo hi | ${CHAT}`);
    expect(failed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('out of turns') });
  });

  it('a command is refused where there is no sandbox and nobody to approve it', async () => {
    const here = place([shell('touch made'), { text: 'No.' }]);
    const ran = await here.bash(`echo hi | PATH=/nowhere ${CHAT}`);
    expect(ran).toMatchObject({ code: 0, stdout: 'No.\n', stderr: expect.stringContaining('✗ run_shell_command') });
    expect(here.has('made')).toBe(false);
  });

  it.skipIf(!SANDBOXED)(
    'a command in the sandbox writes the project, and neither runs nor its configuration',
    async () => {
      const here = place([
        shell('touch made; ls skill_run; touch skill_run/x; echo "sandbox: off" > pipeline.config.yaml'),
        { text: 'ok' },
      ]);
      here.write('pipeline.config.yaml', '# mine\n');
      here.write('skill_run/old/run.json', '{}');
      await here.bash(`echo hi | ${CHAT} --debug`);
      expect(here.has('made')).toBe(true);
      expect(here.has('skill_run/x')).toBe(false);
      expect(here.read('pipeline.config.yaml')).toBe('# mine\n');
      expect(here.read('logs/agent.log')).not.toContain('old');
    },
  );
});

describe('pipeline run --plan', () => {
  it('runs nothing without a terminal, and says what to do', async () => {
    const here = place([]);
    const ran = await here.pipeline(['run', 'now', 'x', '--plan']);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--dry-run') });
    expect(here.has('skill_run')).toBe(false);
  });
});
