import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Workspace, workspace } from '../support/cli.js';

const clean: (() => void)[] = [];
let place: Workspace;

beforeAll(async () => {
  place = workspace('kill-anywhere', (undo) => clean.push(undo));
  place.write(
    'large.yaml',
    readFileSync(join(workspace('large-output', (undo) => clean.push(undo)).dir, 'pipeline.yaml'), 'utf8'),
  );
  expect(await place.pipeline(['run', 'pipeline.yaml', 'colours', '--model', 'sketch'])).toMatchObject({ code: 3 });
  expect(await place.pipeline(['run', 'large.yaml', 'numbers', '--quiet'])).toMatchObject({ code: 0 });
});

afterAll(() => {
  for (const undo of clean) undo();
});

async function shown(...args: readonly string[]): Promise<string> {
  const ran = await place.pipeline(args);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout;
}

async function json(...args: readonly string[]): Promise<unknown> {
  return JSON.parse(await shown(...args, '--json'));
}

describe('list', () => {
  it('names each skill with how it runs and where it is', async () => {
    expect(await shown('list')).toMatch(/^idea-spark +pipeline +\S+skills\/idea-spark/m);
    expect(await json('list')).toMatchObject({
      skills: expect.arrayContaining([
        {
          name: 'hello',
          runsAs: 'agent',
          dir: expect.stringMatching(/skills\/hello$/),
          description: expect.any(String),
        },
      ]),
      shadowed: [],
      problems: [],
    });
  });
});

describe('show of a skill', () => {
  it('names its inputs and steps with their kinds and conditions', async () => {
    const text = await shown('show', 'idea-spark');
    expect(text).toMatch(/^idea-spark /);
    expect(text).toMatch(/Inputs\n {2}sources /);
    expect(text).toMatch(/^ {2}intake +agent /m);
    expect(text).toMatch(/stop_ood +end .*when steps\.intake\.output\.ood/);
    const plan = (await json('show', 'idea-spark')) as { readonly steps: readonly { readonly id: string }[] };
    expect(plan).toMatchObject({ name: 'idea-spark', runsAs: 'pipeline' });
    expect(plan.steps.map((step) => step.id)).toEqual(expect.arrayContaining(['intake', 'retrieve', 'cards']));
  });
});

describe('runs', () => {
  it('names the newest run first, with its status and query', async () => {
    const lines = (await shown('runs')).split('\n');
    expect(lines[0]).toMatch(/^large-output\/numbers +done .* numbers$/);
    expect(lines[1]).toMatch(/^kill-anywhere\/colours +failed .* colours$/);
    expect(await json('runs', 'large-output')).toMatchObject([
      { name: 'large-output/numbers', status: 'done', query: 'numbers', exit: 0 },
    ]);
  });
});

describe('show of a run', () => {
  it.each(['kill-anywhere/colours', 'kill-anywhere/latest', 'skill_run/kill-anywhere/colours'])(
    'finds %s, with what each step came to',
    async (name) => {
      const text = await shown('show', name);
      expect(text).toMatch(/^kill-anywhere\/colours {2}failed/);
      expect(text).toMatch(/^seed +done/m);
      expect(text).toMatch(/^paint\/2 +done/m);
      expect(text).toMatch(/^survey +failed .*must leave files .* sketch/m);
      expect(text).toMatch(/^late +skipped .*blocked by/m);
      expect(await json('show', name)).toMatchObject({
        skill: 'kill-anywhere',
        status: 'failed',
        exit: 3,
        steps: expect.arrayContaining([expect.objectContaining({ path: 'survey', status: 'failed' })]),
      });
    },
  );
});

