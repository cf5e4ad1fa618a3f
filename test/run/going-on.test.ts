import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import type { ModelRequest } from '../../src/core/model.js';
import { findOpenGate } from '../../src/engine/open-gates.js';
import { project, type TestProject } from '../support/project.js';

const plan = (steps: string) => `version: 1\nname: t\nsteps:\n${steps}`;
const logs = (word: string, then = '') =>
  `shell: { run: 'echo ${word} >> "$PIPELINE_PROJECT_DIR/log"${then}', files: [] }`;
const UNLESS_STOPPED = '; test ! -f "$PIPELINE_PROJECT_DIR/stop"';
const SKILL = '---\nname: inner\ndescription: d\n---\nx';
const READER = `version: 1
name: inner
inputs: { doc: { type: string, format: path } }
steps:
  - id: a
    agent: { prompt: 'read \${{ inputs.doc }}', tools: [read_file] }
    output: { type: object, properties: { t: { type: string } }, required: [t] }
result: \${{ steps.a.output.t }}
`;

/** Runs until a step of this id has printed its first word, then is cut off. */
async function cutOff(it: TestProject, id: string) {
  const controller = new AbortController();
  const write = (event: { type: string; path?: string }) => {
    if (event.type !== 'step_started' || event.path !== id) return;
    const wait = setInterval(() => {
      if (it.read('log') === '') return;
      clearInterval(wait);
      controller.abort(new Fault('run.cancelled', 'stop'));
    }, 10);
  };
  return it.run({ signal: controller.signal, sinks: [{ write }] });
}

/** A model that reads the file that its prompt names, then answers; `seen` gets what the tool said. */
const readerModel = (seen: string[] = []) => ({
  model: 'fake',
  providers: {
    fake: {
      name: 'fake',
      async complete({ messages }: ModelRequest) {
        const last = messages.at(-1);
        if (last?.role === 'tool') {
          seen.push(last.text);
          return { text: '', calls: [{ id: 'c2', name: 'resolve', arguments: '{"t":"x"}' }], finish: 'calls' as const };
        }
        const path = /read (\S+)/.exec(messages[0]?.role === 'user' ? messages[0].text : '')?.[1];
        const call = { id: 'c1', name: 'read_file', arguments: JSON.stringify({ path }) };
        return { text: '', calls: [call], finish: 'calls' as const };
      },
    },
  },
});

describe('a step that a person asked to be done again', () => {
  it('is done again by a later resume, if the run was stopped before it', async () => {
    const it = project({
      log: '',
      'pipeline.yaml': plan(
        `  - id: b\n    cache: false\n    ${logs('b', UNLESS_STOPPED)}\n  - id: c\n    needs: [b]\n    ${logs('c')}\n`,
      ),
    });
    const first = await it.run();
    it.write('stop', 'x');
    it.write('log', '');
    const fork = await it.run({ fork: { dir: first.dir }, from: 'c' });
    expect(fork.status).toBe('failed');
    rmSync(join(it.dir, 'stop'));
    expect((await it.run({ resume: { dir: fork.dir } })).status).toBe('done');
    expect(it.read('log')).toBe('b\nb\nc\n');
    await it.run({ resume: { dir: fork.dir } });
    expect(it.read('log')).toBe('b\nb\nc\nb\n');
  });

  it('is done once, also inside a group that is tried again', async () => {
    const once = `if [ -f "$PIPELINE_PROJECT_DIR/stop" ]; then rm "$PIPELINE_PROJECT_DIR/stop"; exit 1; fi`;
    const it = project({
      log: '',
      'pipeline.yaml': plan(
        `  - id: g\n    retry: { attempts: 2 }\n    steps:\n      - id: a\n        effect: once\n        ${logs('a')}\n      - id: b\n        ${logs('b', `; ${once}`)}\n`,
      ),
    });
    const first = await it.run();
    it.write('stop', 'x');
    it.write('log', '');
    expect((await it.run({ resume: { dir: first.dir }, from: 'g' })).status).toBe('done');
    expect(it.read('log')).toBe('a\nb\nb\n');
  });

  it('does not take an answer that a crash left behind', async () => {
    const it = project({ 'pipeline.yaml': plan(`  - id: ok\n    gate: { ask: 'Fine?' }\n`) });
    const first = await it.run();
    findOpenGate(first.dir, 'ok').answer({ choice: 'approve', comment: '' });
    await it.run({ resume: true });
    const answer = join(first.dir, '.steps/ok/answer.json');
    const journal = join(first.dir, 'events.ndjson');
    const before = readFileSync(journal, 'utf8').split('\n').length;
    expect((await it.run({ resume: true, from: 'ok' })).status).toBe('waiting');
    // The folder was emptied before the journal spoke of a new attempt.
    expect(existsSync(answer)).toBe(false);
    const lines = readFileSync(journal, 'utf8').split('\n');
    const cut = lines.findIndex((line, at) => at >= before && line.includes('"step_started"'));
    writeFileSync(journal, `${lines.slice(0, cut).join('\n')}\n`);
    expect((await it.run({ resume: true })).status).toBe('waiting');
  });

  it('is named by its id where that says which, else by the ids around it', async () => {
    const it = project({
      log: '',
      'skills/inner/SKILL.md': SKILL,
      'skills/inner/pipeline.yaml': `version: 1\nname: inner\nsteps:\n  - id: write\n    ${logs('inner')}\n  - id: only\n    ${logs('only')}\n`,
      'pipeline.yaml': plan(`  - id: draft\n    pipeline: { skill: inner }\n  - id: write\n    ${logs('outer')}\n`),
    });
    const { dir } = await it.run();
    const again = async (from: string) => {
      it.write('log', '');
      await it.run({ resume: { dir }, from });
      return it.read('log');
    };
    expect(await again('draft/write')).toBe('inner\n');
    expect(await again('write')).toBe('outer\n');
    expect(await again('only')).toBe('only\n');
  });

  it('must belong to an earlier run', async () => {
    const it = project({ 'pipeline.yaml': plan('  - id: a\n    set: { x: 1 }\n') });
    await expect(it.run({ from: 'a' })).rejects.toThrow('--from a is about an earlier run');
    const { dir } = await it.run();
    await expect(it.run({ fork: { dir }, resume: { dir } })).rejects.toThrow('exclude each other');
  });
});

