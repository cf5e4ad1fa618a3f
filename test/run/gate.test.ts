import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOpenGate } from '../../src/engine/open-gates.js';
import { project } from '../support/project.js';

const GATE = (more = '') => ({
  'text.txt': 'a draft',
  'pipeline.yaml': `version: 1
name: t
steps:
  - id: draft
    cache: false
    shell: { command: [cat, '\${{ project.dir }}/text.txt'] }
  - id: ok
    title: Is it good?
    gate: { ask: 'Publish this? \${{ steps.draft.output }}'${more} }
  - id: after
    set: { choice: '\${{ steps.ok.output.choice }}', comment: '\${{ steps.ok.output.comment }}', by: '\${{ steps.ok.output.by }}' }
result: '\${{ steps.after.output }}'
`,
});
const me = userInfo().username;
const yes = { choice: 'approve', comment: 'fine' };

describe('where nobody is at a terminal', () => {
  it('waits, says what answers it, and finishes with an answer from elsewhere', async () => {
    const it = project(GATE());
    const waiting = await it.run();
    expect(waiting).toMatchObject({
      status: 'waiting',
      exit: 7,
      message:
        '"ok" waits for an answer: pipeline approve t/a-query ok --choice approve, then: pipeline resume t/a-query',
      census: { done: 1, open: 1 },
    });
    const gate = findOpenGate(waiting.dir, 'ok');
    expect(gate.question).toMatchObject({
      title: 'Is it good?',
      ask: 'Publish this? a draft',
      choices: ['approve', 'reject'],
      reject: ['reject'],
    });
    gate.answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({
      status: 'done',
      result: { choice: 'approve', comment: 'fine', by: me },
    });
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done', census: { reused: 2 } });
  });

  it('ends the run as refused by an answer that rejects, with the comment, and again at each resume', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    findOpenGate(dir, 'ok').answer({ choice: 'reject', comment: 'too thin' });
    const refused = {
      status: 'refused',
      exit: 5,
      outcome: 'reject',
      message: `the answer to "ok" was "reject", by ${me}: too thin`,
    };
    expect(await it.run({ resume: true })).toMatchObject(refused);
    const again = await it.run({ resume: true });
    expect(again).toMatchObject(refused);
    const begun = again.events.find((event) => event.type === 'step_started' && event.path === 'ok');
    expect(begun).toMatchObject({ because: 'it had ended the run' });
    findOpenGate(dir, 'ok').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done' });
  });

  it('fails the step if the author says so', async () => {
    const it = project(GATE(', on_no_tty: fail'));
    const failed = await it.run();
    expect(failed).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'run.unanswered' } });
    findOpenGate(failed.dir, 'ok').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done' });
  });

  it('takes the choice that the author says', async () => {
    expect(await project(GATE(', on_no_tty: approve')).run()).toMatchObject({
      status: 'done',
      result: { choice: 'approve', comment: '', by: 'on_no_tty' },
    });
    expect(await project(GATE(', on_no_tty: reject')).run()).toMatchObject({ status: 'refused', exit: 5 });
  });

  it('keeps its answer when only on_no_tty is edited', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    findOpenGate(dir, 'ok').answer(yes);
    it.write('pipeline.yaml', GATE(', on_no_tty: fail')['pipeline.yaml']);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done', result: { by: me } });
  });
});

