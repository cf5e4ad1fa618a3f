import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { type DryRun, dryRun } from '../../src/forecast/dry-run.js';
import type { DryStep } from '../../src/forecast/dry-step.js';
import { priceFrom } from '../../src/providers/prices.js';
import { planIn, planOf } from '../support/plans.js';
import { project } from '../support/project.js';

const ANSWER = '{ type: object, properties: { ok: { type: boolean } }, required: [ok], additionalProperties: false }';

async function dry(steps: string, inputs: JsonObject = {}, query = 'a query'): Promise<DryRun> {
  const plan = await planOf(`
version: 1
name: dry
description: Dry.
inputs:
  list: { type: array, maxItems: 1000, default: [], items: { type: string } }
  tone: { type: string, default: plain }
steps:
${steps}
`);
  return dryRun(
    plan,
    query,
    { list: [], tone: 'plain', ...inputs },
    {
      projectDir: '/project',
      priceOf: () => priceFrom({ input: 1, output: 2 }),
    },
  );
}

function stepOf({ steps }: DryRun, id: string): DryStep {
  const all = (list: readonly DryStep[]): DryStep[] => list.flatMap((step) => [step, ...all(step.steps ?? [])]);
  const found = all(steps).find((step) => step.id === id);
  if (!found) throw new Error(`no step ${id}`);
  return found;
}

it('renders prompts that read only the query, inputs and folders', async () => {
  const run = await dry(`
  - id: a
    agent: { instructions: You., prompt: "\${{ query }}, \${{ inputs.tone }}, \${{ project.dir }}" }
    output: ${ANSWER}
`);
  expect(stepOf(run, 'a').texts).toMatchObject([
    { key: 'prompt', waitsFor: [], samples: [{ text: 'a query, plain, /project' }] },
  ]);
});

it('says what a prompt waits for, and leaves that as it is written', async () => {
  const run = await dry(`
  - id: a
    agent: { instructions: You., prompt: x }
    output: ${ANSWER}
  - id: b
    agent: { instructions: You., prompt: "\${{ query }} \${{ steps.a.output.ok }} \${{ run.id }}" }
    output: ${ANSWER}
`);
  expect(stepOf(run, 'b').texts[0]?.samples[0]).not.toHaveProperty('fails');
  expect(stepOf(run, 'b').texts).toMatchObject([
    {
      waitsFor: ['steps.a.output.ok', 'run.id'],
      samples: [{ text: 'a query ${{ steps.a.output.ok }} ${{ run.id }}' }],
    },
  ]);
});

it('shows the first three of a thousand items and counts them all', async () => {
  const list = Array.from({ length: 1_000 }, (_, at) => `item ${at}`);
  const run = await dry(
    `
  - id: each
    foreach: inputs.list
    agent: { instructions: You., prompt: "\${{ index }}: \${{ item }}", max_rounds: 2 }
    output: ${ANSWER}
`,
    { list },
  );
  const step = stepOf(run, 'each');
  expect(step.foreach).toMatchObject({ items: 1_000, maxItems: 1_000 });
  expect(step.texts[0]?.samples).toEqual([
    { path: 'each/0', text: '0: item 0' },
    { path: 'each/1', text: '1: item 1' },
    { path: 'each/2', text: '2: item 2' },
  ]);
  expect(run.worst.calls).toBe(2_000);
});

it('shows the program of an agent as that of a shell step, and counts no tokens for what it is given', async () => {
  const run = await dry(`
  - id: first
    agent: { adapter: command, command: [claude, -p, --model, "\${{ inputs.tone }}"], prompt: "About \${{ query }}" }
    output: ${ANSWER}
  - id: text
    agent: { adapter: command, command: ["\${{ steps.first.output.ok }}", run], prompt: x }
    output: { type: string }
`);
  expect(stepOf(run, 'first')).toMatchObject({
    calls: 2,
    texts: [
      { key: 'prompt', samples: [{ text: 'About a query' }] },
      { key: 'command', samples: [{ text: 'claude -p --model plain' }], programs: ['claude'] },
    ],
  });
  expect(stepOf(run, 'text')).toMatchObject({ calls: 0, models: [] });
  expect(run.programs).toEqual(['claude', '${{ steps.first.output.ok }}']);
  expect(run.worst).toMatchObject({ calls: 2, processes: 2 });
  expect(run.cost).toMatchObject({ leastUsd: 0 });
});

