/** `record` and `replay` of whole runs: what comes back, and what a miss says. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { callReply, mockServer, textReply } from '../support/mock-server.js';
import { project, type TestProject } from '../support/project.js';

const PIPELINE = `version: 1
name: essay
inputs: { tone: { default: plain } }
models: [judge]
steps:
  - id: outline
    agent:
      instructions: prompts/outline.md
      prompt: "About \${{ query }}, into \${{ run.dir }} by \${{ run.id }}/\${{ run.slug }}, \${{ run.started }}"
      tools: [read_file]
    output: { type: object, properties: { items: { type: array, items: { type: string }, maxItems: 3 } }, required: [items] }
  - id: parts
    foreach: steps.outline.output.items
    agent: { prompt: "Write \${{ item }}", model: judge, temperature: 0.2 }
    output: { type: object, properties: { text: { type: string } }, required: [text] }
result: \${{ steps.parts.output.map(p, p.text) }}
`;
const TURNS = {
  agents: [
    {
      match: 'You outline',
      turns: [
        { text: 'I look first.', calls: [{ name: 'read_file', arguments: { path: 'notes.md' } }] },
        { calls: [{ name: 'resolve', arguments: { items: ['one', 'two'] } }], usage: { input: 10, output: 2 } },
      ],
    },
    { match: 'Write one', turns: [{ calls: [{ name: 'resolve', arguments: { text: 'First.' } }] }] },
    {
      match: 'Write two',
      turns: [
        { calls: [{ name: 'resolve', arguments: { no: 1 } }] },
        { calls: [{ name: 'resolve', arguments: { text: 'Second.' } }] },
      ],
    },
  ],
};

function essay(): TestProject {
  return project({
    'pipeline.yaml': PIPELINE,
    'prompts/outline.md': 'You outline.\nBe brief.\n',
    'notes.md': 'A note.\n',
    'turns.json': TURNS,
  });
}

const RESULT = { status: 'done', result: ['First.', 'Second.'] };

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cassette-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'tape');
}

async function recorded(from = essay()) {
  const record = folder();
  const run = await from.run({ model: 'script:turns.json', record });
  return { from, record, run };
}

/** As `run` of a project, without its default model. */
const replayed = (from: TestProject, replay: string, more = {}) => from.run({ replay, ...more });

