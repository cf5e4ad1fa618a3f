import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AtEnd, isAlive, seen, type Workspace, workspace } from '../support/cli.js';
import { HAS_TMUX, terminal } from '../support/terminal.js';
import { type Answered, type UiSession, uiSession } from '../support/ui-session.js';

/** Waits for a file `go` of the project, then for nothing. */
const SLOW = `version: 1
name: slow
steps:
  - id: waits
    cache: false
    shell: { cwd: '\${{ project.dir }}', run: 'touch ready; until [ -e go ]; do sleep 0.05; done; echo went' }
result: '\${{ steps.waits.output }}'
permissions: { read: [../..], write: [../..] }
`;
const FORM = `version: 1
name: form
inputs:
  city: { type: string, minLength: 2, description: Where it is. }
  count: { type: integer, minimum: 1, maximum: 20, default: 3 }
  share: { type: number, default: 0.5 }
  unit: { enum: [celsius, kelvin], default: celsius }
  loud: { type: boolean, default: false }
  tags: { type: array, items: { type: string }, default: [a] }
  notes: { type: string, default: "none" }
  sheet: { type: string, format: path, default: README.md }
steps:
  - id: say
    set: { query: '\${{ query }}', all: '\${{ inputs }}' }
result: '\${{ steps.say.output }}'
`;
const GATED = `version: 1
name: gated
steps:
  - id: draft
    cache: false
    shell: { command: [cat, '\${{ project.dir }}/text.txt'] }
  - id: ok
    title: Is it good?
    gate: { ask: 'Publish this? \${{ steps.draft.output }}', choices: [approve, 'send it back', reject] }
  - id: after
    set: { choice: '\${{ steps.ok.output.choice }}', comment: '\${{ steps.ok.output.comment }}' }
result: '\${{ steps.after.output.choice }}: \${{ steps.after.output.comment }}'
`;

function project(atEnd: AtEnd): Workspace {
  const place = workspace(undefined, atEnd);
  place.write('pipeline.config.yaml', 'detect: false\n');
  place.write('skills/slow/pipeline.yaml', SLOW);
  place.write('skills/form/pipeline.yaml', FORM);
  place.write('skills/gated/pipeline.yaml', GATED);
  place.write('text.txt', 'a draft');
  place.write('README.md', 'read me');
  // Also what goes on without the ui ends with the test.
  atEnd(() => place.write('go', ''));
  return place;
}

const runFile = (place: Workspace, run: string) => JSON.parse(place.read(`skill_run/${run}/run.json`));
/** Its process as well, which still writes when run.json says so. */
const hasEnded = (place: Workspace, run: string, status = 'done') =>
  seen(() => {
    const dir = `skill_run/${run}`;
    return place.has(`${dir}/run.json`) && runFile(place, run).status === status && !place.has(`${dir}/.lock`);
  });
const rowsOf = ({ text }: Answered) => [...text.matchAll(/<tr id="run-(?:[^"]*)".*?<\/tr>/gs)].map(([row]) => row);
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** What a person would send from the page of a run. */
async function press(ui: UiSession, run: string, action: string, fields: Readonly<Record<string, string>> = {}) {
  return ui.post(`runs/0/${run}/${action}`, { key: await ui.formKey(), ...fields });
}

/** What a person would send from the form as it is shown now. */
async function startBy(ui: UiSession, skill: string, fields: Readonly<Record<string, string>>, at = 0) {
  return ui.post(`start/${at}/${skill}`, { ...(await hiddenIn(ui, `start/${at}/${skill}`)), ...fields });
}

