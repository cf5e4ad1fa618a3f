import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resumeLineAt } from '../../src/cli/go-on.js';
import { Fault } from '../../src/core/faults.js';
import type { Message, ModelRequest } from '../../src/core/model.js';
import { room } from '../support/chat-room.js';
import { calling, voice } from '../support/voice.js';

const ESSAY = `---
name: essay
description: Writes an essay.
---
Write three sentences about what is asked.
`;

const toolNames = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const lastOf = (request: ModelRequest | undefined): Message | undefined => request?.messages.at(-1);

describe('a chat', () => {
  it('answers from the conversation so far, and offers files, commands, skills, pipelines and sub-agents', async () => {
    const model = voice([{ text: 'Hello.' }, { text: 'As I said: hello.' }]);
    const { say } = room(model);
    expect(await say('hi')).toContain('answer: Hello.');
    await say('again?');
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual(['hi', 'Hello.', 'again?']);
    expect(toolNames(model.requests[0])).toEqual([
      'skills_list',
      'skill_view',
      'read_file',
      'list_files',
      'search_files',
      'write_file',
      'patch_file',
      'run_shell_command',
      'run_idea_spark_pipeline',
      'run_now_pipeline',
      'run_paper_search_pipeline',
      'run_system_health_pipeline',
      'run_write_a_pipeline_pipeline',
      'spawn_subagent',
    ]);
  });

  it('lists the skills without the model, and gives a model those that have a description', async () => {
    const model = voice([calling(['skills_list', {}]), { text: 'ok' }]);
    const place = room(model);
    place.write('skills/essay/SKILL.md', ESSAY);
    place.write('skills/silent/SKILL.md', 'Do it.');
    const listed = await place.say('/skills');
    expect(listed).toMatch(/\/essay +Writes an essay\./);
    expect(listed).toMatch(/\/silent +\(no description/);
    expect(model.requests).toHaveLength(0);
    await place.say('which skills?');
    expect(lastOf(model.requests[1])?.text).toContain('"name": "essay"');
    expect(lastOf(model.requests[1])?.text).not.toContain('silent');
  });

  it('shows a model a skill with its notes for this runner and its contract, hyphen or underscore alike', async () => {
    const model = voice([calling(['skill_view', { name: 'my_essay' }]), { text: 'ok' }]);
    const place = room(model);
    const front = '---\nname: my-essay\ndescription: d\nmetadata: { contract: no-questions }\n---\n';
    place.write('skills/my-essay/SKILL.md', `${front}Body.`);
    place.write('skills/my-essay/REACT_AGENT.md', 'Use write_file.');
    await place.say('an essay please');
    const seen = lastOf(model.requests[1])?.text ?? '';
    expect(seen).toMatch(/<skill name="my-essay">\nBody\.\n\nUse write_file\.\n\nContract of this skill: no questions/);
  });

  it('makes /<skill> an instruction that holds a short skill whole', async () => {
    const model = voice([{ text: 'ok' }]);
    const place = room(model);
    place.write('skills/essay/SKILL.md', ESSAY);
    await place.say('/essay on trees');
    expect(lastOf(model.requests[0])?.text).toBe(
      'Do what the skill "essay" says, given here.\nWhat is asked: on trees\n\n<skill name="essay">\nWrite three sentences about what is asked.\n</skill>',
    );
  });

  it('runs a skill that is a pipeline, and tells the model its result, its folder and its files', async () => {
    const model = voice([calling(['run_now_pipeline', { query: 'time in Tokyo' }]), { text: 'late' }]);
    await room(model).say('/now in Tokyo');
    expect(model.requests[0]?.messages[0]?.text).toContain('call run_now_pipeline');
    expect(lastOf(model.requests[1])?.text).toMatch(
      /^done\nrun folder: skill_run\/now\/time-in-tokyo\n- now\.json\n- now\.txt\nresult:\n\d\d:\d\d:\d\d on /,
    );
  });

  it('runs by sketch the pipeline that is named, without a key, and answers each message', async () => {
    const place = room(voice([]), { model: 'sketch' });
    place.write(
      'skills/made/pipeline.yaml',
      'version: 1\nname: made\nsteps: [{ id: a, set: { b: 1 } }]\nresult: "${{ query }}!"\n',
    );
    place.write('skills/made/SKILL.md', '---\nname: made\ndescription: d\n---\nx');
    expect(await place.say('hello')).toBe('answer: Placeholder answer without a language model: hello.');
    expect(await place.say('/made why')).toMatch(/→ run_made_pipeline[\s\S]*✓ run_made_pipeline[\s\S]*result:\nwhy!/);
    expect(await place.say('and now')).toBe('answer: Placeholder answer without a language model: and now.');
  });

  it('shows a call whose arguments do not fit, or are none, with what is wrong with them', async () => {
    const model = voice([
      calling(['list_files', { path: 7 }]),
      { text: '', calls: [{ id: 'b', name: 'read_file', arguments: '{"path"' }], finish: 'calls' },
      { text: 'ok' },
    ]);
    const shown = await room(model).say('look');
    expect(shown).toMatch(/^note: ✗ list_files: its arguments do not fit: \/?path: .+$/m);
    expect(shown).toMatch(/^note: ✗ read_file: its arguments are not valid JSON: .+$/m);
    expect(shown).not.toContain('matches {');
  });

  it('gives a long result in part, with the file that holds it whole, which the model can read', async () => {
    const made = `version: 1\nname: long\nsteps: [{ id: a, set: { b: 1 } }]\nresult: ${'word '.repeat(20_000)}end\n`;
    const path = '.results/r1-1-run_long_pipeline.txt';
    const model = voice([
      calling(['run_long_pipeline', { query: 'x' }]),
      calling(['read_file', { path, offset: 4, limit: 1 }]),
      { text: 'ok' },
    ]);
    const place = room(model);
    place.write('skills/long/pipeline.yaml', made);
    place.write('skills/long/SKILL.md', '---\nname: long\ndescription: d\n---\nx');
    await place.say('run it');
    expect(lastOf(model.requests[1])?.text).toContain(`bytes are left out here; the whole text is the file ${path}]`);
    expect(lastOf(model.requests[2])?.text).toMatch(/word word/);
  });

  it('runs no pipeline that was changed since the chat began, unless a person agrees', async () => {
    const turns = [calling(['run_made_pipeline', { query: 'x' }]), { text: 'ok' }];
    const made = 'version: 1\nname: made\ndescription: d\nsteps: [{ id: a, set: { b: 1 } }]\nresult: ran\n';
    const alone = voice(turns);
    const nobody = room(alone);
    await nobody.say('/help');
    nobody.write('skills/made/pipeline.yaml', made);
    nobody.write('skills/made/SKILL.md', '---\nname: made\ndescription: d\n---\nx');
    await nobody.say('run it');
    expect(lastOf(alone.requests[1])?.text).toContain('was changed since this chat began');
    const agreed = voice(turns);
    const person = room(agreed, {}, () => 'run it');
    await person.say('/help');
    person.write('skills/made/pipeline.yaml', made);
    person.write('skills/made/SKILL.md', '---\nname: made\ndescription: d\n---\nx');
    await person.say('run it');
    expect(person.asked[0]?.title).toBe('Run the skill "made" as it is now?');
    expect(lastOf(agreed.requests[1])?.text).toContain('result:\nran');
  });

  it('writes files of the project, and neither runs, nor the configuration, nor what was agreed to', async () => {
    const paths = ['notes/a.md', 'skill_run/x/events.ndjson', './Skill_run/../skill_run/y', 'pipeline.config.yaml'];
    const more = ['skills-lock.json', '.git/config', '../outside.txt', '.env'];
    const model = voice([
      calling(...[...paths, ...more].map((path) => ['write_file', { path, content: 'x' }] as const)),
      { text: 'ok' },
    ]);
    const place = room(model);
    await place.say('write');
    const results = model.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [one.error] : []));
    expect(results).toEqual([false, true, true, true, true, true, true, true]);
    expect(place.read('notes/a.md')).toBe('x');
  });

  it('finds what its /plan says no tools for, asks, and starts on a yes only', async () => {
    const model = voice([{ text: '1. look' }, { text: 'done' }]);
    const yes = room(model, {}, () => 'yes');
    await yes.say('/plan tidy up');
    expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([false, true]);
    expect(model.requests[0]?.messages[0]?.text).toContain('Answer with a plan only');
    const other = voice([{ text: '1. look' }]);
    const no = room(other, {}, () => 'no');
    expect(await no.say('/plan tidy up')).toContain('nothing was started');
    expect(other.requests).toHaveLength(1);
  });

  it('says what a call failed with and goes on, and what was stopped', async () => {
    const stop = new AbortController();
    const model = voice([
      new Fault('provider.refused', 'no such model', { hint: 'Name another.' }),
      async (_, signal) => {
        stop.abort(new Fault('run.cancelled', 'stopped'));
        throw signal.reason;
      },
      { text: 'back' },
    ]);
    const { say } = room(model);
    expect(await say('one')).toBe('note: ✗ no such model\n  try  Name another.');
    expect(await say('two', stop.signal)).toBe('note: (stopped)');
    await say('three');
    expect(model.requests[2]?.messages.map(({ text }) => text)).toEqual([
      'one',
      'two',
      '(The person stopped your answer here.)',
      'three',
    ]);
  });

  it('says of a pipeline that is stopped that its call is over, and how to go on with the run', async () => {
    const stop = new AbortController();
    const model = voice([calling(['run_made_pipeline', { query: 'why' }])]);
    const place = room(model, { resumeLine: resumeLineAt });
    const run = 'touch "$PIPELINE_PROJECT_DIR/up"; sleep 60';
    place.write('skills/made/pipeline.yaml', `version: 1\nname: made\nsteps: [{ id: a, shell: { run: '${run}' } }]\n`);
    place.write('skills/made/SKILL.md', '---\nname: made\ndescription: d\n---\nx');
    const isUp = setInterval(() => {
      if (existsSync(join(place.dir, 'up'))) stop.abort(new Fault('run.cancelled', 'Ctrl-C was pressed'));
    }, 20);
    onTestFinished(() => clearInterval(isUp));
    const lines = (await place.say('/made why', stop.signal)).split('\n');
    expect(lines).toContain('note: → run_made_pipeline');
    expect(lines.slice(-2)).toEqual([
      'note:   go on  pipeline resume made/why --model voice/m --no-detect',
      'note: ✗ run_made_pipeline (stopped)',
    ]);
  });

  it('counts what it used, over a resume', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 0 };
    const model = voice([{ text: 'a', usage }]);
    const place = room(model);
    await place.say('hi');
    expect(await place.say('/cost')).toContain('1 model call, 120 tokens');
    expect(await place.again({ resume: true }).say('/cost')).toContain('1 model call, 120 tokens');
  });

  it('is kept, private, and gone on with from where it was', async () => {
    const model = voice([{ text: 'Seven.' }, { text: 'Still seven.' }]);
    const place = room(model);
    await place.say('three plus four?');
    const dir = join(place.dir, 'skill_run/.chat');
    const [file = ''] = readdirSync(dir);
    expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
    const later = place.again({ resume: file.slice(0, 15) });
    await later.say('and now?');
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual(['three plus four?', 'Seven.', 'and now?']);
    expect(await place.again().say('/resume')).toContain('three plus four?');
    await place.say('/save notes.md');
    expect(place.read('notes.md')).toContain('## Person\n\nthree plus four?\n\n## Model\n\nSeven.');
    expect(await place.say('/save notes.md')).toContain('notes.md is there already');
  });

  it('shows, keeps and sends no secret of the environment', async () => {
    const secret = 'abcdef1234567890';
    const model = voice([calling(['read_file', { path: 'config.txt' }]), { text: `It is ${secret}.` }]);
    const env = { PATH: process.env.PATH, MY_SERVICE_TOKEN: secret };
    const place = room(model, { env, debug: true });
    place.write('config.txt', `token = ${secret}`);
    await place.say(`look for ${secret}`);
    const kept = place.read(
      `skill_run/.chat/${readdirSync(join(place.dir, 'skill_run/.chat')).find((one) => one.endsWith('.ndjson'))}`,
    );
    const everything = [place.shown.join('\n'), JSON.stringify(model.requests), kept, place.read('logs/agent.log')];
    for (const text of everything) expect(text).not.toContain(secret);
    expect(place.shown.join('\n')).toContain('«redacted:MY_SERVICE_TOKEN»');
  });

  it('writes every tool call with its arguments to logs/agent.log when it is asked to', async () => {
    const place = room(voice([calling(['list_files', { path: '.' }]), { text: 'ok' }]), { debug: true });
    await place.say('list');
    expect(JSON.parse(place.read('logs/agent.log'))).toMatchObject({
      by: 'chat',
      tool: 'list_files',
      arguments: { path: '.' },
      result: 'text',
    });
  });

  it('says the nearest command for one that is none, and asks no model', async () => {
    const model = voice([{ text: 'x' }]);
    expect(await room(model).say('/hepl')).toBe(
      'note: ✗ there is no command or skill /hepl\n  try  Did you mean /help?',
    );
    expect(model.requests).toHaveLength(0);
  });

  it('takes another model by /model, for what is said from then on', async () => {
    const [one, two] = [voice([{ text: 'one' }]), voice([{ text: 'two' }])];
    const { say } = room(one, { providers: { voice: one, other: two } });
    await say('hi');
    expect(await say('/model other/x')).toContain('print: other/x');
    expect(await say('hi again')).toContain('answer: two');
    expect(await say('/model nobody/x')).toContain('✗');
    expect(await say('still there?')).toContain('answer: two');
  });
});