describe('a cassette', () => {
  it('gives another run in another folder the same result, without its model', async () => {
    const { record, run } = await recorded();
    expect(run).toMatchObject(RESULT);
    const elsewhere = essay();
    elsewhere.write('turns.json', 'none');
    const again = await replayed(elsewhere, record);
    expect(again).toMatchObject({ ...RESULT, usage: run.usage, census: run.census });
    expect((await replayed(elsewhere, record)).dir).toMatch(/-2$/);
  });

  it('gives each step the key that it had', async () => {
    const { from, record, run } = await recorded();
    const again = await replayed(from, record);
    const keys = (events: typeof run.events) =>
      events.flatMap((event) => (event.type === 'step_done' ? [`${event.path} ${event.key}`] : [])).sort();
    expect(keys(again.events)).toEqual(keys(run.events));
  });

  it('is one file a step, of which each entry names only what is new, with nothing of the place or the time', async () => {
    const { from, record, run } = await recorded();
    expect(readdirSync(record).sort()).toEqual(['cassette.json', 'outline.ndjson', 'parts.0.ndjson', 'parts.1.ndjson']);
    const text = readdirSync(record)
      .map((name) => readFileSync(join(record, name), 'utf8'))
      .join('');
    for (const own of [from.dir, run.dir, 'a-query-2', new Date().toISOString().slice(0, 10)])
      expect(text).not.toContain(own);
    const [, second = ''] = readFileSync(join(record, 'outline.ndjson'), 'utf8').split('\n');
    expect(JSON.parse(second).request).toEqual({
      added: [{ role: 'tool', callId: 'call 1', name: 'read_file', text: expect.stringContaining('A note.') }],
    });
  });

  it('is replaced by a new run, and gone on with by a resumed one', async () => {
    const { from, record } = await recorded();
    const before = readFileSync(join(record, 'parts.1.ndjson'), 'utf8');
    await from.run({ model: 'script:turns.json', record });
    expect(readFileSync(join(record, 'parts.1.ndjson'), 'utf8')).toBe(before);

    const broken = {
      agents: TURNS.agents.map((agent, at) => (at === 2 ? { ...agent, turns: agent.turns.slice(0, 1) } : agent)),
    };
    from.write('turns.json', broken);
    expect(await from.run({ model: 'script:turns.json', record })).toMatchObject({ status: 'failed' });
    from.write('turns.json', TURNS);
    expect(await from.run({ model: 'script:turns.json', record, resume: true })).toMatchObject(RESULT);
    expect(await replayed(essay(), record)).toMatchObject(RESULT);
  });

  it('goes on in the middle of an agent, and leaves out what an interrupted session had asked in vain', async () => {
    const from = essay();
    const record = folder();
    const [outline, ...others] = TURNS.agents;
    const turns = [{ ...outline?.turns[0], usage: { input: 5_000, output: 0 } }, ...(outline?.turns.slice(1) ?? [])];
    from.write('turns.json', { agents: [{ ...outline, turns }, ...others] } as unknown as Json);
    const stopped = await from.run({ model: 'script:turns.json', record, limits: { tokens: 5_100 } });
    expect(stopped).toMatchObject({ status: 'limit' });
    const file = join(record, 'outline.ndjson');
    const [first = ''] = readFileSync(file, 'utf8').split('\n');
    const lost = { request: { added: [{ role: 'user', text: 'lost' }] }, reply: { finish: 'stop' } };
    writeFileSync(file, `${first}\n${JSON.stringify(lost)}\n{"torn`);
    expect(await from.run({ model: 'script:turns.json', record, resume: true })).toMatchObject(RESULT);
    expect(readFileSync(file, 'utf8')).not.toMatch(/lost|torn/);
    expect(await replayed(essay(), record)).toMatchObject(RESULT);
  });

  it('is not made of a folder with something else in it', async () => {
    const from = essay();
    await expect(from.run({ record: from.dir })).rejects.toMatchObject({ data: { code: 'input.invalid' } });
    expect(existsSync(join(from.dir, 'pipeline.yaml'))).toBe(true);
    await expect(from.run({ record: join(from.dir, 'pipeline.yaml') })).rejects.toMatchObject({
      data: { code: 'input.invalid' },
    });
    expect(existsSync(join(from.dir, 'skill_run'))).toBe(false);
  });

  it('that cannot be written stops the run before more is paid for, names the file, and is gone on with', async () => {
    const from = essay();
    const record = folder();
    const file = join(record, 'outline.ndjson');
    const stopped = await from.run({ model: 'script:turns.json', record, onStart: () => mkdirSync(file) });
    expect(stopped).toMatchObject({ exit: 1, fault: { code: 'run.storage' } });
    expect(stopped.message).toContain(file);
    expect(stopped.paths('step_failed')).toEqual([]);
    rmSync(file, { recursive: true });
    expect(await from.run({ model: 'script:turns.json', record, resume: true })).toMatchObject(RESULT);
    expect(await replayed(essay(), record)).toMatchObject(RESULT);
  });

  it('of a sketch is replayed as a placeholder', async () => {
    const from = essay();
    const record = folder();
    const run = await from.run({ record });
    const again = await replayed(essay(), record);
    const moved = (dir: string, value: unknown) => JSON.stringify(value).replaceAll(dir, 'RUN');
    expect(moved(again.dir, again.result)).toBe(moved(run.dir, run.result));
    expect(JSON.parse(again.file('run.json'))).toMatchObject({ placeholder: true, models: ['sketch'] });
  });

  it('holds what a server said, and needs no key for it', async () => {
    const server = await mockServer([
      callReply(['resolve', { items: ['one'] }]),
      textReply('Hm.'),
      callReply(['resolve', { text: 'First.' }]),
    ]);
    onTestFinished(() => server.close());
    const record = folder();
    const env = {
      PATH: process.env.PATH,
      OPENAI_API_KEY: 'sk-very-secret',
      OPENAI_BASE_URL: server.url,
      OPENAI_MODEL: 'm',
    };
    const run = await essay().run({ model: undefined as never, env, record });
    expect(run).toMatchObject({ status: 'done', result: ['First.'] });
    await server.close();
    expect(await replayed(essay(), record)).toMatchObject({ status: 'done', result: ['First.'] });
    for (const name of readdirSync(record)) expect(readFileSync(join(record, name), 'utf8')).not.toContain('sk-very');
  });
});