async function hiddenIn(ui: UiSession, path: string): Promise<Record<string, string>> {
  const { text } = await ui.get(path);
  const hidden = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

describe.concurrent('the list of pipeline ui', () => {
  it('shows the runs there are, the newest first, and only those that are asked for', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    await place.pipeline(['run', 'form', 'one city', '-i', 'city=Paris']);
    await place.pipeline(['run', 'gated', 'a query']);
    const run = place.start(['run', 'slow', 'a walk']);
    await seen(() => place.has('ready'));
    const ui = await uiSession(place, onTestFinished);
    const list = await ui.get('');
    expect(rowsOf(list).map(wordsOf)).toEqual([
      expect.stringMatching(/^live slow\/a-walk a walk 0 of 1 /),
      expect.stringMatching(/^waiting gated\/a-query a query 1 of 2 .*\d+ (ms|s) \d{4}-\d\d-\d\d \d\d:\d\d$/),
      expect.stringMatching(/^done form\/one-city one city 1 /),
    ]);
    expect(wordsOf(list.text)).toContain('3 runs, 1 at work, 1 waiting');
    const found = async (query: string) => rowsOf(await ui.get(query)).map((row) => /href="([^"]*)"/.exec(row)?.[1]);
    expect(await found('?status=waiting')).toEqual(['runs/0/gated/a-query/']);
    expect(await found('?skill=form')).toEqual(['runs/0/form/one-city/']);
    expect(await found('?q=WALK+slow')).toEqual(['runs/0/slow/a-walk/']);
    expect(await found('?q=walk&skill=form')).toEqual([]);
    expect(await found('?page=7&status=%3Cb%3E')).toEqual([]);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await found('?status=interrupted')).toEqual(['runs/0/slow/a-walk/']);
    expect(await found('?status=running')).toEqual([]);
  });

  it('tells who listens when something has changed, and gives only that', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    await place.pipeline(['run', 'form', 'one', '-i', 'city=Paris']);
    const ui = await uiSession(place, onTestFinished);
    const { text } = await ui.get('');
    const have = /name="ui-sections" content="([^"]*)"/.exec(text)?.[1] ?? '';
    const news = async (hashes: string, path = '') =>
      JSON.parse((await ui.get(path, { accept: 'application/json', 'x-have': hashes })).text);
    expect(await news(have)).toMatchObject({ order: ['ui-count', 'ui-runs'], changed: [] });
    const told = toldChanges(ui, '.events');
    onTestFinished(() => told.stop());
    await seen(() => told.count() === 1);
    await place.pipeline(['run', 'form', 'two', '-i', 'city=Paris']);
    await seen(() => told.count() > 1);
    const { changed } = await news(have);
    expect(changed.map(({ id }: { id: string }) => id)).toEqual(['ui-count', 'ui-runs']);
    const after = changed.map(({ id, hash }: { id: string; hash: string }) => `${id}=${hash}`).join(',');
    expect(await news(after)).toMatchObject({ changed: [] });
  });

  it('shows the runs of each project that was named, and starts a skill where it is', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    place.write('other/skills/form/pipeline.yaml', FORM);
    place.write('other/README.md', '');
    await place.pipeline(['run', 'form', 'one', '-i', 'city=Paris']);
    symlinkSync(place.dir, join(place.dir, 'link'));
    const ui = await uiSession(place, onTestFinished, ['.', 'other/skills', '.', 'link']);
    expect(ui.said()).toContain('Runs of this project, other, for this machine only.');
    expect(wordsOf((await ui.get('')).text)).toContain('done form/one one project');
    const started = await startBy(ui, 'form', { query: 'two', 'input.city': 'Rome' }, 1);
    expect(started.headers.location).toBe(`${ui.room}runs/1/form/two/?said=started`);
    await hasEnded(place, '../other/skill_run/form/two');
    expect(rowsOf(await ui.get('')).map(wordsOf)).toEqual([
      expect.stringContaining('form/two two other '),
      expect.stringContaining('form/one one project '),
    ]);
  });
});

