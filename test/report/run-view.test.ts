import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/core/secrets.js';
import { findOpenGate } from '../../src/engine/open-gates.js';
import { runView } from '../../src/report/run-view.js';
import type { RunView, StepView } from '../../src/report/view.js';
import { project } from '../support/project.js';
import { gardenRun, longRun } from './runs.js';

function stepAt({ steps }: RunView, path: string): StepView {
  const all = (list: readonly StepView[]): StepView[] => list.flatMap((step) => [step, ...all(step.steps)]);
  const found = all(steps).find((step) => step.path === path);
  if (!found) throw new Error(`no step ${path}`);
  return found;
}

describe('of a run that waits', () => {
  it('says what the run is, what it came to, and what its steps came to, as a tree', async () => {
    const { dir } = await gardenRun();
    const view = runView(dir);
    expect(view).toMatchObject({
      name: 'garden/birds-of-a-garden',
      status: 'waiting',
      query: 'birds of a garden',
      census: { asked: 9, failed: 1, skipped: 1, open: 1 },
      usage: { inputTokens: 280, outputTokens: 50, cachedTokens: 40 },
      models: [{ label: 'script:turns.yaml' }],
      gates: [{ path: 'publish', question: 'Publish the guide?', choices: ['publish', 'not yet'] }],
      isCut: false,
    });
    expect(view.commands.resume).toContain('pipeline resume garden/birds-of-a-garden --model script:turns.yaml');
    expect(view.steps.map(({ path, status, kind }) => [path, kind, status])).toEqual([
      ['outline', 'agent', 'done'],
      ['entries', 'agent', 'done'],
      ['never', 'set', 'skipped'],
      ['rounds', 'steps', 'done'],
      ['page', 'shell', 'done'],
      ['publish', 'gate', 'waiting'],
      ['last', 'set', 'open'],
    ]);
    expect(stepAt(view, 'entries')).toMatchObject({ counts: { done: 2, failed: 1 }, rounds: 0 });
    expect(stepAt(view, 'entries').steps.map(({ name, kind, status, note }) => [name, kind, status, note])).toEqual([
      ['0', 'item', 'done', 'robin'],
      ['1', 'item', 'done', 'wren'],
      ['2', 'item', 'failed', expect.stringContaining('no answer was accepted')],
    ]);
    expect(stepAt(view, 'rounds/0')).toMatchObject({ kind: 'round', status: 'done' });
    expect(stepAt(view, 'rounds/1/check')).toMatchObject({ kind: 'set', status: 'done', detail: { output: { n: 1 } } });
    expect(view.graph?.nodes.find(({ path }) => path === 'entries')).toMatchObject({ counts: { done: 2, failed: 1 } });
  });

  it('shows of an agent why it ran, its prompt, its rounds with reasoning, calls and results, its answer and its files', async () => {
    const { dir } = await gardenRun();
    const { detail, usage } = stepAt(runView(dir), 'outline');
    expect(usage).toMatchObject({ calls: 2, inputTokens: 280 });
    expect(detail.why?.headline).toMatch(/^ran for the first time, done in /);
    expect(detail.prompt).toMatchObject({ file: '.steps/outline/prompt.md', isWhole: true });
    expect(detail.prompt?.text).toContain('Asked: birds of a garden');
    expect(detail.output).toEqual({ birds: ['robin', 'wren', 'heron'] });
    expect(detail.files).toEqual(['outline.json']);
    expect(detail.attempts).toMatchObject([
      {
        number: 1,
        status: 'done',
        moreRounds: 0,
        rounds: [
          {
            number: 1,
            model: 'script:turns.yaml',
            text: 'I look at the notes first.',
            reasoning: 'The notes may name birds.',
            usage: { inputTokens: 120 },
            calls: [
              {
                name: 'read_file',
                arguments: '{"path":"notes.md"}',
                result: { text: expect.stringContaining('Robins'), isError: false },
              },
            ],
          },
          { number: 2, calls: [{ name: 'resolve', arguments: '{"birds":["robin","wren","heron"]}' }] },
        ],
      },
    ]);
  });

  it('shows of a step that failed its fault with what to do, and how its agent goes on', async () => {
    const { dir } = await gardenRun();
    const { detail } = stepAt(runView(dir), 'entries/2');
    expect(detail.fault?.code).toBe('agent.schema');
    expect(detail.ways?.goOn).toMatch(/--step entries --rounds \+10$/);
    expect(detail.attempts[0]?.rounds).toMatchObject([
      { text: 'It is large.', calls: [{ name: 'resolve', result: { isError: true } }] },
      { calls: [{ name: 'resolve', result: { isError: true } }] },
    ]);
  });

  it('shows of a process what it printed, and the files that it published by what they hold', async () => {
    const { dir } = await gardenRun();
    const view = runView(dir);
    expect(stepAt(view, 'page').detail.logs).toMatchObject([{ text: 'made\n', file: '.steps/page/stderr.log' }]);
    expect(view.files.map(({ path, step, preview }) => [path, step, preview.type])).toEqual([
      ['guide.md', 'page', 'markdown'],
      ['img/pixel.png', 'page', 'image'],
      ['outline.json', 'outline', 'json'],
    ]);
  });

  it('tells what was reused once it goes on, over both sessions', async () => {
    const { dir, resume } = await gardenRun();
    findOpenGate(dir, 'publish').answer({ choice: 'publish', comment: 'fine' });
    await resume();
    const view = runView(dir);
    expect(view).toMatchObject({ status: 'partial', gates: [], result: { birds: ['robin', 'wren', 'heron'] } });
    expect(view.facts.sessions).toHaveLength(2);
    expect(view.timeline.sessions).toHaveLength(2);
    expect(stepAt(view, 'outline')).toMatchObject({
      status: 'reused',
      detail: { attempts: [{ status: 'done', rounds: [{}, {}] }] },
    });
    expect(stepAt(view, 'outline').detail.why?.headline).toMatch(/^reused: the result of /);
    expect(view.timeline.spans.outline?.map(({ type }) => type)).toEqual(['done', 'reused']);
    expect(view.timeline.spans.publish?.map(({ type }) => type)).toEqual(['asked', 'asked']);
    expect(stepAt(view, 'last').status).toBe('done');
  });
});

