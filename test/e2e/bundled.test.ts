import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUNDLED_SKILLS, workspace } from '../support/cli.js';

const TOUR = 'pipeline.example.yaml';

it.concurrent.for(['hello', 'now', 'system-health', 'paper-search', 'idea-spark', 'write-a-pipeline'])(
  '%s passes the check without a warning',
  async (name, { onTestFinished }) => {
    const ran = await workspace(undefined, onTestFinished).pipeline(['check', name]);
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '1 pipeline checked: 0 errors, 0 warnings\n' });
  },
);

it.concurrent.for([
  ['hello', 'good evening from Lisbon'],
  ['now', 'what time is it in Tokyo'],
  ['system-health', 'is this machine well'],
  ['paper-search', 'low-rank adaptation of language models'],
])('%s runs with the sketch, and says what it did', async ([name = '', query = ''], { onTestFinished }) => {
  const place = workspace(undefined, onTestFinished);
  const ran = await place.pipeline(['run', name, query, '--model', 'sketch']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).toMatch(/^done: /m);
  expect(ran.stdout.split('\n')[0]).toMatch(new RegExp(`^${join(place.dir, 'skill_run', name)}/`));
});

it('the tour passes the check, runs as its first lines say, and leaves its page', async () => {
  const place = workspace();
  cpSync(join(BUNDLED_SKILLS, '..', TOUR), join(place.dir, TOUR));
  expect(await place.pipeline(['check', TOUR])).toMatchObject({
    code: 0,
    stderr: '1 pipeline checked: 0 errors, 0 warnings\n',
  });
  const plain = await place.pipeline(['run', TOUR, 'why do cities get hotter', '--model', 'sketch']);
  expect(plain, plain.stderr).toMatchObject({ code: 0 });
  expect(place.read('skill_run/example/why-do-cities-get-hotter/essay.md')).toMatch(/cities/);
  const poetic = await place.pipeline([
    'run',
    TOUR,
    'why do cities get hotter',
    '--input',
    'style=poetic',
    '--model',
    'sketch',
  ]);
  expect(poetic, poetic.stderr).toMatchObject({ code: 0 });
  expect(place.has('skill_run/example/why-do-cities-get-hotter-2/essay.md')).toBe(true);
});

it('the tour refuses an empty query, as it says it does', async () => {
  const place = workspace();
  cpSync(join(BUNDLED_SKILLS, '..', TOUR), join(place.dir, TOUR));
  const ran = await place.pipeline(['run', TOUR, '--model', 'sketch']);
  expect(ran).toMatchObject({ code: 5 });
  expect(ran.stderr).toContain('The query is empty');
});

it('the built program holds nothing but ASCII, as which its loader reads it', () => {
  const dist = join(BUNDLED_SKILLS, '../dist');
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  expect(files).toContain('bundle.js');
  const beyond = files.filter((name) => readFileSync(join(dist, name)).some((byte) => byte > 127));
  expect(beyond).toEqual([]);
});