describe.concurrent('a skill that is started from its form', () => {
  it('says all that is wrong, at each field, and starts nothing', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    const answer = await startBy(ui, 'form', {
      query: '<b>"one"</b>',
      'input.city': 'X',
      'input.count': 'many',
      'input.share': '1e',
      'input.unit': 'rankine',
      'input.tags': '["a", 1]',
      'input.sheet': 'gone.txt',
      'limit.tokens': '-5',
      'limit.time': 'soon',
    });
    expect(answer.status).toBe(422);
    expect(place.has('skill_run')).toBe(false);
    const wrong = (id: string) => wordsOf(new RegExp(`id="${id}-wrong">(.*?)</p>`).exec(answer.text)?.[1] ?? '');
    expect(wrong('input-city')).toContain('2 characters');
    expect(wrong('input-count')).toBe('This is no integer: many');
    expect(wrong('input-share')).toBe('This is no number: 1e');
    expect(wrong('input-unit')).toContain('celsius');
    expect(wrong('input-tags')).toContain('1: expected string');
    expect(wrong('input-sheet')).toBe('It names a file that cannot be read: gone.txt.');
    expect(wrong('limit-tokens')).toBe('Write a whole number, as 500000.');
    expect(wrong('limit-time')).toBe('Write a duration, as 30m or 1h30m.');
    expect(answer.text).toContain('&lt;b&gt;&quot;one&quot;&lt;/b&gt;</textarea>');
    expect(answer.text).not.toContain('<b>"');
    const missing = await startBy(ui, 'form', { query: 'x', 'input.count': '99' });
    expect(wordsOf(missing.text)).toContain('city : It is needed. count : Expected a number');
  });

  it('runs with what was typed, in a process of its own that outlives the ui', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    const typed = {
      query: '--help "quoted"\r\nsecond line',
      'input.city': "it's $(touch pwned) --x",
      'input.count': '20',
      'input.share': '0.25',
      'input.unit': 'kelvin',
      'input.loud': 'true',
      'input.tags': '["x", "y"]',
      'input.notes': '',
      'input.sheet': 'README.md',
      'limit.time': '5m',
    };
    const started = await startBy(ui, 'form', typed);
    const run = /runs\/0\/(form\/[^/]+)\/\?said=started$/.exec(started.headers.location ?? '')?.[1] ?? '';
    await hasEnded(place, run);
    expect(runFile(place, run)).toMatchObject({
      query: '--help "quoted"\nsecond line',
      inputs: {
        city: "it's $(touch pwned) --x",
        count: 20,
        share: 0.25,
        unit: 'kelvin',
        loud: true,
        tags: ['x', 'y'],
        notes: '',
        sheet: join(place.dir, 'README.md'),
      },
    });
    expect(place.has('pwned')).toBe(false);
    const slow = await startBy(ui, 'slow', { query: 'a walk' });
    expect(slow.headers.location).toContain('runs/0/slow/a-walk/?said=started');
    await seen(() => place.has('ready'));
    const { pid } = JSON.parse(place.read('skill_run/slow/a-walk/.lock'));
    // Ctrl-C reaches all of the terminal's group: this is of another one, and of another session.
    if (existsSync('/proc')) expect(sessionAndGroupOf(pid)).toEqual([pid, pid]);
    ui.started.child.kill('SIGINT');
    expect(await ui.started.ended).toMatchObject({ code: 0 });
    expect(runFile(place, 'slow/a-walk').status).toBe('running');
    place.write('go', '');
    await hasEnded(place, 'slow/a-walk');
  });

  it('is refused what pipeline run refuses', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    place.write('pipeline.config.yaml', 'detect: false\nmodels: { default: { provider: openai, model: m } }\n');
    place.write(
      'skills/agent/pipeline.yaml',
      'version: 1\nname: agent\nsteps: [{ id: a, agent: { prompt: Hello }, output: { type: object } }]\n',
    );
    place.write('skills/broken/pipeline.yaml', 'version: 1\nname: broken\nsteps: [{ id: a, shel: { run: x } }]\n');
    const ui = await uiSession(place, onTestFinished);
    const unusable = await startBy(ui, 'agent', { query: 'x' });
    expect(unusable.status).toBe(422);
    expect(wordsOf(unusable.text)).toContain('Nothing was started');
    expect(wordsOf(unusable.text)).toContain('OPENAI_API_KEY');
    const unknown = await startBy(ui, 'agent', { query: 'x', model: 'nobody/nothing' });
    expect(wordsOf(unknown.text)).toContain('nobody');
    const broken = await ui.get('start/0/broken');
    expect(broken.status).toBe(422);
    expect(wordsOf(broken.text)).toContain('It cannot be started');
    expect(place.has('skill_run')).toBe(false);
  });

  it('is started as it was shown: what has changed since has to be looked at first', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    const typed = { query: 'x', 'input.city': 'Paris' };
    const before = await hiddenIn(ui, 'start/0/form');
    place.edit('skills/form/pipeline.yaml', '\nresult:', "\n  - { id: more, shell: { run: 'touch more' } }\nresult:");
    const answer = await ui.post('start/0/form', { ...before, ...typed });
    expect(answer.status).toBe(422);
    expect(wordsOf(answer.text)).toContain('Nothing was started The skill has changed since the page was shown.');
    expect(answer.text).toContain('value="Paris"');
    expect(place.has('skill_run')).toBe(false);
    expect((await startBy(ui, 'form', typed)).status).toBe(303);
    await hasEnded(place, 'form/x');
  });

  it('takes no character that no program can be given', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    const answer = await startBy(ui, 'form', { query: 'x', 'input.city': 'Pa\0ris' });
    expect(answer.status).toBe(422);
    expect(wordsOf(answer.text)).toContain('The field &quot;input.city&quot; holds a NUL character');
    expect(place.has('skill_run')).toBe(false);
  });

  it('is not started when its files are not those that somebody agreed to', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    place.write('upstream/digest/SKILL.md', '---\nname: digest\ndescription: Digests.\n---\nRead.\n');
    expect(await place.pipeline(['skills', 'add', './upstream/digest', '--yes'])).toMatchObject({ code: 0 });
    const ui = await uiSession(place, onTestFinished);
    expect(wordsOf((await ui.get('start/0/digest')).text)).not.toContain('skills trust');
    place.write('skills/digest/SKILL.md', '---\nname: digest\ndescription: Digests.\n---\nDo worse.\n');
    expect(wordsOf((await ui.get('start/0/digest')).text)).toContain('skills trust');
    const answer = await startBy(ui, 'digest', { query: 'x' });
    expect(answer.status).toBe(422);
    expect(wordsOf(answer.text)).toContain('skills trust');
    expect(place.has('skill_run')).toBe(false);
  });
});