describe('of a run that nobody ended', () => {
  it('is interrupted, with what its journal tells so far', async () => {
    const { dir } = await gardenRun();
    const journal = join(dir, 'events.ndjson');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(
      journal,
      `${lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"step_done","path":"page"')),
        )
        .join('\n')}\n`,
    );
    const view = runView(dir);
    expect(view).toMatchObject({ status: 'interrupted', message: '' });
    expect(stepAt(view, 'page').status).toBe('interrupted');
    expect(view.timeline.spans.page?.map(({ type }) => type)).toEqual(['interrupted']);
    expect(view.commands.resume).toBeDefined();
  });

  it('is told without its plan, too: then nothing is drawn', async () => {
    const { dir } = await gardenRun();
    rmSync(join(dir, '.steps/.graph.json'));
    const view = runView(dir);
    expect(view.graph).toBeUndefined();
    expect(stepAt(view, 'outline').status).toBe('done');
  });
});

it('follows no link and shows no secret: what steps left is read as it stands in the run folder', async () => {
  const it = project({
    'outside.txt': 'outside of the run',
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: a
    shell: { run: 'echo "key is $(printf "sk-%s" live-0123456789)"; mkdir d; echo one > one.txt; echo two > d/two.txt' }
`,
  });
  const { dir } = await it.run();
  rmSync(join(dir, 'one.txt'));
  symlinkSync(join(it.dir, 'outside.txt'), join(dir, 'one.txt'));
  rmSync(join(dir, 'd'), { recursive: true });
  symlinkSync(it.dir, join(dir, 'd'));
  it.write('two.txt', 'outside as well');
  const redactor = createRedactor({ SOME_API_KEY: 'sk-live-0123456789' });
  const view = runView(dir, { redactor });
  expect(view.files.map(({ preview }) => preview.type)).toEqual(['none', 'none']);
  expect(stepAt(view, 'a').detail.logs.map(({ text }) => text)).toEqual(['key is «redacted:SOME_API_KEY»\n']);
  expect(JSON.stringify(runView(dir, { redactor }).files)).not.toContain('outside');
});

it('follows no link in the folder of a step', async () => {
  const it = project({
    'outside.txt': 'outside of the run',
    'pipeline.yaml': "version: 1\nname: t\nsteps:\n  - { id: a, shell: { run: 'echo said' } }\n",
  });
  const { dir } = await it.run();
  expect(stepAt(runView(dir), 'a').detail.logs).toMatchObject([{ text: 'said\n' }]);
  rmSync(join(dir, '.steps/a/stdout.log'));
  symlinkSync(join(it.dir, 'outside.txt'), join(dir, '.steps/a/stdout.log'));
  expect(stepAt(runView(dir), 'a').detail.logs).toEqual([]);
});

it('has all items of a long loop, by number, with what became of each', async () => {
  const view = runView((await longRun(120)).dir);
  const { steps, counts } = stepAt(view, 'look');
  expect(steps.map(({ name }) => Number(name))).toEqual(Array.from({ length: 120 }, (_, at) => at));
  expect(counts).toEqual({ done: 119, failed: 1 });
  expect(stepAt(view, 'look/100')).toMatchObject({ status: 'failed', note: expect.stringContaining('word-100') });
  expect(stepAt(view, 'look/119').note).toBe('word-119');
});

describe('of a run with another skill in it', () => {
  const files = {
    'skills/inner/SKILL.md': '---\nname: inner\ndescription: Writes a file.\n---\n',
    'skills/inner/pipeline.yaml':
      'version: 1\nname: inner\nsteps:\n  - id: write\n    shell: { run: \'echo "$PIPELINE_QUERY" > note.md\' }\nresult: done\n',
    'pipeline.yaml':
      "version: 1\nname: outer\nsteps:\n  - { id: first, set: { x: 1 } }\n  - id: child\n    pipeline: { skill: inner, query: 'two ${{ steps.first.output.x }}' }\n",
  };

  it('has its steps below the one that called it, with the files that they published', async () => {
    const { dir } = await project(files).run();
    const view = runView(dir);
    expect(stepAt(view, 'child')).toMatchObject({ kind: 'pipeline', status: 'done', counts: { done: 1 } });
    expect(stepAt(view, 'child/write')).toMatchObject({ kind: 'shell', status: 'done' });
    expect(view.files).toMatchObject([
      { path: 'child/note.md', step: 'child/write', preview: { type: 'markdown', text: 'two 1\n' } },
    ]);
  });

  it('tells of a fork what it took from the run that it came from, and of which it is one', async () => {
    const it = project(files);
    const source = await it.run();
    const { dir } = await it.run({ fork: { dir: source.dir }, from: 'child/write' });
    const view = runView(dir);
    expect(view.facts.fork).toMatchObject({ from: 'child/write' });
    expect(stepAt(view, 'first')).toMatchObject({ status: 'reused' });
    expect(stepAt(view, 'first').detail.why?.headline).toContain('the run it was forked from');
    expect(stepAt(view, 'child/write')).toMatchObject({
      status: 'done',
      detail: { why: { lines: ['asked for (--from)'] } },
    });
    expect(view.timeline.sessions).toHaveLength(1);
  });
});
