import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileGround, hostileGround } from '../../prove/hostile-ground.js';
import { workspace } from '../support/cli.js';
import { HOSTILE, HOSTILE_NAMES } from '../support/hostile-skills.js';

describe('skills that were made to harm', () => {
  const clean: (() => void)[] = [];
  let ground: HostileGround;
  beforeAll(async () => {
    ground = await hostileGround(HOSTILE, (undo) => clean.push(undo));
  });
  afterAll(() => {
    for (const undo of clean.reverse()) undo();
  });

  it.each([['list'], ['check'], ['check --json --'], ['skills list']])(
    '%s meets all of them at once, and has no effect',
    async (command) => {
      const named = command.endsWith('--') ? [...Object.keys(HOSTILE), ...HOSTILE_NAMES] : [];
      const ran = await ground.run(ground.place, [...command.split(' '), ...named]);
      expect(ground.harm(ran, [0, 2])).toEqual([]);
      if (command === 'list')
        for (const name of ['js-front-matter', 'skill-is-a-pipe']) expect(ran.stderr).toContain(name);
    },
  );
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