describe.concurrent('the page of a run', () => {
  it('stops a run that was started elsewhere, and goes on with it', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const run = place.start(['run', 'slow', 'a walk', '--limit', 'time=5m']);
    await seen(() => place.has('ready'));
    const ui = await uiSession(place, onTestFinished);
    expect((await ui.get('runs/0/slow/a-walk/')).text).toContain('action=".stop"');
    const stopped = await press(ui, 'slow/a-walk', '.stop');
    expect(stopped).toMatchObject({ status: 303, headers: { location: './?said=stopped' } });
    expect((await run.ended).code).toBe(143);
    const page = await ui.get('runs/0/slow/a-walk/?said=stopped');
    expect(wordsOf(page.text)).toContain('It was stopped: resume goes on with it.');
    expect(page.text).not.toContain('action=".stop"');
    expect((await press(ui, 'slow/a-walk', '.stop')).headers.location).toBe('./?said=idle');
    rmSync(join(place.dir, 'ready'));
    expect((await press(ui, 'slow/a-walk', '.resume')).headers.location).toBe('./?said=resumed');
    await seen(() => place.has('ready'));
    expect((await press(ui, 'slow/a-walk', '.resume')).status).toBe(422);
    expect((await press(ui, 'slow/a-walk', '.kill')).headers.location).toMatch(/said=(stopped|killed)$/);
    place.write('go', '');
    await press(ui, 'slow/a-walk', '.resume');
    await hasEnded(place, 'slow/a-walk');
    for (const said of ['stopped', 'resumed', 'constructor']) {
      const { text } = await ui.get(`runs/0/slow/a-walk/?said=${said}`);
      expect(text).toContain('id="ui-said"></p>');
    }
  });

  it('answers a gate as it was shown, and goes on with the run', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    await startBy(ui, 'gated', { query: 'a query' });
    await hasEnded(place, 'gated/a-query', 'waiting');
    const shown = async () => {
      const { text } = await ui.get('runs/0/gated/a-query/');
      return { text, question: /name="question" value="([^"]*)"/.exec(text)?.[1] ?? '' };
    };
    const { text, question } = await shown();
    expect(wordsOf(text)).toContain('Is it good? ok Publish this? a draft');
    const answer = (fields: Readonly<Record<string, string>>) =>
      press(ui, 'gated/a-query', '.answer', { step: 'ok', question, choice: 'approve', ...fields });
    expect((await answer({ choice: 'maybe' })).status).toBe(422);
    expect((await answer({ question: 'another' })).status).toBe(409);
    expect((await answer({ step: 'draft' })).status).toBe(404);
    expect(place.has('skill_run/gated/a-query/.steps/ok/answer.json')).toBe(false);
    place.write('text.txt', 'another draft');
    await place.pipeline(['resume', 'gated/a-query']);
    expect((await answer({})).status).toBe(409);
    const again = await shown();
    expect(wordsOf(again.text)).toContain('Publish this? another draft');
    const taken = await answer({ question: again.question, choice: 'send it back', comment: ' shorter\u001b[31m ' });
    expect(taken.headers.location).toBe('./?said=resumed');
    await hasEnded(place, 'gated/a-query');
    expect(runFile(place, 'gated/a-query').result).toBe('send it back: shorter');
    expect((await answer({ question: again.question })).status).toBe(404);
  });

  it('answers while other steps are at work, which end the run before it can go on', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const slow = `  - id: slow\n    needs: []\n    cache: false\n    shell: { cwd: '\${{ project.dir }}', run: 'until [ -e go ]; do sleep 0.05; done' }\n`;
    place.write(
      'skills/both/pipeline.yaml',
      `version: 1\nname: both\nsteps:\n${slow}  - { id: ok, needs: [], gate: { ask: 'Go on?' } }\npermissions: { read: [../..] }\n`,
    );
    const ui = await uiSession(place, onTestFinished);
    await startBy(ui, 'both', { query: 'a query' });
    await seen(() => place.events('both/a-query').some(({ type }) => type === 'step_waiting'));
    const { text } = await ui.get('runs/0/both/a-query/');
    expect(wordsOf(text)).toContain('Other steps are still at work');
    const question = /name="question" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const answer = { step: 'ok', question, choice: 'approve' };
    expect((await press(ui, 'both/a-query', '.answer', answer)).headers.location).toBe('./?said=answered');
    place.write('go', '');
    await hasEnded(place, 'both/a-query', 'waiting');
    expect((await ui.get('runs/0/both/a-query/')).text).toContain('action=".resume"');
    await press(ui, 'both/a-query', '.resume');
    await hasEnded(place, 'both/a-query');
  });

  it('ends a run as refused by the choice that does so', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    await place.pipeline(['run', 'gated', 'a query']);
    const ui = await uiSession(place, onTestFinished);
    const { text } = await ui.get('runs/0/gated/a-query/');
    expect(text).toMatch(/value="reject" class="ui-danger" title="ends the run as refused"/);
    const question = /name="question" value="([^"]*)"/.exec(text)?.[1] ?? '';
    await press(ui, 'gated/a-query', '.answer', { step: 'ok', question, choice: 'reject', comment: 'no' });
    await hasEnded(place, 'gated/a-query', 'refused');
    expect((await ui.get('runs/0/gated/a-query/')).text).not.toContain('action=".resume"');
  });

  it('tells that it has changed while the run goes on, and when somebody answers elsewhere', async ({
    onTestFinished,
  }) => {
    const place = project(onTestFinished);
    await place.pipeline(['run', 'gated', 'a query']);
    const ui = await uiSession(place, onTestFinished);
    const told = toldChanges(ui, 'runs/0/gated/a-query/.events');
    onTestFinished(() => told.stop());
    await seen(() => told.count() === 1);
    await place.pipeline(['approve', 'gated/a-query', 'ok', '--choice', 'approve', '--comment', 'x']);
    await seen(() => told.count() === 2);
    expect((await ui.get('runs/0/gated/a-query/')).text).not.toContain('action=".answer"');
    await place.pipeline(['resume', 'gated/a-query']);
    await seen(() => told.count() > 2);
    const { text } = await ui.get('runs/0/gated/a-query/', { accept: 'application/json' });
    expect(JSON.parse(text).order).toEqual(expect.arrayContaining(['ui-actions', 'summary', 'steps']));
  });

  it('says of a journal that is damaged that it is, while the others are shown', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    place.write('skill_run/form/odd/run.json', '{ "run": "x" }');
    await place.pipeline(['run', 'form', 'one', '-i', 'city=Paris']);
    await place.pipeline(['run', 'form', 'two', '-i', 'city=Rome']);
    place.edit('skill_run/form/one/events.ndjson', '"seq":1', '"seq":7');
    const ui = await uiSession(place, onTestFinished);
    expect(rowsOf(await ui.get(''))).toHaveLength(2);
    const page = await ui.get('runs/0/form/one/');
    expect(page.status).toBe(500);
    expect(wordsOf(page.text)).toMatch(/the journal .* is damaged at line 1/);
    expect((await ui.get('runs/0/form/two/')).status).toBe(200);
    rmSync(join(place.dir, 'skill_run/form/one'), { recursive: true });
    expect((await ui.get('runs/0/form/one/')).status).toBe(404);
    expect(rowsOf(await ui.get(''))).toHaveLength(1);
  });

  it('is the report, and shows whatever a run holds as text', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u001b[31m\u202e';
    place.write('text.txt', evil);
    await place.pipeline(['run', 'gated', `${evil} query`]);
    const [slug] = readdirSync(join(place.dir, 'skill_run/gated')).filter(
      (name) => name !== 'latest' && name !== 'pipeline.log',
    );
    const run = `gated/${slug}`;
    const ui = await uiSession(place, onTestFinished);
    for (const path of [
      '',
      `runs/0/${run}/`,
      `?q=${encodeURIComponent(evil)}`,
      `runs/0/${run}/?said=${encodeURIComponent(evil)}`,
    ]) {
      const { text, status } = await ui.get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(text).toContain('&lt;script&gt;alert(1)');
      for (const bad of ['<script>alert', '<img src=x', '\u001b', '\u202e']) expect(text).not.toContain(bad);
    }
    const page = await ui.get(`runs/0/${run}/`);
    expect(page.text).toContain('<section id="steps"');
    const scripts = [...page.text.matchAll(/<script\b[^>]*>/g)].length;
    expect(scripts).toBe(2);
  });
});