describe('an answer holds for what was shown', () => {
  it('so that a changed text asks again, and says so', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    findOpenGate(dir, 'ok').answer(yes);
    it.write('text.txt', 'another draft');
    const again = await it.run({ resume: true });
    expect(again).toMatchObject({ status: 'waiting', exit: 7 });
    expect(again.events).toContainEqual(
      expect.objectContaining({
        type: 'step_notice',
        path: 'ok',
        text: expect.stringMatching(`^the content changed after the answer "approve" of ${me} at .*: it asks again$`),
      }),
    );
    expect(findOpenGate(dir, 'ok').question.ask).toBe('Publish this? another draft');
    it.write('text.txt', 'a draft');
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done' });
  });

  it('so that a changed file of an earlier step asks again, though the text is the same', async () => {
    const it = project({
      'page.txt': 'one',
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: page
    cache: false
    shell: { run: 'cp "$PIPELINE_PROJECT_DIR/page.txt" page.txt' }
  - id: ok
    gate: { ask: 'Look at page.txt' }
`,
    });
    const { dir } = await it.run();
    findOpenGate(dir, 'ok').answer(yes);
    it.write('page.txt', 'two');
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
    findOpenGate(dir, 'ok').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done' });
  });

  it('so that an answer given while the content changes is not used', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    const shownBefore = findOpenGate(dir, 'ok');
    it.write('text.txt', 'another draft');
    await it.run({ resume: true });
    shownBefore.answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
  });
});

it('asks again, of the same content, when a person asks for the step to be done again', async () => {
  const it = project(GATE());
  const waiting = await it.run();
  findOpenGate(waiting.dir, 'ok').answer(yes);
  expect((await it.run({ resume: true })).status).toBe('done');
  expect((await it.run({ resume: true, from: 'ok' })).status).toBe('waiting');
  findOpenGate(waiting.dir, 'ok').answer({ choice: 'approve', comment: 'again' });
  expect((await it.run({ resume: true })).result).toMatchObject({ comment: 'again' });
});

describe('a file of an answer', () => {
  it.each([
    ['that was cut off', '{"key": "ab', 'cannot be understood'],
    ['that is no answer', '[]', 'cannot be understood'],
    ['of another question', JSON.stringify({ key: 'x', ...yes, by: 'a', at: 'b' }), 'the content changed'],
  ])('%s asks again, and says so', async (_, content, said) => {
    const it = project(GATE());
    const { dir } = await it.run();
    writeFileSync(join(dir, '.steps/ok/answer.json'), content);
    const again = await it.run({ resume: true });
    expect(again.status).toBe('waiting');
    expect(again.events).toContainEqual(
      expect.objectContaining({ type: 'step_notice', text: expect.stringContaining(said) }),
    );
  });

  it('that is a link is not followed', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    const { key } = findOpenGate(dir, 'ok').question;
    it.write('forged.json', { key, ...yes, by: 'a', at: 'b' });
    symlinkSync(join(it.dir, 'forged.json'), join(dir, '.steps/ok/answer.json'));
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
    findOpenGate(dir, 'ok').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done' });
  });

  it('with an unoffered choice asks again', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    findOpenGate(dir, 'ok').answer({ choice: 'perhaps', comment: '' });
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
  });

  it('is for its owner alone, and whole, with no other left beside it', async () => {
    const { dir } = await project(GATE()).run();
    const gate = findOpenGate(dir, 'ok');
    gate.answer(yes);
    gate.answer({ choice: 'reject', comment: 'the later one' });
    const folder = join(dir, '.steps/ok');
    expect(statSync(join(folder, 'answer.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8'))).toMatchObject({ comment: 'the later one' });
    expect(readdirSync(folder).sort()).toEqual(['answer.json', 'question.json', 'work']);
  });
});

describe('where gates stand', () => {
  it('in a repeat each round asks of its own, by its path or its id', async () => {
    const it = project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: rounds
    repeat: { until: output.choice == "approve", max: 3 }
    steps:
      - id: ok
        gate: { ask: 'Good enough?', choices: [approve, again] }
    result: '\${{ steps.ok.output }}'
result: '\${{ steps.rounds.output.comment }}'
`,
    });
    const { dir, message } = await it.run();
    expect(message).toContain('pipeline approve t/a-query rounds/0/ok --choice approve');
    findOpenGate(dir, 'ok').answer({ choice: 'again', comment: 'first' });
    expect(await it.run({ resume: true })).toMatchObject({ status: 'waiting' });
    expect(() => findOpenGate(dir, 'rounds/0/ok')).toThrow('"rounds/0/ok" does not wait for an answer: it is ');
    findOpenGate(dir, 'rounds/1/ok').answer({ choice: 'approve', comment: 'second' });
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done', result: 'second' });
  });

  it('in a child pipeline it waits with its parent, and its no is the failure of the step', async () => {
    const files = {
      'skills/draft/pipeline.yaml': `version: 1
name: draft
steps:
  - id: review
    gate: { ask: 'Good?' }
result: '\${{ steps.review.output.comment }}'
`,
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: child
    pipeline: { skill: draft }
result: '\${{ steps.child.output }}'
`,
    };
    const it = project(files);
    const { dir } = await it.run();
    findOpenGate(dir, 'review').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done', result: 'fine' });
    const other = project(files);
    const waiting = await other.run();
    findOpenGate(waiting.dir, 'child/review').answer({ choice: 'reject', comment: 'no' });
    expect(await other.run({ resume: true })).toMatchObject({ status: 'failed', fault: { outcome: 'reject' } });
  });

  it('of several that wait each is named by its path; other branches go on meanwhile', async () => {
    const it = project({
      'pipeline.yaml': `version: 1
name: t
steps:
  - id: aside
    needs: []
    set: { a: 1 }
  - id: each
    needs: []
    foreach: [a, b]
    gate: { ask: 'Is \${{ item }} good?', reject: [] }
result: '\${{ steps.each.output.map(one, one.choice) }}'
`,
    });
    const { dir, census } = await it.run();
    expect(census).toMatchObject({ done: 1, open: 2 });
    expect(() => findOpenGate(dir, 'each')).toThrow('"each" is the name of 2 gates that wait');
    findOpenGate(dir, 'each/0').answer({ choice: 'reject', comment: '' });
    findOpenGate(dir, 'each/1').answer(yes);
    expect(await it.run({ resume: true })).toMatchObject({ status: 'done', result: ['reject', 'approve'] });
  });
});

describe('a step that cannot be answered is said, with what waits', () => {
  it('for other names, done steps and finished runs', async () => {
    const it = project(GATE());
    const { dir } = await it.run();
    const hintOf = (name: string) => {
      try {
        findOpenGate(dir, name);
      } catch (error) {
        return (error as { data: unknown }).data;
      }
      return undefined;
    };
    expect(hintOf('okk')).toEqual({
      code: 'input.unknown',
      message: 'no gate "okk" waits in this run',
      hint: 'Did you mean "ok"?',
    });
    expect(hintOf('draft')).toMatchObject({
      message: '"draft" does not wait for an answer: it is done',
      hint: 'Gates that wait: ok',
    });
    findOpenGate(dir, 'ok').answer(yes);
    await it.run({ resume: true });
    expect(hintOf('ok')).toMatchObject({
      message: '"ok" does not wait for an answer: it is done',
      hint: 'No gate of this run waits.',
    });
  });
});

describe('at a terminal', () => {
  it('the person is asked, and the answer outlives a run that is cut off after it', async () => {
    const it = project(GATE());
    const done = await it.run({ ask: async () => ({ choice: 'reject', comment: 'no' }) });
    expect(done).toMatchObject({ status: 'refused', message: `the answer to "ok" was "reject", by ${me}: no` });
    const asked = async () => {
      throw new Error('asked again');
    };
    expect(await it.run({ resume: true, ask: asked })).toMatchObject({ status: 'refused' });
  });

  it('an answer from elsewhere ends the question', async () => {
    const it = project(GATE());
    let aborted = false;
    const ended = await it.run({
      ask: (_, signal) => {
        const [slug = ''] = readdirSync(join(it.dir, 'skill_run/t')).filter((name) => name !== 'pipeline.log');
        const gate = findOpenGate(join(it.dir, 'skill_run/t', slug), 'ok');
        expect(gate.isAsking).toBe(true);
        gate.answer(yes);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        });
      },
    });
    expect(ended).toMatchObject({ status: 'done', result: { choice: 'approve', by: me } });
    expect(aborted).toBe(true);
  });

  it('a question that is left open waits, and one that a timeout ends fails the step', async () => {
    const { Fault } = await import('../../src/core/faults.js');
    const left = async () => {
      throw new Fault('run.unanswered', 'left open');
    };
    expect(await project(GATE()).run({ ask: left })).toMatchObject({ status: 'waiting', exit: 7 });
    const files = GATE();
    const limited = files['pipeline.yaml'].replace('title: Is it good?', 'timeout: 20ms');
    const silent = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const late = await project({ ...files, 'pipeline.yaml': limited }).run({ ask: silent });
    expect(late).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
  });
});

it('takes any choice and a question of any size as they are', async () => {
  const choice = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((text) => text.trim() !== '' && !/\p{Cc}/u.test(text) && !text.includes('${{'));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(choice, { minLength: 1, maxLength: 4 }), fc.string(), async (choices, comment) => {
      const last = choices.at(-1) ?? '';
      const ask = `${'long '.repeat(20_000)}\u001b[31m`;
      const it = project({
        'pipeline.yaml': JSON.stringify({
          version: 1,
          name: 't',
          steps: [{ id: 'ok', gate: { ask, choices, reject: [] } }],
          result: '${{ steps.ok.output }}',
        }),
      });
      const { dir } = await it.run();
      const gate = findOpenGate(dir, 'ok');
      expect(gate.question).toMatchObject({ ask, choices });
      gate.answer({ choice: last, comment });
      expect(await it.run({ resume: true })).toMatchObject({ status: 'done', result: { choice: last, comment } });
    }),
    { numRuns: 12 },
  );
});
