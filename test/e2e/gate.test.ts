import { describe, expect, it } from 'vitest';
import { type Ran, seen, type Workspace, workspace } from '../support/cli.js';

const RUN = 'gated/a-query';
const PIPELINE = `version: 1
name: gated
steps:
  - id: draft
    cache: false
    shell: { command: [cat, '\${{ project.dir }}/text.txt'] }
  - id: ok
    title: Is it good?
    gate: { ask: 'Publish this? \${{ steps.draft.output }}', choices: [approve, 'send it back', reject] }
  - id: after
    set: { choice: '\${{ steps.ok.output.choice }}' }
result: '\${{ steps.after.output.choice }}'
`;

async function waiting(atEnd: (clean: () => void) => void): Promise<Workspace> {
  const place = workspace(undefined, atEnd);
  place.write('pipeline.yaml', PIPELINE);
  place.write('text.txt', 'a draft');
  const ran = await place.pipeline(['run', 'pipeline.yaml', 'a query']);
  expect(ran.code).toBe(7);
  expect(ran.stderr).toContain(`answer pipeline approve ${RUN} ok --choice approve`);
  return place;
}

const approve = (place: Workspace, ...args: string[]): Promise<Ran> => place.pipeline(['approve', RUN, ...args]);

describe.concurrent('a gate without a terminal', () => {
  it('waits; another process answers; a resume finishes', async ({ onTestFinished }) => {
    const place = await waiting(onTestFinished);
    const answered = await approve(place, 'ok', '--choice', 'send it back', '--comment', 'shorter');
    expect(answered).toMatchObject({ code: 0, stdout: '' });
    expect(answered.stderr).toContain('? Is it good?  (ok)\n\nPublish this? a draft\n\n  1  approve\n');
    expect(answered.stderr).toContain(`✓ ok: send it back\n  go on  pipeline resume ${RUN}`);
    const resumed = await place.pipeline(['run', 'pipeline.yaml', 'a query', '--resume']);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('send it back') });
    const late = await approve(place, 'ok', '--choice', 'approve', '--json');
    expect(late.code).toBe(2);
    expect(JSON.parse(late.stdout)).toMatchObject({
      status: 'error',
      fault: { message: '"ok" does not wait for an answer: it is done' },
    });
  });

  it('shows what it asks wherever it waits, and that it was answered until the run goes on', async ({
    onTestFinished,
  }) => {
    const place = await waiting(onTestFinished);
    const quiet = await place.pipeline(['resume', RUN, '-q']);
    expect(quiet.stderr).toMatch(/^… waiting\n {2}ok asks:\n {4}Publish this\? a draft\n {2}choices: approve, send it/);
    const json = await place.pipeline(['resume', RUN, '--json']);
    const asked = { step: 'ok', ask: 'Publish this? a draft', choices: ['approve', 'send it back', 'reject'] };
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'waiting', waiting: [asked] });
    const shown = async (...args: string[]) => (await place.pipeline(['show', RUN, ...args])).stdout;
    expect(await shown()).toContain(
      `\n\nok asks:\n  Publish this? a draft\nanswer  pipeline approve ${RUN} ok --choice approve\n`,
    );
    expect(await shown('ok')).toMatch(/\nanswer +pipeline approve .*\n\nPublish this\? a draft\n$/);
    const none = await approve(place, 'ok');
    expect(none.stderr).toBe(
      '✗ "ok" needs a choice. It asks:\n  Publish this? a draft\n  try  Write --choice approve or --choice \'send it back\' or --choice reject\n',
    );
    await approve(place, 'ok', '--choice', 'approve', '--comment', 'fine');
    expect(await shown()).toMatch(/^gated\/a-query {2}waiting, answered\n/);
    expect(await shown()).toMatch(/\nok +waiting +answered approve, by \S+ at [-\d: ]+ UTC: fine\n$/);
    expect(await shown('ok')).toMatch(
      /\nanswered +approve, by \S+ at [-\d: ]+ UTC: fine\ngo on +pipeline resume gated\/a-query --no-detect\n/,
    );
    expect(JSON.parse(await shown('--json'))).toMatchObject({
      waiting: [{ ...asked, answered: { choice: 'approve' } }],
    });
    expect(JSON.parse(await shown('ok', '--json'))).toMatchObject({
      asked: { ...asked, answered: { comment: 'fine' } },
    });
    expect(await place.pipeline(['resume', RUN, '-q'])).toMatchObject({ code: 0 });
    expect(JSON.parse(await shown('--json'))).not.toHaveProperty('waiting');
    expect(await shown('ok')).not.toContain('answered');
  });

  it('ends as refused by a no', async ({ onTestFinished }) => {
    const place = await waiting(onTestFinished);
    const no = await approve(place, 'ok', '--choice', 'reject', '--comment', 'too thin', '--json');
    expect(JSON.parse(no.stdout)).toMatchObject({
      run: RUN,
      step: 'ok',
      ask: 'Publish this? a draft',
      choice: 'reject',
      comment: 'too thin',
      ends: true,
    });
    const resumed = await place.pipeline(['resume', RUN, '--json']);
    expect(resumed.code).toBe(5);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      status: 'refused',
      outcome: 'reject',
      message: expect.stringContaining('too thin'),
    });
  });

  it('asks again when what was approved has changed', async ({ onTestFinished }) => {
    const place = await waiting(onTestFinished);
    await approve(place, 'ok', '--choice', 'approve');
    place.write('text.txt', 'another draft');
    const resumed = await place.pipeline(['resume', RUN]);
    expect(resumed.code).toBe(7);
    expect(resumed.stderr).toMatch(/the content changed after the answer "approve" of .* it asks again/);
  });

  it('says which choices there are, and writes nothing for others', async ({ onTestFinished }) => {
    const place = await waiting(onTestFinished);
    const wrong = await approve(place, 'ok', '--choice', 'aprove');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("Did you mean --choice approve? Choices: approve, 'send it back', reject");
    const none = await approve(place, 'ok');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('"ok" needs a choice') });
    expect(place.has(`skill_run/${RUN}/.steps/ok/answer.json`)).toBe(false);
  });

  it('keeps one whole answer of several that come at once, and its journal as it was', async ({ onTestFinished }) => {
    const place = await waiting(onTestFinished);
    const journal = place.read(`skill_run/${RUN}/events.ndjson`);
    const comments = ['one'.repeat(5_000), 'two'.repeat(5_000), 'three'.repeat(5_000)];
    const all = await Promise.all(
      comments.map((comment) => approve(place, 'ok', '--choice', 'approve', '--comment', comment)),
    );
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    const { comment } = JSON.parse(place.read(`skill_run/${RUN}/.steps/ok/answer.json`));
    expect(comments).toContain(comment);
    expect(place.read(`skill_run/${RUN}/events.ndjson`)).toBe(journal);
  });

  it('is answered while other steps are still at work', async ({ onTestFinished }) => {
    const place = workspace(undefined, onTestFinished);
    place.write(
      'pipeline.yaml',
      `version: 1
name: gated
steps:
  - id: slow
    needs: []
    shell: { run: 'until test -e "$PIPELINE_PROJECT_DIR/go"; do sleep 0.02; done' }
  - id: ok
    needs: []
    gate: { ask: 'Go on?' }
`,
    );
    const run = place.start(['run', 'pipeline.yaml', 'a query']);
    await seen(() => place.events(RUN).some(({ type }) => type === 'step_waiting'));
    expect(await approve(place, 'ok', '--choice', 'approve')).toMatchObject({ code: 0 });
    place.write('go', '');
    expect((await run.ended).code).toBe(7);
    expect(await place.pipeline(['resume', RUN])).toMatchObject({ code: 0 });
  });
});

