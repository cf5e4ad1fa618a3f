import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIXTURES, type Workspace, workspace } from '../support/cli.js';

const REAL = join(FIXTURES, 'skills/real');
const NAMES = readdirSync(REAL);

describe('ten published skills, dropped into skills/ as they are', () => {
  const clean: (() => void)[] = [];
  let place: Workspace;
  beforeAll(() => {
    place = workspace(undefined, (undo) => clean.push(undo));
    cpSync(REAL, join(place.dir, 'skills'), { recursive: true });
  });
  afterAll(() => {
    for (const undo of clean) undo();
  });

  it('are listed as agents', async () => {
    const listed = await place.pipeline(['list', '--json']);
    const { skills } = JSON.parse(listed.stdout) as {
      readonly skills: readonly { name: string; dir: string; runsAs: string }[];
    };
    const here = skills.filter(({ dir }) => dir.startsWith(place.dir));
    expect(here).toHaveLength(10);
    expect(here.every(({ runsAs }) => runsAs === 'agent')).toBe(true);
  });

  it.concurrent.each(NAMES)('%s runs with the sketch, ends with 0 and leaves allinone.md', async (name) => {
    const ran = await place.pipeline(['run', name, 'a short look at it', '--model', 'sketch']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(place.read(`skill_run/${name}/a-short-look-at-it/allinone.md`).trim()).not.toBe('');
    const rounds = place.events(`${name}/a-short-look-at-it`).filter((event) => event.type === 'round');
    expect(rounds.length).toBeGreaterThan(0);
  });
});

describe('a SKILL.md that begins with ---js', () => {
  it.concurrent.for(['list', 'check', 'check evil', 'show evil', 'run evil anything --model sketch'])(
    'is refused by %s with its reason, and its code does not run',
    async (command, { onTestFinished }) => {
      const place = workspace('js-front-matter', onTestFinished);
      const ran = await place.pipeline(command.split(' '));
      expect(ran.code).toBe(command === 'list' ? 0 : 2);
      expect(ran.stderr).toContain(
        '✗ Only YAML front matter is read; the first line says "---js".\n  at   skills/evil/SKILL.md:1:1\n  try  ',
      );
      expect(ran.stdout).not.toContain('evil');
      for (const path of ['ran.txt', 'skills/evil/ran.txt', 'skill_run']) expect(place.has(path), path).toBe(false);
    },
  );
});