describe('a gate at a terminal', () => {
  it.skipIf(!HAS_TMUX)(
    'answers a run that asks at its terminal, which goes on by itself',
    async ({ onTestFinished }) => {
      const place = project(onTestFinished);
      const program = `${process.execPath} ${process.env.PIPELINE_TEST_CLI ?? join(process.cwd(), 'dist/cli.js')}`;
      const asking = terminal(`${program} run gated "a query"`, place.dir, {
        PATH: process.env.PATH ?? '',
        HOME: place.dir,
      });
      await asking.sees('of your choice');
      const ui = await uiSession(place, onTestFinished);
      const { text } = await ui.get('runs/0/gated/a-query/');
      expect(wordsOf(text)).toContain('The run asks at its terminal as well');
      const question = /name="question" value="([^"]*)"/.exec(text)?.[1] ?? '';
      const answer = { step: 'ok', question, choice: 'approve', comment: 'from afar' };
      expect((await press(ui, 'gated/a-query', '.answer', answer)).headers.location).toBe('./?said=answered');
      await asking.sees('approve: from afar');
      await asking.sees('left 0');
      expect(runFile(place, 'gated/a-query')).toMatchObject({ status: 'done', result: 'approve: from afar' });
      expect(runFile(place, 'gated/a-query').resumed).toBeUndefined();
    },
  );
});

