import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FAULTS, toFault } from '../../src/core/faults.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Tool } from '../../src/core/tool.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { patchFileTool } from '../../src/tools/patch-file.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { searchFilesTool } from '../../src/tools/search-files.js';
import { writeFileTool } from '../../src/tools/write-file.js';
import { bodyOf, resolve, turn } from '../support/chat.js';
import { faultyFiles } from '../support/faulty-files.js';
import { mockServer } from '../support/mock-server.js';
import { project } from '../support/project.js';
import { type RunProgram, runProgram } from '../support/run-program.js';
import { type Place, place as toolPlace } from '../tools/context.js';

const CANARY = 'canary-3f1c';

/** Every tool that takes a path, asked for this one. */
const CALLS: readonly (readonly [Tool, (path: string) => JsonObject])[] = [
  [readFileTool, (path) => ({ path })],
  [listFilesTool, (path) => ({ path })],
  [searchFilesTool, (path) => ({ path, text: CANARY })],
  [writeFileTool, (path) => ({ path, content: 'written by a tool' })],
  [patchFileTool, (path) => ({ path, find: CANARY, replace: 'patched by a tool' })],
];

function place(): Place {
  const at = toolPlace();
  onTestFinished(() => rmSync(at.base, { recursive: true, force: true }));
  return at;
}

/** What lies outside of the run: nothing of it may change, or be told. */
function outsideOf({ base, run }: Place): string {
  const lines: string[] = [];
  const visit = (dir: string) => {
    for (const name of readdirSync(dir).sort()) {
      const path = join(dir, name);
      if (path === run) continue;
      const stat = lstatSync(path);
      if (stat.isDirectory()) visit(path);
      else lines.push(`${path} ${stat.isFile() ? readFileSync(path, 'utf8') : readlinkSync(path)}`);
    }
  };
  visit(base);
  return lines.join('\n');
}

