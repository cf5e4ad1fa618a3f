import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, type Workspace, workspace } from '../support/cli.js';
import { HOSTILE, HOSTILE_NAMES, makeHostileSkills, type Traps } from '../support/hostile-skills.js';

const SECRET = 'canary-b71f0c';
/** A process that wants more is ended by Node. */
const BOUNDED = { NODE_OPTIONS: '--max-old-space-size=512' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('skills that were made to harm', () => {
  const clean: (() => void)[] = [];
  let place: Workspace;
  let traps: Traps;
  let server: Server;
  let asked = 0;
  let before: readonly string[];

  beforeAll(async () => {
    place = workspace(undefined, (undo) => clean.push(undo));
    server = createServer((_, response) => {
      asked++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const secretDir = join(dirname(place.dir), 'secret');
    mkdirSync(secretDir);
    // In the form of a skill, so that whoever reads it also shows it.
    writeFileSync(join(secretDir, 'secret.txt'), `---\nname: x\ndescription: ${SECRET}\n---\n${SECRET}\n`);
    writeFileSync(join(secretDir, 'secret.json'), JSON.stringify({ title: SECRET, enum: [SECRET] }));
    traps = {
      canary: join(dirname(place.dir), 'PWNED'),
      secret: join(secretDir, 'secret.txt'),
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    makeHostileSkills(join(place.dir, 'skills'), traps);
    before = everyEntry(dirname(place.dir));
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    for (const undo of clean) undo();
  });

  const expectHarmless = (ran: Ran) => {
    const said = ran.stdout + ran.stderr;
    expect([0, 2], said.slice(0, 2_000)).toContain(ran.code);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain('root:x:');
    expect(said).not.toContain('A bug of ours');
    expect(OBEYED.exec(ran.stderr)).toBeNull();
    expect(asked).toBe(0);
    expect(everyEntry(dirname(place.dir))).toEqual(before);
  };

  it('are at least thirty', () => {
    expect(Object.keys(HOSTILE).length).toBeGreaterThanOrEqual(30);
  });

  it.each([
    ['list'],
    ['list --json'],
    ['check'],
    ['check --strict --format sarif'],
    ['check --json --'],
    ['skills list'],
    ['skills check'],
  ])('%s meets all of them at once, and has no effect', async (command) => {
    const named = command.endsWith('--') ? [...Object.keys(HOSTILE), ...HOSTILE_NAMES] : [];
    const ran = await place.pipeline([...command.split(' '), ...named], BOUNDED);
    expectHarmless(ran);
    if (command === 'list')
      for (const name of ['js-front-matter', 'skill-is-a-pipe']) expect(ran.stderr).toContain(name);
  });

  describe.each([['show'], ['graph'], ['run --dry-run']])('%s', (command) => {
    it.concurrent.each(
      [...Object.keys(HOSTILE), ...HOSTILE_NAMES].map((name) => [JSON.stringify(name), name] as const),
    )('of %s has no effect, and ends', async (_, name) => {
      const [word = '', ...options] = command.split(' ');
      const query = word === 'run' ? ['a query'] : [];
      expectHarmless(await place.pipeline([word, ...options, '--', name, ...query], BOUNDED));
    });
  });
});

describe('a SKILL.md that begins with ---js', () => {
  it.concurrent.for([
    'list',
    'check',
    'check evil',
    'show evil',
    'graph evil',
    'run --dry-run evil anything',
    'run evil anything --model sketch',
  ])('is refused by %s with its reason, and its code does not run', async (command, { onTestFinished }) => {
    const place = workspace('js-front-matter', onTestFinished);
    const ran = await place.pipeline(command.split(' '));
    expect(ran.code).toBe(command === 'list' ? 0 : 2);
    expect(ran.stderr).toContain('✗ Only YAML front matter is read; the first line says "---js".');
    expect(ran.stderr).toContain('at   skills/evil/SKILL.md:1:1');
    expect(ran.stdout).not.toContain('evil');
    for (const path of ['ran.txt', 'skills/evil/ran.txt', 'skill_run']) expect(place.has(path), path).toBe(false);
  });
});

it('a command in the body of a skill is text for the model: a run executes nothing of it', async () => {
  const place = workspace();
  const canary = join(place.dir, 'PWNED');
  place.write(
    'skills/vars/SKILL.md',
    `---\nname: vars\ndescription: d\n---\nNow: !\`touch ${canary}\` $(touch ${canary})\n`,
  );
  const ran = await place.pipeline(['run', 'vars', 'look', '--model', 'sketch']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(place.has('PWNED')).toBe(false);
  const transcript = readdirSync(join(place.dir, 'skill_run/vars/look'), { recursive: true, encoding: 'utf8' });
  expect(transcript.some((file) => file.endsWith('transcript.ndjson'))).toBe(true);
});

/** Every entry with its size and the time of its last change, links as they are. */
function everyEntry(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return entries.map((entry) => {
    const { size, mtimeMs, isDirectory } = lstatOf(join(root, entry));
    return isDirectory ? entry : `${entry} ${size} ${mtimeMs}`;
  });
}

function lstatOf(path: string) {
  const stat = lstatSync(path);
  return { size: stat.size, mtimeMs: stat.mtimeMs, isDirectory: stat.isDirectory() };
}
