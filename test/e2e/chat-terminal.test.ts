import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspace } from '../support/cli.js';
import { HAS_TMUX, terminal } from '../support/terminal.js';

const INTAKE = {
  match: 'Reading a research direction',
  turns: [
    {
      resolve: {
        ood: true,
        reason: 'No field is named.',
        try_instead: 'Storing insulin without cooling in hot regions.',
        direction: 'Make the world better.',
        contribution: 'method',
        queries: { broad: 'a', method: 'b', similar_problem: 'c', way_out: 'd' },
        named_papers: [],
        venues: [],
      },
    },
  ],
};
const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });

/** For the first part of the chat; what was summed up begins a conversation of its own. */
const MODEL = {
  agents: [
    INTAKE,
    { match: 'You sum up', turns: [{ text: 'SUMMARY' }] },
    { match: 'You are a critic', turns: [{ text: 'The critic: too short.' }] },
    {
      match: 'summed up to save room',
      turns: [
        { text: 'kept 1' },
        { text: 'kept 2' },
        { text: 'After the summary.' },
        { text: 'Two lines.' },
        { text: 'Pasted.' },
        { text: 'Welcome back.' },
      ],
    },
    {
      turns: [
        { text: 'Good morning!' },
        call('run_shell_command', { command: 'echo $((12345 * 6789))' }),
        { text: 'It is 83810205.' },
        call('spawn_subagent', { task: 'Judge it', system: 'You are a critic.', output_file: 'out/verdict.md' }),
        { text: 'Judged.' },
        call('run_idea_spark_pipeline', { query: 'make the world better' }),
        { text: 'It was refused.' },
        { text: 'too late', delay_ms: 600_000 },
      ],
    },
  ],
};

const CLI = process.env.PIPELINE_TEST_CLI ?? new URL('../../dist/cli.js', import.meta.url).pathname;

describe.skipIf(!HAS_TMUX)('pipeline chat in a real terminal (skipped where tmux is not installed)', () => {
  const start = (dir: string, args: string) =>
    terminal(`"${process.execPath}" "${CLI}" ${args}`, dir, {
      PATH: '/usr/bin:/bin',
      HOME: dir,
      SHELL: '/bin/bash',
    });

  it('greets, lists, runs commands, sub-agents and pipelines, stops, sums up, remembers, and goes on later', async () => {
    const place = workspace();
    place.write('model.json', JSON.stringify(MODEL));
    const chat = 'chat --no-detect --model script:model.json --sandbox off';
    const { keys, sees, paste } = start(place.dir, chat);
    await sees(/\/help lists the commands.*\n›/);
    keys('good morning', 'Enter');
    await sees('Good morning!\n');
    keys('/skills', 'Enter');
    await sees(/\/idea-spark +Turns/);
    keys('what is 12345 times 6789?', 'Enter');
    expect(await sees('It is 83810205.')).toContain('✓ run_shell_command echo $((12345 * 6789))');
    keys('ask a critic', 'Enter');
    expect(await sees('Judged.')).toContain('The critic: too short.');
    expect(place.read('out/verdict.md')).toBe('The critic: too short.');
    keys('/idea_spark make the world better', 'Enter');
    expect(await sees('It was refused.')).toMatch(/✓ run_idea_spark_pipeline/);
    keys('and now wait', 'Enter');
    await sees(/and now wait\n/);
    keys('C-c');
    await sees('(stopped)');
    keys('C-c');
    await sees('Ctrl-D or /exit leaves.');
    keys('/compact', 'Enter');
    await sees('earlier messages were summed up');
    keys('what did I ask?', 'Enter');
    await sees('After the summary.');
    keys('first line \\', 'Enter');
    await sees(/^…$/m);
    keys('second line', 'Enter');
    await sees('Two lines.');
    paste('pasted one\npasted two');
    await sees('pasted one␤pasted two');
    keys('Enter');
    await sees('Pasted.');
    keys('/exit', 'Enter');
    expect(await sees('left 0')).toMatch(/go on {2}pipeline chat --resume \d{8}-\d{6}-/);
    const [message] = kept(place.read, place.dir).filter((one) => one.text === 'first line \nsecond line');
    expect(message?.role).toBe('user');

    const later = start(place.dir, `${chat} --resume`);
    await later.sees(/goes on with .* messages\n {2}said last: Pasted\./);
    later.keys('Up', 'Up');
    await later.sees('› pasted one␤pasted two');
    later.keys('Enter');
    await later.sees('Welcome back.');
    later.keys('C-d');
    await later.sees('left 0');
  });

  it('asks for each command where there is no sandbox, and takes a no for a no', async () => {
    const place = workspace();
    const turns = [call('run_shell_command', { command: 'touch made' }), { text: 'Well, no.' }];
    place.write('model.json', JSON.stringify([...turns, ...turns.slice(0, 1), { text: 'Made.' }]));
    place.write('pipeline.config.yaml', 'sandbox: auto\n');
    const line = `PATH=/nowhere "${process.execPath}" "${CLI}" chat --no-detect --model script:model.json`;
    const { keys, sees } = terminal(line, place.dir, { PATH: '/usr/bin:/bin', HOME: place.dir, SHELL: '/bin/bash' });
    await sees(/^›$/m);
    keys('make it', 'Enter');
    expect(await sees('name of your choice')).toContain('touch made');
    keys('1', 'Enter');
    await sees('Well, no.');
    expect(place.has('made')).toBe(false);
    keys('make it now', 'Enter');
    await sees(/name of your choice[\s\S]*name of your choice/);
    keys('2', 'Enter');
    await sees('Made.');
  });

  it('shows the plan of a run with --plan, and runs nothing on a no', async () => {
    const place = workspace();
    const { keys, sees } = start(place.dir, 'run now "what time is it" --plan --model sketch');
    expect(await sees('name of your choice')).toMatch(/clock/);
    keys('no', 'Enter');
    await sees('Nothing was run.');
    await sees('left 1');
    expect(place.has('skill_run')).toBe(false);
    const again = start(place.dir, 'run now "what time is it" --plan --model sketch');
    await again.sees('name of your choice');
    again.keys('yes', 'Enter');
    await again.sees('left 0');
    expect(place.has('skill_run/now/what-time-is-it')).toBe(true);
  });
});

function kept(read: (path: string) => string, dir: string): { readonly role: string; readonly text: string }[] {
  const [name = ''] = readdirSync(join(dir, 'skill_run/.chat')).filter((one) => one.endsWith('.ndjson'));
  return read(join('skill_run/.chat', name))
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { messages?: { role: string; text: string }[] }).messages ?? []);
}