it('knows the length of a list written in YAML though not its items', async () => {
  const run = await dry(`
  - id: a
    agent: { instructions: You., prompt: x }
    output: ${ANSWER}
  - id: each
    foreach: [{ t: one }, { t: "\${{ steps.a.output.ok }}" }]
    shell: { command: [echo, "\${{ item.t }}"] }
`);
  expect(stepOf(run, 'each')).toMatchObject({
    foreach: { items: 2 },
    texts: [{ programs: ['echo'], waitsFor: ['item.t'] }],
  });
  expect(run.programs).toEqual(['echo']);
});

it('follows what `set` computes and what a skipped step leaves', async () => {
  const run = await dry(`
  - id: words
    set: { loud: "\${{ inputs.tone.upperAscii() }}" }
  - id: never
    when: query == "other"
    agent: { instructions: You., prompt: x }
    output: ${ANSWER}
  - id: b
    agent: { instructions: You., prompt: "\${{ steps.words.output.loud }} \${{ steps.never.status }}" }
    output: ${ANSWER}
`);
  expect(stepOf(run, 'b').texts[0]?.samples).toEqual([{ text: 'PLAIN skipped' }]);
  expect(stepOf(run, 'never').when).toEqual({ source: 'query == "other"', holds: false });
  expect(run.worst.calls).toBe(40);
});

it('leaves a condition open that reads what a step makes', async () => {
  const run = await dry(`
  - id: a
    agent: { instructions: You., prompt: x }
    output: ${ANSWER}
  - id: b
    when: steps.a.output.ok
    end: { outcome: over, status: done, message: Over }
`);
  expect(stepOf(run, 'b').when).toEqual({ source: 'steps.a.output.ok' });
});

it('does not take the values of one round for those of all', async () => {
  const run = await dry(`
  - id: rounds
    repeat: { until: output.a.ok, max: 3 }
    steps:
      - id: a
        agent: { instructions: You., prompt: "\${{ iteration }} \${{ query }}" }
        output: ${ANSWER}
`);
  expect(stepOf(run, 'a').texts[0]?.waitsFor).toEqual(['iteration']);
  expect(stepOf(run, 'rounds').calls).toBe(120);
});

it('renders inside a group that goes over items', async () => {
  const run = await dry(
    `
  - id: each
    foreach: inputs.list
    steps:
      - id: loud
        set: { text: "\${{ item.upperAscii() }}" }
      - id: inner
        agent: { instructions: You., prompt: "\${{ item }} \${{ steps.loud.output.text }}" }
        output: ${ANSWER}
`,
    { list: ['x', 'y'] },
  );
  expect(stepOf(run, 'inner').texts[0]?.samples.map(({ text }) => text)).toEqual(['x X', 'y Y']);
});

it('says what is known to fail: too many items, an expression without a value', async () => {
  const run = await dry(
    `
  - id: each
    foreach: inputs.list
    max_items: 1
    set: { x: "\${{ item }}" }
`,
    { list: ['x', 'y'] },
  );
  expect(run.problems).toEqual(['each: it has 2 items; max_items is 1']);
});

it('starts nothing for what stands in a step that is skipped', async () => {
  const run = await dry(`
  - id: group
    when: query == "other"
    steps:
      - id: inner
        shell: { command: [rm, x] }
`);
  expect(run).toMatchObject({ programs: [], worst: { processes: 0 } });
});

it('gives another skill the query and the inputs that it will be called with', async () => {
  const place = project({
    'skills/child/pipeline.yaml': `
version: 1
name: child
description: A child.
inputs: { size: { type: integer, default: 7 } }
steps:
  - id: ask
    agent: { instructions: You., prompt: "\${{ query }} \${{ inputs.size }}" }
    output: ${ANSWER}
`,
    'pipeline.yaml': `
version: 1
name: parent
description: A parent.
steps:
  - id: call
    pipeline: { skill: child, query: "about \${{ query }}" }
`,
  });
  const run = dryRun(await planIn(place), 'cats', {}, { projectDir: place.dir });
  expect(stepOf(run, 'ask').texts[0]?.samples).toEqual([{ text: 'about cats 7' }]);
});

it('sees the fourth of four items where it alone is another', async () => {
  const run = await dry(
    `
  - id: each
    foreach: inputs.list
    steps:
      - id: only
        when: item == "wipe"
        shell: { command: [rm, x] }
      - id: starts
        shell: { command: ["\${{ item }}"] }
      - id: inner
        foreach: inputs.list.filter(one, one.size() <= item.size())
        shell: { run: echo }
`,
    { list: ['a', 'b', 'c', 'wipe'] },
  );
  expect(stepOf(run, 'only').when).not.toHaveProperty('holds');
  expect(run.programs).toEqual(['rm', 'a', 'b', 'c', 'wipe', 'bash']);
  expect(run.worst.processes).toBe(4 + 4 + 4 * 4);
});