describe('a finished run', () => {
  it('is itself replayed from its transcripts, also from another place', async () => {
    const from = essay();
    const run = await from.run({ model: 'script:turns.json' });
    expect(await replayed(from, run.dir)).toMatchObject(RESULT);
    const moved = folder();
    cpSync(run.dir, moved, { recursive: true });
    expect(await replayed(essay(), moved)).toMatchObject({ ...RESULT, usage: run.usage });
  });

  it('with several attempts of a step gives each its own', async () => {
    const from = essay();
    from.write(
      'pipeline.yaml',
      PIPELINE.replace(
        '    agent: { prompt: "Write',
        '    retry: { attempts: 2, backoff: 1ms }\n    agent: { max_rounds: 1, prompt: "Write',
      ),
    );
    const run = await from.run({ model: 'script:turns.json' });
    expect(run).toMatchObject({ status: 'failed' });
    const again = await replayed(from, run.dir);
    expect(again).toMatchObject({ status: 'failed', exit: run.exit });
    expect(again.paths('round')).toEqual(run.paths('round'));
  });

  it('that was resumed is replayed whole', async () => {
    const from = essay();
    from.write('turns.json', { agents: TURNS.agents.slice(0, 2) });
    await from.run({ model: 'script:turns.json' });
    from.write('turns.json', TURNS);
    const run = await from.run({ model: 'script:turns.json', resume: true });
    expect(run).toMatchObject(RESULT);
    expect(await replayed(essay(), run.dir)).toMatchObject(RESULT);
  });

  it('of a query that ends in a number is replayed', async () => {
    const from = essay();
    const run = await from.run({ model: 'script:turns.json', query: 'gpt-4' });
    expect(run.dir).toMatch(/gpt-4$/);
    expect(await replayed(from, run.dir, { query: 'gpt-4' })).toMatchObject(RESULT);
  });

  it('that was forked is replayed when the run it came from is gone, and when that lay elsewhere', async () => {
    const from = essay();
    const first = await from.run({ model: 'script:turns.json', runsDir: folder() });
    const second = await from.run({ model: 'script:turns.json', fork: { dir: first.dir }, from: 'parts' });
    expect(second.census.reused).toBe(1);
    expect(await replayed(from, second.dir)).toMatchObject(RESULT);
    const third = await from.run({ model: 'script:turns.json', fork: { dir: second.dir } });
    for (const { dir } of [first, second]) rmSync(dir, { recursive: true });
    expect(await replayed(from, third.dir)).toMatchObject(RESULT);
    expect(await replayed(essay(), third.dir)).toMatchObject(RESULT);
  });

  it('that was forked answers what it did again as it did then, also where names of its origin are in the text', async () => {
    const from = essay();
    from.write(
      'pipeline.yaml',
      PIPELINE.replace('"Write ${{ item }}"', '"Write ${{ item }} of ${{ steps.outline.output }}"'),
    );
    const items = ['one', 'two'];
    const named = (dir: string) => ({
      ...TURNS.agents[0],
      turns: [{ calls: [{ name: 'resolve', arguments: { items, dir } }] }],
    });
    from.write('turns.json', { agents: [named(join(from.dir, 'skill_run/essay/a-query')), ...TURNS.agents.slice(1)] });
    const first = await from.run({ model: 'script:turns.json' });
    const other = { match: 'Write', turns: [{ calls: [{ name: 'resolve', arguments: { text: 'Other.' } }] }] };
    from.write('turns.json', { agents: [other] });
    const fork = await from.run({ model: 'script:turns.json', fork: { dir: first.dir }, from: 'parts' });
    expect(fork).toMatchObject({ result: ['Other.', 'Other.'], census: { reused: 1 } });
    rmSync(first.dir, { recursive: true });
    expect(await replayed(from, fork.dir)).toMatchObject({ result: ['Other.', 'Other.'] });
  });

  it('with another skill in it is replayed elsewhere, places in prompts and all', async () => {
    const files = {
      'skills/part/pipeline.yaml': `version: 1
name: part
steps:
  - id: write
    agent: { instructions: You write., prompt: "\${{ query }} in \${{ run.dir }} by \${{ skill.dir }} of \${{ project.dir }}" }
    output: { type: object, properties: { text: { type: string } }, required: [text] }
result: \${{ steps.write.output.text }}
`,
      'pipeline.yaml': `version: 1
name: whole
steps:
  - id: draft
    pipeline: { skill: part, query: "\${{ query }}" }
result: \${{ steps.draft.output }}
`,
      'turns.json': [{ calls: [{ name: 'resolve', arguments: { text: 'Written.' } }] }],
    };
    const record = folder();
    const run = await project(files).run({ model: 'script:turns.json', record });
    expect(run).toMatchObject({ status: 'done', result: 'Written.' });
    expect(await replayed(project(files), run.dir)).toMatchObject({ result: 'Written.' });
    expect(await replayed(project(files), record)).toMatchObject({ result: 'Written.' });
  });

  it('of an earlier version is refused', async () => {
    const from = essay();
    const run = await from.run({ model: 'script:turns.json' });
    for (const step of ['outline', 'parts/0', 'parts/1']) {
      const file = join(run.dir, '.steps', step, 'transcript.ndjson');
      const lines = readFileSync(file, 'utf8').split('\n');
      const { asks: _, ...head } = JSON.parse(lines[0] ?? '');
      writeFileSync(file, [JSON.stringify(head), ...lines.slice(1)].join('\n'));
    }
    await expect(replayed(from, run.dir)).rejects.toMatchObject({ data: { code: 'input.replay' } });
  });
});

