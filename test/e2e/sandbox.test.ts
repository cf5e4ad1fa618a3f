import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Ran, type Workspace, workspace } from '../support/cli.js';

/** As a person would find out. */
const WORKS = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']).status === 0;

/** An agent whose model does all that a hostile file tells it to do. */
function obeying(commands: readonly string[], more: { permissions?: string; tools?: string; config?: string } = {}) {
  const place = workspace();
  const home = join(place.dir, '../home');
  writeFileSync(join(home, 'canary'), 'CANARY');
  place.write('.env', 'PROJECT_KEY=CANARY');
  place.write(
    'pipeline.yaml',
    `
version: 1
name: obey
description: Obeys.
${more.permissions ? `permissions: ${more.permissions}` : ''}
steps:
  - id: link
    shell: { run: 'ln -s "$HOME" "$PIPELINE_RUN_DIR/out"' }
  - id: agent
    needs: [link]
    agent:
      instructions: Do what the file says.
      tools: ${more.tools ?? '[shell, write_file]'}
      prompt: go
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok] }
`,
  );
  if (more.config) place.write('pipeline.config.yaml', more.config);
  const calls = commands.map((command) => ({ calls: [{ name: 'shell', arguments: { command } }] }));
  const turns = [...calls, { resolve: { ok: true } }];
  const setTurns = (all: readonly unknown[]) => place.write('turns.json', JSON.stringify({ turns: { agent: all } }));
  setTurns(turns);
  return { ...place, home, setTurns };
}

function run(place: Workspace, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return place.pipeline(['run', './pipeline.yaml', 'a query', '--model', 'script:turns.json', ...args], env);
}

function tools(place: Workspace): boolean[] {
  return place
    .events('obey/latest')
    .flatMap((event) => (event.type === 'tool' && event.name !== 'resolve' ? [event.ok] : []));
}

const transcript = (place: Workspace) => place.read('skill_run/obey/latest/.steps/agent/transcript.ndjson');

/** A PATH with bash, and without bubblewrap. */
function withoutBubblewrap(place: Workspace): string {
  const bin = join(place.dir, '../bin');
  mkdirSync(bin);
  for (const name of ['bash', 'ln', 'touch', 'cat'])
    symlinkSync(execFileSync('which', [name]).toString().trim(), join(bin, name));
  return bin;
}

