import { expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { project } from '../support/project.js';
import { explanations, why } from './told.js';

const HIT = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const LIST = {
  type: 'object',
  properties: { hits: { type: 'array', items: HIT, minItems: 1, maxItems: 20 } },
  required: ['hits'],
};

const PLAN = `version: 1
name: t
inputs: { n: { type: integer, default: 1 } }
steps:
  - id: search
    shell: { run: cat "$PIPELINE_SKILL_DIR/hits.json", files: [] }
    output: ${JSON.stringify(LIST)}
  - id: picked
    set: { first: '\${{ steps.search.output.hits[0].title }}' }
  - id: write
    agent:
      instructions: prompts/write.md
      prompt: |
        Write about \${{ query }}.

        Hits:
        \${{ lines(steps.search.output.hits.map(h, h.title)) }}
        End.
    output: schemas/text.json
  - id: note
    when: steps.picked.output.first == "none"
    set: { said: '\${{ steps.picked.output.first }}' }
  - id: each
    foreach: steps.search.output.hits
    max_items: 20
    set: { title: '\${{ item.title }}', by: '\${{ steps.picked.output.first }}' }
`;
const SCHEMA = { type: 'object', properties: { title: { type: 'string', maxLength: 80 } }, required: ['title'] };
const hits = (...titles: string[]) => ({ hits: titles.map((title) => ({ title })) });
const made = () =>
  project({
    'pipeline.yaml': PLAN,
    'hits.json': hits('one', 'two', 'three'),
    'prompts/write.md': 'You write.\n\nBe short.\n',
    'schemas/text.json': SCHEMA,
  });

it('says of a first run that each step ran for the first time', async () => {
  const run = await made().run();
  expect(why(run, 'write')).toBe('write  ran for the first time, done in MS');
});

it('names the lines of an edited file, and the place in a schema', async () => {
  const it = made();
  await it.run();
  it.write('prompts/write.md', 'You write.\n\nBe long.\n');
  it.write('schemas/text.json', { ...SCHEMA, properties: { title: { type: 'string', maxLength: 120 } } });
  const again = await it.run({ resume: true });
  expect(why(again, 'write')).toMatchInlineSnapshot(`
    "write  ran again, done in MS
      instructions changed at line 3
        3 - Be short.
        3 + Be long.
      output schema changed: /properties/title/maxLength 80 → 120
      since the attempt of TIME"
  `);
});

it('names what a step before gave otherwise, item by item, and the lines of the prompt that hold it', async () => {
  const it = made();
  await it.run();
  it.write('hits.json', hits('one', 'new', 'three', 'four'));
  const again = await it.run({ resume: true, from: 'search' });
  expect(why(again, 'search')).toMatchInlineSnapshot(`
    "search  ran again, done in MS
      asked for (--from)"
  `);
  expect(why(again, 'write')).toMatchInlineSnapshot(`
    "write  ran again, done in MS
      search gave another value: 1 of 4 hits changed, 1 new
        steps.search.output.hits[1].title "two" → "new"
        steps.search.output.hits[3] new: {"title":"four"}
      prompt changed at line 5
        5 - two
        5 + new
        7 + four
      since the attempt of TIME"
  `);
});

it('says of a reused step which of those it reads ran again and gave the same, or nothing that matters to it', async () => {
  const it = made();
  await it.run();
  const same = await it.run({ resume: true, from: 'search' });
  expect(why(same, 'picked')).toMatchInlineSnapshot(`
    "picked  reused: the result of TIME
      search ran again and gave the same value: so this is reused
      what it depends on is unchanged: first"
  `);
  it.write('hits.json', hits('one', 'other'));
  const other = await it.run({ resume: true, from: 'search' });
  expect(why(other, 'picked')).toMatchInlineSnapshot(`
    "picked  reused: the result of TIME
      search ran again and gave another value, but nothing of it that goes into this step changed
      what it depends on is unchanged: first"
  `);
});

it('says alike items once, and what became of the item that was here', async () => {
  const it = made();
  await it.run();
  it.write('hits.json', hits('one', 'new', 'two', 'three'));
  const again = await it.run({ resume: true, from: 'search' });
  expect(why(again, 'each')).toMatchInlineSnapshot(`
    "each  4 items: 3 reused, 1 ran again

    each/1  ran again, done in MS
      a new item: the one that was here is now each/2

    each/0  reused: the result of TIME
      search ran again and gave another value, but nothing of it that goes into this step changed
      it reads picked: reused as well
      what it depends on is unchanged: title, by
    the same holds for each/2, each/3"
  `);
});

it('says what a condition read', async () => {
  const run = await made().run();
  expect(why(run, 'note')).toMatchInlineSnapshot(`
    "note  skipped: when steps.picked.output.first == "none" is false
      steps.picked.output.first was "one""
  `);
});

const steps = (text: string) => ({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n${text}` });

it('says of a failed step its fault, of one that it blocked the cause, of the next attempt that the last failed', async () => {
  const it = project({
    ...steps(`  - id: a
    shell: { run: 'cat "$PIPELINE_SKILL_DIR/there"', files: [] }
  - id: b
    shell: { run: 'true' }
`),
  });
  const first = await it.run();
  expect(why(first, 'a')).toMatchInlineSnapshot(`
    "a  ran for the first time, failed
      shell.exit: the command exited with 1: cat: PROJECT/there: No such file or directory
      try  Its output is in PROJECT/skill_run/t/a-query/.steps/a/stderr.log"
  `);
  expect(why(first, 'b')).toMatchInlineSnapshot(`
    "b  skipped: blocked by a
      a failed
      shell.exit: the command exited with 1: cat: PROJECT/there: No such file or directory
      try  Its output is in PROJECT/skill_run/t/a-query/.steps/a/stderr.log"
  `);
  it.write('there', 'x');
  const again = await it.run({ resume: true });
  expect(why(again, 'a')).toMatchInlineSnapshot(`
    "a  ran again, done in MS
      the last attempt failed (shell.exit)"
  `);
  expect(why(again, 'b')).toMatchInlineSnapshot(`"b  ran for the first time, done in MS"`);
});

it('names the files: those of earlier steps, scripts, what the tools of an agent had read', async () => {
  const it = project({
    ...steps(`  - id: a
    shell: { run: 'cp "$PIPELINE_SKILL_DIR/in.txt" out.txt; echo same' }
    cache: false
  - id: b
    shell: { run: 'wc -c < "$PIPELINE_RUN_DIR/out.txt"' }
  - id: c
    needs: []
    agent: { prompt: Read., tools: [read_file], files: [] }
    output: { type: object, properties: { x: { type: string } }, required: [x] }
`),
    'in.txt': 'one',
    'notes.md': 'one',
    'turns.json': [
      { calls: [{ name: 'read_file', arguments: { path: 'notes.md' } }] },
      { calls: [{ name: 'resolve', arguments: { x: 'one' } }] },
    ],
  });
  await it.run({ model: 'script:turns.json' });
  it.write('in.txt', 'two');
  it.write('notes.md', 'two');
  const again = await it.run({ model: 'script:turns.json', resume: true });
  expect(why(again, 'a')).toMatchInlineSnapshot(`
    "a  ran again, done in MS
      it is never reused (cache: false)"
  `);
  expect(why(again, 'b')).toMatchInlineSnapshot(`
    "b  ran again, done in MS
      files of earlier steps changed: out.txt
      since the attempt of TIME"
  `);
  expect(why(again, 'c')).toMatchInlineSnapshot(`
    "c  ran again, done in MS
      a file that it had read changed: notes.md of the skill
      since the attempt of TIME"
  `);
  it.write('scripts/x.sh', 'true');
  expect(why(await it.run({ model: 'script:turns.json', resume: true }), 'b')).toMatchInlineSnapshot(`
    "b  ran again, done in MS
      scripts changed
      since the attempt of TIME"
  `);
});

it('names model and parameter, and what a forked run took over', async () => {
  const it = project({
    ...steps(`  - id: a
    agent: { prompt: Say it., temperature: 0.2 }
    output: { type: object, properties: { x: { type: string } }, required: [x] }
  - id: b
    shell: { run: 'true' }
`),
    'turns.json': [{ calls: [{ name: 'resolve', arguments: { x: 'one' } }] }],
  });
  const first = await it.run();
  const fork = await it.run({
    fork: { dir: first.dir },
    model: 'script:turns.json',
    overrides: { 'steps.a.agent.temperature': '0.7' },
  });
  expect(why(fork, 'a')).toMatchInlineSnapshot(`
    "a  ran again, done in MS
      temperature 0.2 → 0.7
      model sketch → script:turns.json
      since the attempt of TIME"
  `);
  const same = await it.run({ fork: { dir: first.dir } });
  expect(why(same, 'a')).toMatchInlineSnapshot(`
    "a  reused: the result of the run it was forked from, TIME
      what it depends on is unchanged: prompt, temperature, output schema, model"
  `);
  expect(explanations(same, 'a')).toMatchObject([{ type: 'reused', from: { path: 'a', isOrigin: true } }]);
});

it('counts what a group holds, and finds a step in it by its id, by ids, by its path', async () => {
  const it = project({
    ...steps(`  - id: rounds
    repeat: { until: 'iteration > 0', max: 2 }
    steps:
      - id: draft
        set: { n: '\${{ iteration }}' }
      - id: odd
        when: iteration > 5
        set: { n: 1 }
`),
  });
  const run = await it.run();
  expect(why(run, 'rounds')).toMatchInlineSnapshot(`"rounds  done, 4 steps in it: 2 ran, 2 skipped"`);
  for (const name of ['draft', 'rounds/draft'])
    expect(explanations(run, name).map(({ path }) => path)).toEqual(['rounds/0/draft', 'rounds/1/draft']);
  expect(explanations(run, 'rounds/1/draft').map(({ path }) => path)).toEqual(['rounds/1/draft']);
  expect(explanations(run, 'nothing')).toEqual([]);
  expect(why(run, 'odd')).toMatchInlineSnapshot(`
    "odd  2 places, all skipped

    rounds/0/odd  skipped: when iteration > 5 is false
    the same holds for rounds/1/odd"
  `);
});

it('tells a step that came to its end without an attempt from a group, and says that a person vouched for it', async () => {
  const it = project(
    steps(`  - id: a
    set: { n: '\${{ int("x" + query) }}' }
`),
  );
  const first = await it.run();
  expect(why(first, 'a').split('\n')).toEqual([
    'a  failed before an attempt began',
    expect.stringContaining('step.expression: int() failed: "xa query" is not a number'),
  ]);
  expect(explanations(first, 'a')).toMatchObject([{ type: 'unbegun', fault: { code: 'step.expression' } }]);

  const once = project(
    steps(`  - id: send
    effect: once
    shell: { run: 'echo begun > "$PIPELINE_PROJECT_DIR/log"; sleep 9', files: [] }
`),
  );
  const stop = new AbortController();
  const { dir } = await once.run({
    signal: stop.signal,
    sinks: [{ write: ({ type }) => type === 'step_started' && stop.abort(new Fault('run.cancelled', 'stop')) }],
  });
  const waiting = await once.run({ resume: { dir } });
  expect(waiting.status).toBe('waiting');
  expect(why(waiting, 'send')).toMatchInlineSnapshot(`
    "send  waiting for the word of a person
      An attempt of "send" was interrupted, and its effect must not happen twice. Look whether it happened: on resume, --retry-unknown repeats it, --assume-done send takes it as done."
  `);
  const assumed = await once.run({ resume: { dir }, assumeDone: { step: 'send' } });
  expect(assumed.status).toBe('done');
  expect(why(assumed, 'send')).toMatchInlineSnapshot(`
    "send  done without another attempt
      taken as done on the word of a person"
  `);
  expect(explanations(assumed, 'send')).toMatchObject([{ type: 'unbegun', outcome: 'done' }]);
  expect(why(await once.run({ resume: { dir } }), 'send')).toMatchInlineSnapshot(`
    "send  reused: the result of TIME
      what it depends on is unchanged: run, files, query, inputs, scripts"
  `);
});

it('still counts the steps of a group, and of a loop without items', async () => {
  const it = project(
    steps(`  - id: g
    steps:
      - id: a
        set: { n: 1 }
  - id: each
    foreach: '[].filter(x, true)'
    max_items: 2
    set: { n: 1 }
`),
  );
  const ran = await it.run();
  expect(why(ran, 'g')).toBe('g  done, 1 step in it: 1 ran');
  expect(why(ran, 'each')).toBe('each  done, 0 steps in it');
});