it('does not tell apart more times than it can look at, and leaves open what differs there', async () => {
  const list = Array.from({ length: 1_000 }, (_, at) => String(at));
  const steps = `
  - id: each
    foreach: inputs.list
    steps:
      - id: small
        foreach: inputs.list
        steps:
          - id: some
            when: item == "0"
            foreach: inputs.list.filter(one, one < item)
            max_items: 7
            shell: { command: ["\${{ item }}"] }
`;
  const run = await dry(steps, { list });
  expect(stepOf(run, 'some').when).toEqual({ source: 'item == "0"' });
  expect(run.worst.processes).toBe(1_000 * 1_000 * 7);
  expect(run.programs).toEqual(['${{ item }}']);
});

it('is not reached what waits for an end that is known to happen', async () => {
  const steps = `
  - id: nothing
    when: query == ""
    end: { outcome: nothing, status: refused, message: No query }
  - id: group
    steps:
      - id: ask
        agent: { instructions: You., prompt: x }
        output: ${ANSWER}
  - id: after
    shell: { command: [rm, x] }
`;
  const run = await dry(steps, {}, '');
  expect(stepOf(run, 'group')).toMatchObject({ endedBy: 'nothing', calls: 0 });
  expect(stepOf(run, 'after').endedBy).toBe('nothing');
  expect(run).toMatchObject({ programs: [], worst: { calls: 0, processes: 0 } });
  expect(stepOf(await dry(steps), 'after')).not.toHaveProperty('endedBy');
});

it('ends behind a group whose end is known, and not where the group may fail before it', async () => {
  const steps = (more: string) => `
  - id: group
    ${more}
    steps:
      - id: first
        shell: { run: exit 1 }
      - id: over
        end: { outcome: over, status: done, message: Over }
  - id: after
    shell: { command: [rm, x] }
`;
  expect(stepOf(await dry(steps('title: Group')), 'after').endedBy).toBe('group');
  expect(stepOf(await dry(steps('on_error: continue')), 'after')).not.toHaveProperty('endedBy');
});

it('drops only the items for which another skill ends', async () => {
  const place = project({
    'skills/child/pipeline.yaml': `
version: 1
name: child
description: A child.
steps:
  - id: over
    when: query == "b"
    end: { outcome: over, status: done, message: Over }
  - id: after
    shell: { command: ["\${{ query }}"] }
`,
    'pipeline.yaml': `
version: 1
name: parent
description: A parent.
steps:
  - id: each
    foreach: [a, b]
    pipeline: { skill: child, query: "\${{ item }}" }
  - id: behind
    shell: { command: [echo] }
`,
  });
  const run = dryRun(await planIn(place), 'cats', {}, { projectDir: place.dir });
  expect(run.programs).toEqual(['a', 'echo']);
});

it('notes a failure that the run survives, or that it may never reach', async () => {
  const run = await dry(
    `
  - id: forgiven
    foreach: inputs.list
    max_items: 1
    on_error: continue
    set: { x: "\${{ item }}" }
  - id: look
    shell: { run: echo }
  - id: perhaps
    when: steps.look.output != ""
    foreach: inputs.list
    max_items: 1
    set: { x: "\${{ item }}" }
`,
    { list: ['x', 'y'] },
  );
  expect(run.problems).toEqual([]);
  expect(run.notes).toEqual([
    'forgiven: it has 2 items; max_items is 1, and the run goes on',
    'perhaps: it has 2 items; max_items is 1, if the run gets there',
  ]);
});

it('counts the characters of every item towards the least cost, and none where it did not look at all', async () => {
  const steps = (over: string) => `
  - id: a
    agent: { instructions: You., prompt: "" }
    output: { type: array, maxItems: 5, items: { type: string } }
  - id: each
    foreach: ${over}
    agent: { instructions: You., prompt: "\${{ item }}" }
    output: ${ANSWER}
`;
  const least = async (over: string) => {
    const list = ['x'.repeat(4_000_000), 'y', 'z', 'w'];
    const { cost } = await dry(steps(over), { list });
    return cost.type === 'range' ? cost.leastUsd : undefined;
  };
  expect(await least('inputs.list')).toBeCloseTo(1, 3);
  expect(await least('steps.a.output')).toBe(0);
});

it('names the samples of nested loops by their paths', async () => {
  const run = await dry(`
  - id: outer
    foreach: [a, b]
    steps:
      - id: inner
        foreach: [c, d]
        shell: { command: [echo, "\${{ item }}"] }
`);
  expect(stepOf(run, 'inner').texts[0]?.samples.map(({ path }) => path)).toEqual([
    'outer/0/inner/0',
    'outer/0/inner/1',
    'outer/1/inner/0',
  ]);
});