describe('a sub-agent', () => {
  it('knows nothing of the chat, has the files and tools it is given, and leaves a file and one line', async () => {
    const model = voice([
      calling([
        'spawn_subagent',
        {
          task: 'Judge the draft',
          system: 'You are a critic.',
          input_files: ['draft.md (the second one)', '<none>'],
          output_file: 'out/verdict.md',
          tools_allowlist: ['read_file'],
        },
      ]),
      calling(['read_file', { path: 'draft.md' }]),
      { text: 'Too short.' },
      { text: 'It says: too short.' },
    ]);
    const place = room(model);
    place.write('draft.md', 'A draft.');
    const shown = await place.say('judge my draft, but do not tell');
    const [, first, second, last] = model.requests;
    expect(first).toMatchObject({
      system: 'You are a critic.',
      messages: [{ role: 'user', text: 'Judge the draft\n\nThe file draft.md:\n\nA draft.' }],
    });
    expect(toolNames(first)).toEqual(['read_file']);
    expect(lastOf(second)?.text).toContain('A draft.');
    expect(place.read('out/verdict.md')).toBe('Too short.');
    expect(lastOf(last)?.text).toBe(
      'subagent_done: wrote out/verdict.md (10 bytes) | task: Judge the draft\nskipped the input "<none>": looks like a placeholder',
    );
    expect(shown).toContain('aside: Too short.');
    expect(shown).not.toContain('answer: Too short.');
  });

  it.each([
    [{ input_files: ['missing.md'] }, 'there is no such file'],
    [{ input_files: ['.env'] }, '.env files may hold secrets'],
    [{ output_file: 'skill_run/x/run.json' }, 'read-only for tools'],
    [{ output_file: '../x' }, 'spawn_subagent:'],
    [{ tools_allowlist: ['spawn_subagent'] }, 'there is no tool "spawn_subagent" for it'],
  ])('is not begun with %j', async (args, reason) => {
    const model = voice([
      calling(['spawn_subagent', { task: 't', system: 's', output_file: 'o.md', ...args }]),
      { text: 'ok' },
    ]);
    const place = room(model);
    place.write('.env', 'A=b');
    await place.say('go');
    expect(lastOf(model.requests[1])?.text).toContain(reason);
    expect(model.requests).toHaveLength(2);
  });
});
