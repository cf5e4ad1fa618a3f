import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../support/project.js';

const plan = (text: string) => ({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n${text}` });

/** Step `a` publishes f.txt with this content; `reader` is what reads it. */
const WRITER = (content: string) => `  - id: a
    shell: { run: 'echo ${content} > f.txt' }
`;
const READ = `cat "$PIPELINE_RUN_DIR/f.txt"`;

const READERS: Record<string, string> = {
  'the step after it': `  - id: r\n    shell: { run: '${READ}' }\n`,
  'a step two further on': `  - id: b\n    set: { x: 1 }\n  - id: r\n    shell: { run: '${READ}' }\n`,
  'a step of a group': `  - id: g\n    steps:\n      - id: s\n        set: { x: 1 }\n      - id: r\n        shell: { run: '${READ}' }\n    result: '\${{ steps.r.output }}'\n`,
  'an item of a loop': `  - id: r\n    foreach: [1, 2]\n    shell: { run: '${READ}', env: { N: '\${{ item }}' } }\n`,
  'a round of a repeat': `  - id: r\n    repeat: { until: 'output != ""', max: 2 }\n    shell: { run: '${READ}' }\n`,
};

it.each(Object.entries(READERS))('runs %s again when a file that it may read has changed', async (_, reader) => {
  const it = project(plan(WRITER('one') + reader));
  await it.run();
  expect((await it.run({ resume: true })).census.reused).toBeGreaterThan(1);
  it.write('pipeline.yaml', plan(WRITER('two') + reader)['pipeline.yaml']);
  const again = await it.run({ resume: true });
  expect(JSON.stringify(again.events.filter((event) => event.type === 'step_done'))).toContain('"two"');
  expect(again.status).toBe('done');
});

it('counts only the files a step declares, where it declares what it reads', async () => {
  const reader = `  - id: r\n    shell: { run: 'echo same', files: [other.txt] }\n`;
  const it = project(plan(WRITER('one') + reader));
  await it.run();
  it.write('pipeline.yaml', plan(WRITER('two') + reader)['pipeline.yaml']);
  expect((await it.run({ resume: true })).paths('step_reused')).toEqual(['r']);
});

it('counts the scripts of a skill that a command names, and not what interpreters leave beside them', async () => {
  const it = project({
    ...plan(
      `  - id: a\n    shell: { command: [bash, '\${{ skills.helper.dir }}/scripts/x.sh'] }\nresult: '\${{ steps.a.output }}'\n`,
    ),
    'skills/helper/SKILL.md': '---\nname: helper\ndescription: d\n---\nbody',
    'skills/helper/scripts/x.sh': 'echo one',
  });
  await it.run();
  mkdirSync(join(it.dir, 'skills/helper/scripts/__pycache__'));
  writeFileSync(join(it.dir, 'skills/helper/scripts/__pycache__/x.pyc'), 'new');
  expect((await it.run({ resume: true })).census.reused).toBe(1);
  it.write('skills/helper/scripts/x.sh', 'echo two');
  expect((await it.run({ resume: true })).result).toBe('two');
});

it('does not count how many rounds an agent may have', async () => {
  const agent = (rounds: number) =>
    plan(`  - id: a
    agent: { prompt: Hello, max_rounds: ${rounds} }
    output: { type: object, properties: { x: { type: string } }, required: [x] }
`);
  const it = project(agent(5));
  await it.run();
  it.write('pipeline.yaml', agent(9)['pipeline.yaml']);
  expect((await it.run({ resume: true })).census.reused).toBe(1);
});

it('saves again where `save` says now, without running the step again', async () => {
  const text = (name: string) =>
    plan(`  - id: a\n    shell: { run: 'echo x >> "$PIPELINE_PROJECT_DIR/log"; echo hello' }\n    save: ${name}\n`);
  const it = project(text('old.txt'));
  await it.run();
  it.write('pipeline.yaml', text('new.txt')['pipeline.yaml']);
  const again = await it.run({ resume: true });
  expect(again.census.reused).toBe(1);
  expect(again.files()).toEqual(['new.txt']);
  expect(it.read('log')).toBe('x\n');
});

it('prefers the result of the same place when equal items change their order', async () => {
  const text = plan(`  - id: each
    foreach: [a, a]
    shell: { run: 'echo x >> "$PIPELINE_PROJECT_DIR/log"; wc -l < "$PIPELINE_PROJECT_DIR/log"' }
    max_parallel: 1
result: '\${{ steps.each.output }}'
`);
  const it = project(text);
  const first = await it.run();
  expect((await it.run({ resume: true })).result).toEqual(first.result);
});
