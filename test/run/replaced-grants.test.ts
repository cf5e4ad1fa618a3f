import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { WORKS } from '../sandbox/place.js';
import { project, type Ran } from '../support/project.js';

/** A folder that nobody granted, with a file in it. */
function outside(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'pipeline-outside-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'canary'), 'CANARY');
  return dir;
}

const OUTPUT = '{ type: object, properties: { t: { type: string } }, required: [t] }';

interface Case {
  readonly permissions: string;
  /** Of an author's step that comes first; undefined for none. */
  readonly first?: string;
  readonly more?: string;
}

function plan({ permissions, first, more = '' }: Case): string {
  return [
    `version: 1\nname: t\npermissions: ${permissions}\n${more}steps:`,
    ...(first === undefined ? [] : [`  - id: first\n    shell: { run: ${JSON.stringify(first)} }`]),
    '  - id: a\n    agent: { prompt: go, tools: [read_file, write_file, list_files, search_files, shell] }',
    `    output: ${OUTPUT}\n`,
  ].join('\n');
}

const turns = (...calls: readonly Json[]) => ({
  turns: [...calls.map((call) => ({ calls: [call] })), { resolve: { t: 'x' } }],
});
const call = (name: string, args: Json): Json => ({ name, arguments: args });
const SCRIPTED = { model: 'script:turns.json', sandbox: WORKS ? 'auto' : 'off' } as const;

/** What the tools said, as the conversation has it. */
const said = (ran: Ran) => readFileSync(join(ran.dir, '.steps/a/transcript.ndjson'), 'utf8');
const oks = (ran: Ran) =>
  ran.events.flatMap((event) => (event.type === 'tool' && event.name !== 'resolve' ? [event.ok] : []));

it.each([
  ['a granted folder', 'rmdir "$P/data/raw"; ln -s OUT "$P/data/raw"'],
  [
    'a folder on the way to it',
    'rmdir "$P/data/raw" "$P/data"; ln -s / "$P/raw"; mkdir OUT/raw; cp OUT/canary OUT/raw; ln -s OUT "$P/data"',
  ],
])('reads nothing by a link that took the place of %s', async (_, first) => {
  const dir = outside();
  const script = `P="$PIPELINE_PROJECT_DIR"; ${first.replaceAll('OUT', dir)}`;
  const it = project({ 'pipeline.yaml': plan({ permissions: '{ read: [data/raw] }', first: script }) });
  mkdirSync(join(it.dir, 'data/raw'), { recursive: true });
  const raw = join(it.dir, 'data/raw');
  it.write(
    'turns.json',
    turns(
      call('read_file', { path: `${raw}/canary` }),
      call('list_files', { path: raw }),
      call('search_files', { path: raw, text: 'CANAR' }),
    ),
  );
  const ran = await it.run(SCRIPTED);
  expect(oks(ran)).toEqual([false, false, false]);
  expect(said(ran)).not.toContain('CANARY');
  expect(said(ran)).toMatch(/data\/raw was refused: it was (no link|\S+) when the run began, and now it leads to/);
});

it.each(['there before', 'not there yet'])(
  'writes nothing by a link in the place of a granted folder that was %s',
  async (when) => {
    const dir = outside();
    const first = `rm -rf "$PIPELINE_PROJECT_DIR/out2"; ln -s ${dir} "$PIPELINE_PROJECT_DIR/out2"`;
    const it = project({ 'pipeline.yaml': plan({ permissions: '{ write: [out2] }', first }) });
    if (when === 'there before') mkdirSync(join(it.dir, 'out2'));
    it.write('turns.json', turns(call('write_file', { path: join(it.dir, 'out2/made.txt'), content: 'x' })));
    const ran = await it.run(SCRIPTED);
    expect(oks(ran)).toEqual([false]);
    expect(existsSync(join(dir, 'made.txt'))).toBe(false);
  },
);

it('reads no input file in whose place a link was put', async () => {
  const dir = outside();
  const first = `ln -sf ${dir}/canary "$PIPELINE_PROJECT_DIR/data/in.txt"`;
  const more = 'inputs: { draft: { type: string, format: path } }\n';
  const it = project({
    'pipeline.yaml': plan({ permissions: '{ write: [data] }', first, more }),
    'data/in.txt': 'mine',
  });
  it.write('turns.json', turns(call('read_file', { path: join(it.dir, 'data/in.txt') })));
  const ran = await it.run({ ...SCRIPTED, inputs: { draft: 'data/in.txt' } });
  expect(oks(ran)).toEqual([false]);
  expect(said(ran)).not.toContain('CANARY');
});