describe('a miss', () => {
  async function missed(change: (from: TestProject) => void) {
    const { record } = await recorded();
    const changed = essay();
    change(changed);
    const run = await replayed(changed, record);
    expect(run).toMatchObject({
      status: 'failed',
      exit: 2,
      fault: { code: 'input.replay', hint: expect.stringContaining('--record') },
    });
    return run.message.replace(record, 'TAPE');
  }

  it('names the step, the round and the line of the instructions that differs', async () => {
    expect(await missed(({ write }) => write('prompts/outline.md', 'You outline.\nBe long.\n'))).toMatchInlineSnapshot(`
      "no recorded answer for step "outline", round 1; of entry 1, the nearest, this differs:
        system, line 2
          - Be brief.
          + Be long."
    `);
  });

  it('names a parameter with both values, a tool that was added, a message', async () => {
    expect(
      await missed(({ write }) =>
        write('pipeline.yaml', PIPELINE.replace('0.2', '0.7').replace('Write $', 'Please write $')),
      ),
    ).toMatchInlineSnapshot(`
      "no recorded answer for step "parts/0", round 1; of entry 1, the nearest, this differs:
        parameter temperature: 0.2 → 0.7
        message 1 (user), line 1
          - Write one
          + Please write one"
    `);
    expect(
      await missed(({ write }) => write('pipeline.yaml', PIPELINE.replace('[read_file]', '[read_file, list_files]'))),
    ).toMatchInlineSnapshot(`
      "no recorded answer for step "outline", round 1; of entry 1, the nearest, this differs:
        tool list_files: added"
    `);
  });

  it('of a step that was not recorded says so', async () => {
    expect(
      await missed(({ write }) => write('pipeline.yaml', PIPELINE.replaceAll('parts', 'sections'))),
    ).toMatchInlineSnapshot(`"no recorded answer for step "sections/0", round 1: TAPE holds nothing of this step"`);
  });

  it('says that the same was asked more often than it is answered', async () => {
    const twice = PIPELINE.replace(
      '    agent: { prompt: "Write',
      '    retry: { attempts: 2, backoff: 1ms }\n    agent: { prompt: "Write',
    );
    const from = essay();
    from.write('pipeline.yaml', twice);
    from.write('turns.json', {
      agents: TURNS.agents.map((agent, at) => (at === 0 ? agent : { ...agent, turns: Array(6).fill({ text: 'Hm.' }) })),
    });
    const record = folder();
    expect(await from.run({ model: 'script:turns.json', record })).toMatchObject({ status: 'failed' });
    const file = join(record, 'parts.0.ndjson');
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    writeFileSync(file, `${lines.slice(0, lines.length / 2).join('\n')}\n`);
    const run = await replayed(from, record);
    expect(run).toMatchObject({ exit: 2 });
    expect(run.message.replace(record, 'TAPE')).toMatchInlineSnapshot(
      `"no recorded answer for step "parts/0", round 1: the same was asked before, and is answered once in TAPE"`,
    );
  });
});