describe.concurrent('pipeline ui as a program', () => {
  it('shows no secret of the environment', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    place.write('skills/tells/SKILL.md', '---\nname: tells\ndescription: Says hunter2-hunter2 to all.\n---\nx\n');
    const ui = await uiSession(place, onTestFinished, [], { MY_PASSWORD: 'hunter2-hunter2' });
    const { text } = await ui.get('start');
    expect(text).toContain('«redacted:MY_PASSWORD»');
    expect(text).not.toContain('hunter2');
  });

  it('says its address as JSON, and what it cannot do with what to do', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    const taken = await place.pipeline(['ui', '--port', String(ui.port)]);
    expect(taken).toMatchObject({ code: 2, stdout: '' });
    expect(taken.stderr).toMatch(
      /^✗ The port \d+ of 127\.0\.0\.1 cannot be had: EADDRINUSE\.\n {2}try {2}Name another with --port/,
    );
    expect(await place.pipeline(['ui', 'nowhere'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no folder nowhere.'),
    });
    expect(await place.pipeline(['ui', '--port', 'x'])).toMatchObject({ code: 2 });
    const json = place.start(['ui', '--json', '--open']);
    onTestFinished(() => void json.child.kill('SIGKILL'));
    let out = '';
    json.child.stdout?.on('data', (text: string) => {
      out += text;
    });
    const said = await seen(() => out.endsWith('}\n') && JSON.parse(out));
    expect(said).toEqual({ url: expect.stringContaining('?token='), port: expect.any(Number), projects: [place.dir] });
    json.child.kill('SIGTERM');
    expect(await json.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not opened: there is no display'),
    });
  });

  it('leaves nothing behind when it has ended', async ({ onTestFinished }) => {
    const place = project(onTestFinished);
    const ui = await uiSession(place, onTestFinished);
    await startBy(ui, 'form', { query: 'x', 'input.city': 'Paris' });
    await hasEnded(place, 'form/x');
    const told = toldChanges(ui, '.events');
    onTestFinished(() => told.stop());
    await seen(() => told.count() === 1);
    ui.started.child.kill('SIGTERM');
    expect(await ui.started.ended).toMatchObject({ code: 0 });
    expect(isAlive(ui.started.child.pid ?? 0)).toBe(false);
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('pipeline-ui-'));
    expect(left.filter((name) => holds(join(tmpdir(), name), place.dir))).toEqual([]);
  });
});

function sessionAndGroupOf(pid: number): number[] {
  const [, , group, session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return [Number(session), Number(group)];
}

function holds(dir: string, text: string): boolean {
  try {
    return readdirSync(dir).some((name) => readFileSync(join(dir, name), 'utf8').includes(text));
  } catch {
    return false;
  }
}

/** How often a stream of events has told a state; the first is for who has just come. */
function toldChanges(ui: UiSession, path: string): { count(): number; stop(): void } {
  const stop = new AbortController();
  let text = '';
  const read = async () => {
    const answer = await fetch(`http://127.0.0.1:${ui.port}${ui.room}${path}`, {
      headers: { cookie: ui.cookie },
      signal: stop.signal,
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) text += piece.value;
  };
  read().catch(() => undefined);
  return { count: () => text.split('event: state').length - 1, stop: () => stop.abort() };
}