it('goes on with a granted folder that was made anew, was made only now, or was named by a link all along', async () => {
  const dir = outside();
  const first =
    'cd "$PIPELINE_PROJECT_DIR"; rm -r build; mkdir build later; echo new > build/a.txt; echo new > later/a.txt';
  const it = project({
    'pipeline.yaml': plan({ permissions: '{ read: [build, later, linked] }', first }),
    'build/old': '',
  });
  symlinkSync(dir, join(it.dir, 'linked'));
  it.write(
    'turns.json',
    turns(
      ...['build/a.txt', 'later/a.txt', 'linked/canary'].map((path) => call('read_file', { path: join(it.dir, path) })),
    ),
  );
  expect(oks(await it.run(SCRIPTED))).toEqual([true, true, true]);
});

it('does not start where a grant leads out by a link in a folder that the pipeline may write', async () => {
  const dir = outside();
  const it = project({
    'pipeline.yaml': plan({ permissions: '{ read: [data/raw], write: [data, data/inner] }' }),
    'data/here/a.txt': 'a',
    'turns.json': turns(),
  });
  symlinkSync('here', join(it.dir, 'data/raw'));
  expect(await it.run(SCRIPTED)).toMatchObject({ status: 'done' });
  for (const name of ['raw', 'inner']) {
    rmSync(join(it.dir, 'data', name), { force: true });
    symlinkSync(dir, join(it.dir, 'data', name));
    await expect(it.run(SCRIPTED)).rejects.toMatchObject({
      data: { code: 'config.unsafe', message: expect.stringContaining(`data/${name} to ${dir}`) },
    });
    rmSync(join(it.dir, 'data', name));
  }
});

if (WORKS) {
  it("keeps an agent's command from leaving the sandbox by what it put in the place of a grant", async () => {
    const dir = outside();
    const it = project({
      'pipeline.yaml': plan({ permissions: '{ read: [data/raw, data/later], write: [data, data/inner] }' }),
      'data/inner/a.txt': 'a',
    });
    mkdirSync(join(it.dir, 'data/raw'));
    const data = join(it.dir, 'data');
    const shell = (command: string) => call('shell', { command });
    it.write(
      'turns.json',
      turns(
        shell(`cd ${data}; rmdir raw; ln -s ${dir} raw; rm -r inner; ln -s ${dir} inner; ln -s ${dir} later`),
        shell(`cat ${data}/raw/canary ${data}/later/canary`),
        shell(`echo x > ${data}/inner/made.txt`),
        call('read_file', { path: `${data}/raw/canary` }),
        call('read_file', { path: `${data}/later/canary` }),
        call('write_file', { path: `${data}/inner/made.txt`, content: 'x' }),
      ),
    );
    const ran = await it.run(SCRIPTED);
    expect(oks(ran)).toEqual([true, false, false, false, false, false]);
    expect(said(ran)).not.toContain('CANARY');
    expect(existsSync(join(dir, 'made.txt'))).toBe(false);
    expect(execFileSync('ls', [dir], { encoding: 'utf8' })).toBe('canary\n');
  });
}

it.each([
  ['a grant of its own', '', 'permissions: { read: [data/raw] }\n'],
  [
    'an input file',
    ', inputs: { draft: "${{ project.dir }}/data/raw/canary" }',
    'inputs: { draft: { type: string, format: path } }\n',
  ],
])('lets a child have by %s no more, when a link took the place of a grant of its parent', async (_, given, top) => {
  const dir = outside();
  const first = `cd "$PIPELINE_PROJECT_DIR/data"; rmdir raw; ln -s ${dir} raw`;
  const it = project({
    'pipeline.yaml': `version: 1\nname: t\npermissions: { read: [data/raw] }\nsteps:\n  - { id: first, shell: { run: ${JSON.stringify(first)} } }\n  - id: a\n    pipeline: { skill: inner${given} }\n`,
    'skills/inner/SKILL.md': '---\nname: inner\ndescription: Inner.\n---\n',
    'skills/inner/pipeline.yaml': `version: 1\nname: inner\n${top}steps:\n  - { id: b, set: { x: 1 } }\n`,
  });
  mkdirSync(join(it.dir, 'data/raw'), { recursive: true });
  expect(await it.run({ model: 'sketch' })).toMatchObject({
    status: 'failed',
    fault: { code: 'step.path', message: expect.stringContaining(`now it leads to ${dir}`) },
  });
});