describe('show of a step', () => {
  it('gives its output, its files and where its logs are', async () => {
    const text = await shown('show', 'kill-anywhere/colours', 'seed');
    expect(text).toMatch(/^seed {2}done/);
    expect(text).toMatch(/file +seed\.txt {2}14 bytes/);
    expect(text).toMatch(/see +.*\.steps\/seed\/stdout\.log/);
    expect(text).toContain('"red"');
    expect(await json('show', 'kill-anywhere/colours', 'paint/1')).toMatchObject({
      path: 'paint/1',
      status: 'done',
      output: 'green paint',
    });
  });

  it('takes an id in a group or loop, and lists its places where there are several', async () => {
    place.write(
      'nested.yaml',
      "version: 1\nname: nested\nsteps:\n  - id: rounds\n    foreach: '[1, 2]'\n    max_items: 2\n    steps:\n      - id: audit\n        set: { n: '${{ item }}' }\n  - id: g\n    steps:\n      - id: inner\n        set: { a: 1 }\n",
    );
    expect(await place.pipeline(['run', 'nested.yaml', 'q', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    expect(await shown('show', 'nested/q', 'inner')).toMatch(/^g\/inner {2}done\n/);
    const text = await shown('show', 'nested/q', 'audit');
    expect(text).toMatch(/^audit {2}2 places\n\nrounds\/0\/audit +done .*\nrounds\/1\/audit +done /);
    expect(text).toContain('pipeline show nested/q rounds/1/audit\n');
    expect(await json('show', 'nested/q', 'rounds/audit')).toMatchObject({
      step: 'rounds/audit',
      steps: [{ path: 'rounds/0/audit' }, { path: 'rounds/1/audit' }],
    });
  });

  it('says of an unknown one which there are', async () => {
    const ran = await place.pipeline(['show', 'kill-anywhere/colours', 'seeed']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('the run has no step "seeed"');
    expect(ran.stderr).toMatch(/Steps: seed, paint/);
  });
});

describe('a pipe', () => {
  it.concurrent.each([
    'list',
    'list --json',
    'show idea-spark',
    'runs',
    'show kill-anywhere/colours',
    'show large-output/numbers many',
    'show large-output/numbers many --json',
    'run --no-detect large.yaml again --quiet',
    'run --no-detect large.yaml piped --quiet --json',
  ])('that closes after one line does not disturb: pipeline %s | head -1', async (command) => {
    const ran = await place.bash(`pipeline ${command} | head -1; exit "\${PIPESTATUS[0]}"`);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^.+\n$/);
  });

  it('that is closed from the beginning does not disturb a run', async () => {
    const ran = await place.bash('pipeline run --no-detect large.yaml closed 2>&1 | true; exit "${PIPESTATUS[0]}"');
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(place.read('skill_run/large-output/closed/run.json'))).toMatchObject({ status: 'done' });
  });
});

describe('output that goes to a file', () => {
  it.concurrent.each([
    'run --no-detect pipeline.yaml filed --model sketch',
    'list',
    'show idea-spark',
    'runs',
    'show kill-anywhere/colours',
    'check',
    '--help',
  ])('holds no escape byte and no carriage return: pipeline %s', async (command) => {
    const file = `printed-${command.replace(/\W+/g, '-')}.txt`;
    await place.bash(`pipeline ${command} > ${file} 2>&1`);
    const text = place.read(file);
    expect(text).not.toBe('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(text.match(/[\u001b\r\u0000-\u0008]/g)).toBeNull();
  });

  it('holds none either when a step, a query or a model says some', async () => {
    const loud = 'red \u001b[31malarm\u001b[0m \u001b]0;title\u0007 back\rover';
    place.write(
      'loud.yaml',
      `version: 1\nname: loud\nsteps:\n  - id: cries\n    shell: { run: 'printf %s "$PIPELINE_QUERY" >&2; exit 3' }\n`,
    );
    place.write(
      'ends.yaml',
      `version: 1\nname: ends\nsteps:\n  - id: ends\n    end: { outcome: out, status: refused, message: '\${{ query }}' }\n`,
    );
    for (const name of ['loud', 'ends']) {
      const ran = await place.pipeline(['run', `${name}.yaml`, loud]);
      const list = await place.pipeline(['runs']);
      const show = await place.pipeline(['show', `${name}/latest`]);
      const text = ran.stderr + list.stdout + show.stdout;
      expect(text).toContain('alarm');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(text.match(/[\u001b\r\u0007]/g), name).toBeNull();
    }
  });
});

describe('--quiet and --json', () => {
  it('--quiet says nothing but the result', async () => {
    const ran = await place.pipeline(['run', 'large.yaml', 'quietly', '--quiet']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout.split('\n').slice(0, 2)).toEqual([join(place.dir, 'skill_run/large-output/quietly'), '1']);
  });

  it('--json is one document on stdout, and the progress stays on stderr', async () => {
    const ran = await place.pipeline(['run', 'large.yaml', 'as json', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'done',
      exit: 0,
      dir: join(place.dir, 'skill_run/large-output/as-json'),
    });
    expect(ran.stderr).toContain('✓ many');
  });
});