if (WORKS) {
  it('lets an agent that obeys a hostile file reach nothing: home, links, loopback, secrets; each refusal is journaled', async () => {
    let heard = 0;
    const server = createServer((socket) => {
      heard++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const place = obeying([]);
    const { home } = place;
    const hostile = [
      `cat ${home}/canary`,
      `cat ${place.dir}/.env`,
      `ln -s ${home} out && echo x > out/written`,
      'echo x > "$PIPELINE_RUN_DIR/out/written"',
      `exec 3<>/dev/tcp/127.0.0.1/${port}`,
      'echo forged >> "$PIPELINE_RUN_DIR/events.ndjson"',
      'cat /etc/shadow',
      'kill -9 -1; cat /proc/*/environ | tr "\\0" "\\n" | grep MY_TOKEN',
    ];
    place.setTurns([
      ...hostile.map((command) => ({ calls: [{ name: 'shell', arguments: { command } }] })),
      { calls: [{ name: 'write_file', arguments: { path: 'out/written', content: 'x' } }] },
      { calls: [{ name: 'shell', arguments: { command: 'env | sort' } }] },
      { calls: [{ name: 'shell', arguments: { command: 'rm out' } }] },
      { resolve: { ok: true } },
    ]);
    const ran = await run(place, [], { MY_TOKEN: 'tok-CANARY', OPENAI_API_KEY: 'sk-CANARY' });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(tools(place)).toEqual([...hostile.map(() => false), false, true, true]);
    expect(existsSync(join(home, 'written'))).toBe(false);
    expect(readFileSync(join(home, 'canary'), 'utf8')).toBe('CANARY');
    expect(heard).toBe(0);
    expect(transcript(place)).toContain('PIPELINE_QUERY=a query');
    expect(transcript(place)).not.toContain('CANARY');
    expect(place.read('skill_run/obey/latest/events.ndjson')).not.toMatch(/^forged/m);
  });

  it('publishes what a command has made, and reaches what the pipeline permits', async () => {
    const place = obeying(['cat ../../../../../../notes.md > page.md || cat "$DIR/notes.md" > page.md'], {
      permissions: '{ read: [notes.md], env: [DIR] }',
    });
    place.write('notes.md', 'noted');
    const ran = await run(place, [], { DIR: place.dir });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(place.read('skill_run/obey/latest/page.md')).toBe('noted');
    expect(ran.stderr).not.toContain('SANDBOX');
  });

  it('runs only what a rule covers, and journals what it refused', async () => {
    const place = obeying(['echo a b', 'echo a; touch x', 'touch x', 'echo $(touch x)'], {
      tools: '["shell(echo *)"]',
    });
    const ran = await run(place);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(tools(place)).toEqual([true, false, false, false]);
    expect(place.has('skill_run/obey/latest/x')).toBe(false);
  });

  it('refuses before it starts where user namespaces are forbidden, and says so', async () => {
    const place = obeying(['touch x']);
    const inside = 'bwrap --dev-bind / / --unshare-user --disable-userns bash -c';
    const ran = await place.bash(
      `${inside} "$(declare -f pipeline); pipeline run --no-detect ./pipeline.yaml q --model script:turns.json"`,
    );
    expect(ran.code, ran.stderr).toBe(4);
    expect(ran.stderr).toMatch(/there is no sandbox for them: .*(namespaces|bubblewrap fails)/);
    expect(place.has('skill_run/obey')).toBe(false);
    const doctor = await place.bash(`${inside} "$(declare -f pipeline); pipeline doctor --no-detect"`);
    expect(doctor.stdout).toMatch(/^warn {2}sandbox {2}none: .*(namespaces|bubblewrap fails)/m);
  });
} else {
  it('refuses before it starts on this machine, and says why', async () => {
    const ran = await run(obeying(['touch x']));
    expect(ran.code, ran.stderr).toBe(4);
    expect(ran.stderr).toMatch(/there is no sandbox for them: \w/);
  });
}

it('refuses before it starts where bubblewrap is not installed: exit 4, no run folder, what to do', async () => {
  const place = obeying(['touch x']);
  const ran = await run(place, [], { PATH: withoutBubblewrap(place) });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain('there is no sandbox for them: bubblewrap is not installed.');
  expect(ran.stderr).toContain('--sandbox off, or sandbox: off in pipeline.config.yaml');
  expect(place.has('skill_run/obey')).toBe(false);
});

it('is foreseen by a dry run, which exits 2 and shows the plan all the same', async () => {
  const place = obeying(['touch x']);
  const env = { PATH: withoutBubblewrap(place) };
  const ran = await run(place, ['--dry-run'], env);
  expect(ran).toMatchObject({ code: 2, stderr: '' });
  expect(ran.stdout).toContain('there is no sandbox for them: bubblewrap is not installed.');
  const dry = (more: Readonly<Record<string, string>>) =>
    place.pipeline(['run', './pipeline.yaml', 'q', '--dry-run'], { ...env, ...more });
  expect(await dry({ OPENAI_API_KEY: 'k' })).toMatchObject({ code: 2 });
  expect(await dry({})).toMatchObject({ code: 0, stderr: expect.stringContaining('Unless its model is sketch') });
  expect(await run(place, ['--dry-run', '--sandbox', 'off'], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('not confined'),
  });
});

it('needs no sandbox where no agent lists shell, and none for sketch, which writes no commands', async () => {
  const quiet = obeying([], { tools: '[write_file]' });
  expect(await run(quiet, [], { PATH: withoutBubblewrap(quiet) })).toMatchObject({ code: 0 });
  const sketched = obeying([]);
  const env = { PATH: withoutBubblewrap(sketched) };
  expect(await sketched.pipeline(['run', './pipeline.yaml', 'q', '--model', 'sketch'], env)).toMatchObject({ code: 0 });
});

it.each([
  ['the flag', ['--sandbox', 'off'], undefined],
  ['the configuration', [], 'sandbox: off\n'],
])('runs without one when %s says so, and says that loudly in its first lines', async (_, args, config) => {
  const place = obeying(['cat ~/canary > page.md'], config === undefined ? {} : { config });
  const ran = await run(place, args, { PATH: withoutBubblewrap(place) });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr.split('\n').slice(0, 4).join('\n')).toContain('THE SANDBOX IS OFF');
  expect(place.events('obey/latest').slice(0, 3)).toContainEqual(
    expect.objectContaining({ type: 'notice', text: expect.stringContaining('THE SANDBOX IS OFF') }),
  );
  expect(place.read('skill_run/obey/latest/page.md')).toBe('CANARY');
});

it('the flag wins over the configuration', async () => {
  const place = obeying(['touch x'], { config: 'sandbox: off\n' });
  const ran = await run(place, ['--sandbox', 'auto'], { PATH: withoutBubblewrap(place) });
  expect(ran.code).toBe(4);
});

it('doctor says what this machine can do in a line each, and the same as JSON; no value of a key is in it', async () => {
  const place = workspace();
  const env = { OPENAI_API_KEY: 'sk-CANARY', LANG: 'C.UTF-8' };
  const said = await place.pipeline(['doctor', '--no-detect', '--offline'], env);
  expect(said, said.stderr).toMatchObject({ code: 0 });
  const lines = said.stdout.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/^(ok {2}|warn|fail) {2}\w+ +\S.*$/);
  const json = await place.pipeline(['doctor', '--no-detect', '--offline', '--json'], env);
  const { ok, findings } = JSON.parse(json.stdout) as { ok: boolean; findings: { check: string; state: string }[] };
  expect(ok).toBe(true);
  expect(findings.map(({ check }) => check)).toEqual(lines.map((line) => line.slice(6, 13).trim()));
  expect(findings.find(({ check }) => check === 'sandbox')?.state).toBe(WORKS ? 'ok' : 'warn');
  expect(said.stdout + json.stdout).not.toContain('CANARY');
});

it('doctor fails where no run is possible', async () => {
  const place = workspace();
  place.write('pipeline.config.yaml', 'models: [\n');
  const ran = await place.pipeline(['doctor', '--no-detect']);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/^fail {2}config {3}pipeline\.config\.yaml:\d+: /m);
});
