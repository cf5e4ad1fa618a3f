/** What a run writes for people: to a terminal, to a pipe, to a reader that leaves. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';

const ESCAPE = '\u001b';
const COLOR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);
const MOVE = new RegExp(`${ESCAPE}\\[[?\\d;]*[A-HJKhl]`);

const PIPELINE = `version: 1
name: t
steps:
  - id: a
    title: 平安夜的烟花
    agent: { prompt: "Say \${{ query }}" }
    output: { type: object, properties: { title: { type: string } }, required: [title] }
  - { id: f, foreach: [1, 2, 3], shell: { run: echo hi } }
  - { id: page, needs: [f], shell: { run: 'echo hi > page.md' }, artifacts: [page.md] }
`;

const place = (pipeline = PIPELINE) => {
  const here = workspace();
  here.write('pipeline.yaml', pipeline);
  return here;
};

it('writes no escape byte and no carriage return where nobody is at a terminal', async () => {
  const here = place();
  expect(await here.bash('pipeline run pipeline.yaml 平安夜的烟花 --model sketch > out 2> err')).toMatchObject({
    code: 0,
  });
  const written = here.read('out') + here.read('err');
  expect(written).toContain('✓ f  3 items');
  expect([written.includes(ESCAPE), written.includes('\r')]).toEqual([false, false]);
});

it('says what came out, where it is, and how to open it', async () => {
  const here = place();
  const { stderr } = await here.bash('pipeline run pipeline.yaml q --model sketch');
  expect(stderr).toMatch(/^done: .*\n {2}files {2}page\.md {2}in skill_run\/t\/q\n {2}open {3}pipeline open t\/q$/m);
});

it('ui-01: ends cleanly where its reader leaves, and the run is done', async () => {
  const here = place();
  const list = await here.bash('pipeline list --json | head -1; echo "${PIPESTATUS[0]}"');
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout.trim().split('\n').at(-1)).toBe('0');
  for (const line of [
    'pipeline run pipeline.yaml one --model sketch | head -c1',
    'pipeline run pipeline.yaml two --model sketch 2>&1 | head -1',
  ]) {
    const { stdout, stderr } = await here.bash(`${line}; echo "exit \${PIPESTATUS[0]}"`);
    expect(stdout).toMatch(/exit 0$/m);
    expect(stdout + stderr).not.toMatch(/EPIPE|Error/);
  }
  for (const query of ['one', 'two']) expect(here.events(`t/${query}`).at(-1)).toMatchObject({ status: 'done' });
});

it('colours what goes into a pipe where FORCE_COLOR asks for it, and moves no cursor there', async () => {
  const { stderr } = await place().bash('FORCE_COLOR=1 pipeline run pipeline.yaml q --model sketch');
  expect(stderr).toMatch(COLOR);
  expect(stderr).not.toMatch(MOVE);
});

const WRONG = { title: 7, kind: 'c' };
const ANSWER = `version: 1
name: t
steps:
  - id: judge
    agent: { prompt: 'Judge \${{ query }}', max_rounds: 2 }
    output:
      type: object
      properties: { title: { type: string }, kind: { enum: [a, b] } }
      required: [title, kind]
`;

it('of an answer that was refused says where the step is written, the last words, what was expected, what to open', async () => {
  const here = place(ANSWER);
  const turn = (text: string) => ({ text, calls: [{ name: 'resolve', arguments: WRONG }] });
  here.write('model.json', JSON.stringify([turn('A first try.'), turn('I \u001b[31minsist.')]));
  const { code, stderr } = await here.pipeline(['run', 'pipeline.yaml', 'q', '--model', 'script:model.json']);
  expect(code).toBe(1);
  const closing = stderr.slice(stderr.indexOf('failed: '));
  expect(closing).not.toContain(ESCAPE);
  expect(closing.split('\n').slice(1)).toEqual([
    'step "judge": after 2 rounds no answer was accepted',
    '  at     judge  pipeline.yaml:4:9',
    '  said   I insist.',
    '    answer  expected         got',
    '    /title  string           number 7',
    '    /kind   one of "a", "b"  string "c"',
    '  see    skill_run/t/q/.steps/judge/transcript.ndjson',
    '  look   pipeline show t/q judge',
    '  open   pipeline open t/q',
    expect.stringMatching(/^ {2}try {2}/),
    '  go on  pipeline resume t/q --model script:model.json --no-detect',
    '  go on in the same conversation  pipeline resume t/q --model script:model.json --no-detect --rounds +10',
    '',
  ]);
});

it('streams what the models say, and their calls, with --verbose; both at once with --quiet make no sense', async () => {
  const here = place(ANSWER);
  const turns = [
    { text: 'One line.\nAnother', calls: [{ name: 'resolve', arguments: WRONG }] },
    { text: 'The last.', calls: [{ name: 'resolve', arguments: { title: 't', kind: 'a' } }] },
  ];
  here.write('model.json', JSON.stringify(turns));
  const run = ['run', 'pipeline.yaml', 'q', '--model', 'script:model.json'];
  const { stderr } = await here.pipeline([...run, '--verbose']);
  expect(stderr.match(/^ {2}│.*$/gm)).toEqual(['  │ judge  One line.', '  │ judge  Another', '  │ judge  The last.']);
  expect((await here.pipeline(run)).stderr).not.toContain('One line.');
  expect(await here.pipeline([...run, '--verbose', '--quiet'])).toMatchObject({ code: 2 });
});

const HAS_SCRIPT = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

describe.skipIf(!HAS_SCRIPT)('at a terminal (skipped where util-linux has no `script`)', () => {
  /** All that a terminal gets. */
  const typed = async (here: Workspace, line: string, env = '') => {
    here.write('line.sh', `${line}\n`);
    const terminal = "script -qec 'bash line.sh' /dev/null < /dev/null";
    const { stdout } = await here.bash(`export -f pipeline\nSHELL=/bin/bash TERM=xterm-256color ${env} ${terminal}`);
    return stdout;
  };
  const run = 'pipeline run --no-detect pipeline.yaml q --model sketch';

  it('draws in place, in colours, and leaves the cursor as it was', async () => {
    const raw = await typed(place(), run);
    expect(raw).toMatch(COLOR);
    expect(raw).toContain(`${ESCAPE}[?25l`);
    expect(raw.lastIndexOf(`${ESCAPE}[?25h`)).toBeGreaterThan(raw.lastIndexOf(`${ESCAPE}[?25l`));
  });

  it.each(['TERM=dumb', 'CI=true'])('writes plain lines with %s', async (env) => {
    const raw = await typed(place(), run, env);
    expect(raw).toContain('✓ f  3 items');
    expect(raw).not.toContain(ESCAPE);
  });

  it('draws in place without a colour with NO_COLOR', async () => {
    const raw = await typed(place(), run, 'NO_COLOR=1');
    expect(raw).toContain(`${ESCAPE}[?25l`);
    expect(raw).not.toMatch(COLOR);
  });

  it.each([
    ['once', 'kill -INT $PPID'],
    ['twice', 'kill -INT $PPID; sleep 0.2; kill -INT $PPID'],
  ])('shows the cursor again after Ctrl-C %s', async (_, kill) => {
    const here = place(`version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: '${kill}; sleep 60' } }\n`);
    const raw = await typed(here, `${run}; echo left $?`);
    expect(raw).toContain('left 130');
    expect(raw).toContain(`${ESCAPE}[?25l`);
    expect(raw.lastIndexOf(`${ESCAPE}[?25h`)).toBeGreaterThan(raw.lastIndexOf(`${ESCAPE}[?25l`));
  });
});