describe('file-01: a trick with a path', () => {
  const TRICKS = [
    '../x',
    'a/../../x',
    '/etc/passwd',
    '~/x',
    'file:///etc/passwd',
    './a/./../..',
    'a\0b',
    '//etc/passwd',
    '/proc/self/environ',
    '/proc/self/cwd/x',
    '/dev/stdin',
    '/dev/fd/0',
    '..\\..\\x',
    '%2e%2e/x',
    'a/b/../../../x',
    '..',
    '../work-b/x',
    '<base>/canary.txt',
    '<work>-b/x',
    '<work>/../../../../../../canary.txt',
    '<work>/../work-b/x',
    '<project>/canary.txt',
    '../../../../../../../canary.txt',
    `${'a/'.repeat(2_100)}x`,
    'x'.repeat(256),
  ];

  it.each(TRICKS)('%j is refused by every tool, or stays inside', async (trick) => {
    const at = place();
    for (const dir of ['', 'project']) writeFileSync(join(at.base, dir, 'canary.txt'), CANARY);
    mkdirSync(`${at.work}-b`);
    writeFileSync(join(`${at.work}-b`, 'x'), CANARY);
    mkdirSync(join(at.work, 'a'));
    const path = trick.replace('<base>', at.base).replace('<work>', at.work).replace('<project>', at.project);
    const before = outsideOf(at);
    for (const [tool, args] of CALLS) {
      const said = await at.call(tool, args(path));
      // The one name among them that is a name like any other, with nothing there yet.
      const isPlain = trick === '%2e%2e/x' && tool === writeFileTool;
      if (isPlain) expect(said).toBe('Wrote %2e%2e/x (17 bytes).');
      else expect(said).toMatch(/^error: |^\(no line/);
      expect(said).not.toMatch(/root:|PATH=/);
      expect(said.replaceAll(trick, '').replaceAll(path, '')).not.toContain(CANARY);
    }
    expect(outsideOf(at)).toBe(before);
    expect(readFileSync(join(`${at.work}-b`, 'x'), 'utf8')).toBe(CANARY);
  });

  it.each(['../x', '/etc/passwd'])('the refusal of %s says what is allowed', async (path) => {
    const at = place();
    expect(await at.call(readFileTool, { path })).toContain(`Allowed: ${at.work}, ${at.run}, ${at.skill}.`);
    expect(await at.call(writeFileTool, { path, content: '' })).toContain(`Allowed: ${at.work}.`);
  });

  it.each(['', '.'])('%j is a folder to list, and nothing to read or write', async (path) => {
    const at = place();
    expect(await at.call(listFilesTool, { path })).toContain('work folder: 0 files');
    for (const [tool, args] of CALLS.filter(([tool]) => tool !== listFilesTool && tool !== searchFilesTool)) {
      expect(await at.call(tool, args(path))).toMatch(/^error: /);
    }
  });
});

describe('file-02: links out of the run folder', () => {
  it.each(['d', 'd/x', 'd/passwd', 'f', 'p/t', 'p/t/x', 'up', 'dangling'])(
    'no tool reads, lists, searches or writes by %s',
    async (path) => {
      const at = place();
      const outside = join(at.base, 'outside');
      mkdirSync(outside);
      for (const name of ['x', 'passwd', 'canary.txt']) writeFileSync(join(outside, name), CANARY);
      for (const root of [at.work, at.run, at.skill]) {
        symlinkSync(outside, join(root, 'd'));
        symlinkSync(join(outside, 'passwd'), join(root, 'f'));
        symlinkSync(join(outside, 'new'), join(root, 'dangling'));
        symlinkSync(join(outside, 'deep'), join(root, 'up'));
        mkdirSync(join(root, 'p'));
        symlinkSync(outside, join(root, 'p/t'));
      }
      const before = outsideOf(at);
      for (const [tool, args] of CALLS) expect(await at.call(tool, args(path))).toMatch(/^error: /);
      expect(outsideOf(at)).toBe(before);
      expect(await at.call(searchFilesTool, { text: CANARY })).toBe('(no line holds this text)');
      expect(await at.call(listFilesTool, {})).not.toContain('passwd');
    },
  );
});

let programs: RunProgram;
beforeAll(async () => {
  programs = await runProgram();
});
afterAll(() => programs.remove());

describe('file-05: no space', () => {
  const SAVES = `version: 1
name: t
steps:
  - { id: a, set: { text: ready }, save: a.json }
  - { id: b, set: { text: ${'x'.repeat(200_000)} }, save: b.json }
`;

  it('at any write of a run: it stops with 1, nothing of it is torn, and a resume ends it without a word', async () => {
    const counted = faultyFiles();
    await project({ 'pipeline.yaml': SAVES }).run({ files: counted, viewless: true });
    const writes = counted.operations.flatMap((name, index) => (name === 'write' ? [index + 1] : []));
    expect(writes.length).toBeGreaterThan(8);
    for (const at of writes) {
      const full = project({ 'pipeline.yaml': SAVES });
      const files = faultyFiles({ what: 'ENOSPC', at });
      const stopped = await full
        .run({ files, viewless: true })
        .catch((error) => ({ exit: FAULTS[toFault(error).code].exit }));
      expect(stopped.exit, `write at ${at}`).toBe(1);
      const again = await full.run({ resume: true });
      expect(again).toMatchObject({ status: 'done' });
      const said = again.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
      expect(said.filter((text) => !text.includes('this is a new one'))).toEqual([]);
    }
  });

  it('for the report, which comes last: the run is what it was, and says so', async () => {
    const counted = faultyFiles();
    await project({ 'pipeline.yaml': SAVES }).run({ files: counted });
    const files = faultyFiles({ what: 'ENOSPC', at: counted.operations.lastIndexOf('write') + 1 });
    const ran = await project({ 'pipeline.yaml': SAVES }).run({ files });
    expect(ran).toMatchObject({ status: 'done', exit: 0 });
    expect(ran.events.at(-1)).toMatchObject({
      type: 'notice',
      text: expect.stringContaining('report.html cannot be written'),
    });
    expect(ran.files()).not.toContain('report.html');
  });
});

describe('file-07: a folder that cannot be used is one line, before any model is asked', () => {
  const PIPELINE = 'version: 1\nname: t\nsteps:\n  - { id: a, set: { x: y } }\n';

  it('a file where the folder of runs should be', async () => {
    const at = project({ 'pipeline.yaml': PIPELINE, skill_run: '' });
    const { code, report, stderr } = await programs.start(at.dir).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(report?.message).toBe(`No run folder can be made in ${join(at.dir, 'skill_run/t')}: ENOTDIR.`);
  });

  it('a folder of runs that may not be written', async () => {
    const at = project({ 'pipeline.yaml': PIPELINE });
    mkdirSync(join(at.dir, 'skill_run'));
    chmodSync(at.dir, 0o755);
    chmodSync(join(at.dir, 'skill_run'), 0o555);
    const { code, report } = await programs.start(at.dir, {}, asNobody).ended;
    expect({ code, message: report?.message }).toEqual({
      code: 2,
      message: `No run folder can be made in ${join(at.dir, 'skill_run/t')}: EACCES.`,
    });
  });

  it('a run folder that may not be written any more', async () => {
    const at = project({ 'pipeline.yaml': PIPELINE });
    const { dir } = await at.run();
    execFileSync('chmod', ['-R', 'a+rX,a-w', at.dir]);
    const { code, report } = await programs.start(at.dir, { resume: true }, asNobody).ended;
    expect({ code, report: report?.code }).toEqual({ code: 1, report: 'run.storage' });
    expect(report?.message).toContain(dir);
  });

  it('no HOME is needed', async () => {
    const at = project({ 'pipeline.yaml': PIPELINE });
    const { code } = await programs.start(at.dir, {}, (argv) => ['env', '-u', 'HOME', ...argv]).ended;
    expect(code).toBe(0);
  });

  it('a folder that is removed while the run goes on: the run says so, and never says done', async () => {
    const run = 'rm -rf "$PIPELINE_RUN_DIR"';
    const at = project({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: '${run}' } }\n` });
    await expect(at.run()).rejects.toMatchObject({
      data: { code: 'run.journal', message: expect.stringContaining('removed, moved or replaced') },
    });
  });

  it('a work folder that the step itself removes is one without files', async () => {
    const at = project({
      'pipeline.yaml': `version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: 'rm -rf "$PWD"' } }\n`,
    });
    expect(await at.run()).toMatchObject({ status: 'done' });
  });
});

/** Root may write everywhere. */
function asNobody(argv: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...argv] : argv;
}

it('file-08: patch_file keeps a byte order mark and CRLF, also for a passage with LF', async () => {
  const at = place();
  writeFileSync(join(at.work, 'a.md'), '\ufeffalpha\r\nbeta\r\ngamma\r\n');
  await at.call(patchFileTool, { path: 'a.md', find: 'alpha\nbeta', replace: 'A\nB' });
  expect(readFileSync(join(at.work, 'a.md'), 'utf8')).toBe('\ufeffA\r\nB\r\ngamma\r\n');
});

it('file-10: pipes, devices, sockets, folders and a sparse file of 10 GB keep no tool waiting, nor fill the memory', async () => {
  const at = place();
  execFileSync('mkfifo', [join(at.work, 'notes.md')]);
  writeFileSync(join(at.work, 'big'), '');
  truncateSync(join(at.work, 'big'), 10 * 1024 ** 3);
  symlinkSync('/dev/zero', join(at.work, 'z'));
  mkdirSync(join(at.work, 'dir'));
  const server = createServer().listen(join(at.work, 's'));
  onTestFinished(() => void server.close());
  const before = process.memoryUsage().rss;
  for (const path of ['notes.md', 'big', 'z', 'dir', 's']) {
    expect(await at.call(readFileTool, { path })).toMatch(/^error: read_file: .*(not a regular file|binary|leads out)/);
    if (path !== 'big') expect(await at.call(writeFileTool, { path, content: 'x' })).toMatch(/^error: /);
    expect(await at.call(patchFileTool, { path, find: 'a', replace: 'b' })).toMatch(/^error: /);
  }
  expect(await at.call(searchFilesTool, { text: CANARY })).toBe('(no line holds this text)');
  expect(await at.call(listFilesTool, {})).toMatch(/^work folder: 1 file\n {0,9}10737418240 {2}big/);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

it('file-12: four agents that patch one file at once lose no change', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'shared-'));
  onTestFinished(() => rmSync(shared, { recursive: true, force: true }));
  const file = join(shared, 'log.md');
  writeFileSync(file, 'begin\n<end>\n');
  const server = await mockServer((request) => {
    const { messages } = bodyOf(request);
    if (messages.at(-1)?.role === 'tool') return resolve({ ok: true });
    const item = /item (\d)/.exec(messages.map(({ content }) => content).join(' '))?.[1] ?? '?';
    return turn({
      calls: [{ name: 'patch_file', args: { path: file, find: '<end>', replace: `line ${item}\n<end>` } }],
    });
  });
  onTestFinished(() => server.close());
  const at = project({
    'pipeline.yaml': `version: 1
name: t
permissions: { write: [${shared}] }
steps:
  - id: log
    foreach: \${{ [1, 2, 3, 4] }}
    agent: { instructions: Log., prompt: 'item \${{ item }}', tools: [patch_file], model: openai/m }
    output: { type: object, properties: { ok: { type: boolean } } }
`,
  });
  const env = { PATH: process.env.PATH, HOME: at.dir, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'k' };
  expect(await at.run({ model: undefined as never, env })).toMatchObject({ status: 'done' });
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.slice(1, -2).sort()).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
});