describe('an attempt of which nobody knows how it ended', () => {
  const ONCE = plan(`  - id: x
    cache: false
    shell: { command: [cat, '\${{ project.dir }}/v.json'] }
    output: { type: object }
  - id: send
    effect: once
    shell:
      command: [sh, -c, 'echo sent $0 >> "$PIPELINE_PROJECT_DIR/log"; test -f "$PIPELINE_PROJECT_DIR/go" || sleep 9', '\${{ steps.x.output.a }}']
`);

  it('is still unknown after the step failed before another attempt', async () => {
    const it = project({ log: '', 'v.json': { a: 'x' }, 'pipeline.yaml': ONCE });
    const { dir } = await cutOff(it, 'send');
    it.write('go', 'x');
    expect((await it.run({ resume: { dir } })).status).toBe('waiting');
    it.write('v.json', {});
    expect((await it.run({ resume: { dir } })).status).toBe('failed');
    it.write('v.json', { a: 'x' });
    expect((await it.run({ resume: { dir } })).status).toBe('waiting');
    expect(it.read('log')).toBe('sent x\n');
  });

  it('is settled by a word that was given when the step had another key', async () => {
    const it = project({ log: '', 'v.json': { a: 'x' }, 'pipeline.yaml': ONCE });
    const { dir } = await cutOff(it, 'send');
    it.write('go', 'x');
    it.write('v.json', { a: 'y' });
    expect((await it.run({ resume: { dir }, retryUnknown: true })).status).toBe('done');
    it.write('v.json', { a: 'z' });
    expect((await it.run({ resume: { dir } })).status).toBe('done');
  });

  it('is as unknown to a fork', async () => {
    const it = project({ log: '', 'v.json': { a: 'x' }, 'pipeline.yaml': ONCE });
    const { dir } = await cutOff(it, 'send');
    it.write('go', 'x');
    expect((await it.run({ fork: { dir } })).status).toBe('waiting');
    expect(it.read('log')).toBe('sent x\n');
  });

  it('of several takes an output only for the one that is named', async () => {
    const waits = (id: string) =>
      `  - id: ${id}\n    needs: []\n    effect: once\n    ${logs(id, '; test -f "$PIPELINE_PROJECT_DIR/go" || sleep 9')}\n`;
    const it = project({ log: '', 'pipeline.yaml': plan(waits('one') + waits('two')) });
    const controller = new AbortController();
    const watch = setInterval(() => {
      if (it.read('log').split('\n').length === 3) controller.abort(new Fault('run.cancelled', 'stop'));
    }, 20);
    const { dir } = await it.run({ signal: controller.signal });
    clearInterval(watch);
    const unclear = await it.run({ resume: { dir }, assumeDone: { text: 'for two' } });
    expect(unclear.status).toBe('waiting');
    expect(unclear.paths('step_done')).toEqual([]);
    const named = await it.run({ resume: { dir }, assumeDone: { step: 'two', text: 'for two' } });
    expect(named.events.filter(({ type }) => type === 'step_done')).toMatchObject([{ path: 'two', output: 'for two' }]);
    expect(named.paths('step_waiting')).toEqual(['one']);
  });

  it('is taken as done only with the files that it must have left, and these are published', async () => {
    const it = project({
      log: '',
      'pipeline.yaml': plan(`  - id: one
    effect: once
    artifacts: [x.txt]
    shell: { run: 'test -f "$PIPELINE_PROJECT_DIR/none" || echo a > x.txt; echo begun >> "$PIPELINE_PROJECT_DIR/log"; sleep 9' }
`),
    });
    const { dir } = await cutOff(it, 'one');
    const done = await it.run({ resume: { dir }, assumeDone: {} });
    expect([done.status, done.files()]).toEqual(['done', ['x.txt']]);
    it.write('none', '');
    it.write('log', '');
    const bare = await cutOff(it, 'one');
    const asked = await it.run({ resume: { dir: bare.dir }, assumeDone: {} });
    expect(asked.status).toBe('waiting');
    expect(asked.message).toContain('x.txt');
  });
});