const ONCE = (schema: string) => `version: 1
name: once
steps:
  - id: send
    effect: once
    shell: { run: 'echo sent >> "$PIPELINE_PROJECT_DIR/log"; until test -e "$PIPELINE_PROJECT_DIR/go"; do sleep 0.02; done; echo "{\\"id\\": 1}"' }
${schema}result: '\${{ steps.send.output }}'
`;
const WITH_ID = '    output: { type: object, properties: { id: { type: integer } }, required: [id] }\n';

/** Killed while its effect has happened and is not recorded. */
async function killed(schema: string, atEnd: (clean: () => void) => void): Promise<Workspace> {
  const place = workspace(undefined, atEnd);
  place.write('pipeline.yaml', ONCE(schema));
  const run = place.start(['run', 'pipeline.yaml', 'a query']);
  await seen(() => place.has('log') && place.read('log') === 'sent\n');
  run.child.kill('SIGKILL');
  await run.ended;
  place.write('go', '');
  return place;
}

describe.concurrent('an interrupted step with effect: once', () => {
  const resume = (place: Workspace, ...args: string[]) =>
    place.pipeline(['run', 'pipeline.yaml', 'a query', '--resume', ...args]);

  it('waits for a word, and is repeated by --retry-unknown', async ({ onTestFinished }) => {
    const place = await killed('', onTestFinished);
    const told = await resume(place);
    expect(told.code).toBe(7);
    expect(told.stderr).toContain('on resume, --retry-unknown repeats it, --assume-done send takes it as done');
    expect((await place.pipeline(['approve', 'once/a-query', 'send', '--choice', 'x'])).stderr).toContain(
      '"send" waits, but not for a choice',
    );
    expect((await resume(place, '--retry-unknown')).code).toBe(0);
    expect(place.read('log')).toBe('sent\nsent\n');
  });

  it('is taken as done by --assume-done, with the text of a file as it is', async ({ onTestFinished }) => {
    const place = await killed('', onTestFinished);
    place.write('out.txt', '{"id": 7}');
    const done = await resume(place, '--assume-done', '--output', 'out.txt', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({ status: 'done', result: '{"id": 7}' });
    expect(place.read('log')).toBe('sent\n');
  });

  it('needs what it gave, as JSON that fits, if it declares a schema', async ({ onTestFinished }) => {
    const place = await killed(WITH_ID, onTestFinished);
    expect((await resume(place, '--assume-done')).stderr).toContain('"send" declares a schema');
    place.write('out.json', '{"id": "seven"}');
    expect((await resume(place, '--assume-done', '--output', 'out.json')).stderr).toContain('does not hold');
    place.write('out.json', '{"id": ');
    expect((await resume(place, '--assume-done', '--output', 'out.json')).stderr).toContain('is no JSON');
    place.write('out.json', '{"id": 7}');
    const done = await place.pipeline(['resume', 'once/a-query', '--assume-done', '--output', 'out.json', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ status: 'done', result: { id: 7 } });
    expect(place.read('log')).toBe('sent\n');
  });

  it('has one answer: options that contradict each other run nothing', async ({ onTestFinished }) => {
    const place = await killed('', onTestFinished);
    for (const [args, said] of [
      [['--resume', '--retry-unknown', '--assume-done'], 'exclude each other'],
      [['--resume', '--output', 'out.json'], 'it needs --assume-done'],
      [['--assume-done'], 'it needs --resume'],
      [['--retry-unknown'], 'it needs --resume'],
      [['--resume', '--assume-done', '--output', 'nowhere.json'], 'cannot be read'],
    ] as const) {
      const ran = await place.pipeline(['run', 'pipeline.yaml', 'a query', ...args]);
      expect([args, ran.code, ran.stderr]).toEqual([args, 2, expect.stringContaining(said)]);
    }
    expect(place.read('log')).toBe('sent\n');
  });
});