describe('a child pipeline', () => {
  it('has keys that hold no folder, also where its query names one', async () => {
    const it = project({
      log: '',
      'skills/inner/SKILL.md': SKILL,
      'skills/inner/pipeline.yaml': `version: 1\nname: inner\nsteps:\n  - id: a\n    ${logs('a')}\n  - id: b\n    set: { q: '\${{ query }}' }\n`,
      'pipeline.yaml': plan(`  - id: draft\n    pipeline: { skill: inner, query: 'write into \${{ run.dir }}' }\n`),
    });
    const { dir } = await it.run();
    expect((await it.run({ fork: { dir } })).paths('step_reused')).toEqual(['draft/a', 'draft/b']);
    expect(it.read('log')).toBe('a\n');
  });

  it('is given nothing of the run itself as a file, whatever a step says', async () => {
    const seen: string[] = [];
    const it = project({
      'skills/inner/SKILL.md': SKILL,
      'skills/inner/pipeline.yaml': READER,
      'pipeline.yaml': plan(
        `  - id: first\n    set: { path: '.steps/.inputs.json' }\n  - id: draft\n    pipeline: { skill: inner, inputs: { doc: '\${{ steps.first.output.path }}' } }\n`,
      ),
    });
    const ran = await it.run(readerModel(seen));
    expect(ran.message).toContain('may not be read by this pipeline');
    expect(seen).toEqual([]);
  });

  it('is reused by a fork of a fork, also when the first run is gone', async () => {
    const it = project({
      'skills/inner/SKILL.md': SKILL,
      'skills/inner/pipeline.yaml': READER,
      'pipeline.yaml': plan(
        `  - id: make\n    shell: { run: 'echo hello > doc.txt' }\n  - id: draft\n    needs: [make]\n    pipeline: { skill: inner, inputs: { doc: doc.txt } }\n`,
      ),
    });
    const first = await it.run(readerModel());
    const second = await it.run({ ...readerModel(), fork: { dir: first.dir } });
    rmSync(first.dir, { recursive: true });
    const third = await it.run({ ...readerModel(), fork: { dir: second.dir } });
    expect(third.paths('step_reused')).toEqual(['make', 'draft/a']);
  });
});

it('copies what a step left to read into a fork, whatever its id is', async () => {
  const it = project({
    'pipeline.yaml': plan(`  - id: work
    agent: { prompt: hello }
    output: { type: object, properties: { t: { type: string } }, required: [t] }
`),
  });
  const { dir } = await it.run();
  const fork = await it.run({ fork: { dir } });
  expect(existsSync(join(fork.dir, '.steps/work/transcript.ndjson'))).toBe(true);
});

describe('a run whose model is another one now', () => {
  const ANSWERS = plan(
    '  - id: a\n    agent: { prompt: Hello }\n    output: { type: object, properties: { answer: { type: string } }, required: [answer] }\n',
  );
  const TURNS = [{ calls: [{ name: 'resolve', arguments: { answer: 'real' } }] }];
  const OPENAI = {
    PATH: process.env.PATH,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_MODEL: 'm',
  };

  it('names the last real model that it used when only sketch is left', async () => {
    const it = project({ 'pipeline.yaml': ANSWERS, 'turns.json': TURNS });
    const { dir } = await it.run();
    await it.run({ resume: { dir }, model: 'script:turns.json' });
    const again = it.run({ resume: { dir }, model: undefined as never });
    await expect(again).rejects.toMatchObject({
      message: expect.stringMatching(/^the run used script:turns\.json, but now only sketch/),
      data: { hint: expect.stringContaining('--model script:turns.json;') },
    });
  });

  it('says so before a real model does again what sketch did', async () => {
    const it = project({ 'pipeline.yaml': ANSWERS });
    const { dir } = await it.run();
    const stop = new AbortController();
    stop.abort(new Fault('run.cancelled', 'stop'));
    const again = { resume: { dir }, env: OPENAI, signal: stop.signal };
    const said = async (request: object) =>
      (await it.run({ ...again, ...request })).events.flatMap((one) => (one.type === 'notice' ? [one.text] : []));
    expect(await said({ model: 'sketch' })).toEqual([]);
    expect(await said({ model: undefined })).toEqual([
      expect.stringMatching(
        /^the run used sketch so far, and now openai\/\S+ does again what sketch did .*--model sketch/,
      ),
    ]);
  });
});
