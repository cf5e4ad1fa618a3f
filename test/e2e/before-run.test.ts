import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

describe('init', () => {
  it('writes a pipeline that passes the strict check and runs', async () => {
    const place = workspace();
    const ran = await place.pipeline(['init', 'my-first']);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout.trim().split('\n')).toEqual([
      'skills/my-first/SKILL.md',
      'skills/my-first/pipeline.yaml',
      'skills/my-first/prompts/draft.md',
      'skills/my-first/schemas/draft.schema.json',
      'skills/my-first/tests/my-first.test.yaml',
      'schemas/pipeline.schema.json',
    ]);
    expect(ran.stderr).toContain('pipeline check my-first\n  pipeline test my-first\n  pipeline run my-first "');
    const [modeline = ''] = place.read('skills/my-first/pipeline.yaml').split('\n');
    expect(modeline).toBe('# yaml-language-server: $schema=../../schemas/pipeline.schema.json');
    const checked = await place.pipeline(['check', 'my-first', '--strict', '--json']);
    expect(checked).toMatchObject({ code: 0 });
    expect(JSON.parse(checked.stdout)).toMatchObject({ problems: [] });
    const done = await place.pipeline(['run', 'my-first', 'why is the sky blue', '--model', 'sketch']);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(place.read('skill_run/my-first/latest/page.md')).toMatch(/^# .+\n\n- .+\n- .+\n- .+/m);
  });

  it('overwrites nothing: it says what is there and proposes another name', async () => {
    const place = workspace();
    place.write('skills/Mine_Own/notes.md', 'kept');
    place.write('schemas/pipeline.schema.json', '{}');
    const refused = await place.pipeline(['init', 'mine-own']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('skills/Mine_Own is there already');
    expect(refused.stderr).toContain('It holds: notes.md. Choose another name: pipeline init mine-own-2');
    expect(await place.pipeline(['init', 'mine-own-2'])).toMatchObject({ code: 0 });
    expect(place.read('schemas/pipeline.schema.json')).toBe('{}');
    expect(readdirSync(`${place.dir}/skills`).sort()).toEqual(['Mine_Own', 'mine-own-2']);
  });

  it.each([
    ['My Skill', 'pipeline init my-skill'],
    ['../evil', 'pipeline init evil'],
    ['Café', 'pipeline init cafe'],
    ['a--b', 'pipeline init a-b'],
    ['中文', 'begins with a letter'],
  ])('refuses the name %j with a hint', async (name, hint) => {
    const place = workspace();
    const refused = await place.pipeline(['init', name]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(hint);
    expect(readdirSync(place.dir)).toEqual(['skills']);
  });
});

describe('graph', () => {
  it.each(['ascii', 'mermaid', 'svg', 'json'])('prints idea-spark as %s, without an escape byte', async (format) => {
    const ran = await workspace().pipeline(['graph', 'idea-spark', '--format', format]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('collision');
    expect(ran.stdout).not.toContain('\u001b');
    const begins = { ascii: /^idea-spark\n├─ stop_silent/, mermaid: /^flowchart TD/, svg: /^<svg /, json: /^\{/ };
    expect(ran.stdout).toMatch(begins[format as keyof typeof begins]);
  });

  it('marks the steps of a run, asked for by its name or beside its skill', async () => {
    const place = workspace();
    place.write(
      'skills/three/pipeline.yaml',
      `version: 1
name: three
description: Three steps.
steps:
  - id: good
    shell: { run: echo one }
  - id: bad
    needs: []
    shell: { run: exit 3 }
  - id: late
    needs: [bad]
    shell: { run: echo two }
`,
    );
    expect(await place.pipeline(['run', 'three', 'a query'])).toMatchObject({ code: 1 });
    const byRun = await place.pipeline(['graph', 'three/latest']);
    expect(byRun.stdout).toMatch(/✓ ├─ good .*\n✗ ├─ bad .*\n– └─ late /);
    const beside = await place.pipeline(['graph', 'three', '--run', 'latest']);
    expect(beside.stdout).toBe(byRun.stdout);
    const json = await place.pipeline(['graph', 'three', '--run', 'three/a-query', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      nodes: [{ status: 'done' }, { status: 'failed' }, { status: 'skipped' }],
    });
    expect(await place.pipeline(['graph', 'three', '--run', 'nope'])).toMatchObject({ code: 2, stdout: '' });
    const other = await place.pipeline(['graph', 'idea-spark', '--run', 'three/latest']);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('is of the skill "three", not of "idea-spark"');
    expect(other.stderr).toContain('Write pipeline graph three/a-query');
  });

  it('draws a run with the values that it replaced', async () => {
    const place = workspace();
    place.write(
      'skills/named/pipeline.yaml',
      `version: 1
name: named
description: One step.
steps:
  - id: ask
    retry: { attempts: 2 }
    agent: { instructions: You., prompt: x }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`,
    );
    const set = ['--set', 'steps.ask.retry.attempts=3'];
    expect(await place.pipeline(['run', 'named', 'a query', '--model', 'sketch', ...set])).toMatchObject({ code: 0 });
    expect((await place.pipeline(['graph', 'named/latest'])).stdout).toContain('3 attempts');
    expect((await place.pipeline(['graph', 'named'])).stdout).not.toContain('3 attempts');
  });

  it('refuses two formats at once', async () => {
    const ran = await workspace().pipeline(['graph', 'idea-spark', '--format', 'svg', '--json']);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stdout + ran.stderr).toContain('--json and --format svg exclude each other');
  });
});

describe('run --dry-run', () => {
  it('shows a thousand items without starting, asking or writing anything', async () => {
    const place = workspace();
    place.write(
      'big.yaml',
      `version: 1
name: big
description: Many items.
inputs: { items: { type: array, maxItems: 1000, items: { type: string } } }
steps:
  - id: touch
    shell: { run: touch "$PIPELINE_PROJECT_DIR/started" }
  - id: each
    foreach: inputs.items
    agent: { instructions: You judge., prompt: "Item \${{ index }}: \${{ item }}" }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`,
    );
    const items = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => `number ${at}`));
    const before = readdirSync(place.dir);
    const ran = await place.pipeline(['run', './big.yaml', 'q', '--dry-run', '--input', `items=${items}`]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('worst case: 40 000 model calls, 1 process; stops at 2 000 000 tokens or 2 h');
    expect(ran.stdout).toContain('items=(1 000 items)');
    expect(ran.stdout).toContain('prompt 2  Item 2: number 2');
    expect(ran.stdout).not.toContain('number 3');
    expect(readdirSync(place.dir)).toEqual(before);
  });

  it('gives the same as JSON, with a price where the configuration has one', async () => {
    const place = workspace();
    place.write(
      'pipeline.config.yaml',
      'models: { default: { provider: openai, model: some, price: { input: 1, output: 2 } } }\n',
    );
    const ran = await place.pipeline([
      'run',
      'idea-spark',
      'attention',
      '--dry-run',
      '--json',
      '--limit',
      'tokens=500000',
    ]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'dry_run',
      query: 'attention',
      worst: { limits: { tokens: 500_000 } },
      cost: { type: 'range', mostUsd: 1 },
      models: { default: 'openai/some' },
    });
  });

  it('refuses what a run would refuse', async () => {
    const place = workspace();
    const ran = await place.pipeline(['run', 'idea-spark', 'x', '--dry-run', '--input', 'source=y']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Did you mean "sources"?');
  });

  it.each([
    [3, ['--model', 'nonsense'], 'names no model'],
    [2, ['--limit', 'time=0s'], '--limit time=0s is not understood'],
    [2, ['--assume-done'], 'it needs --resume'],
    [2, ['--replay', 'tape', '--model', 'sketch'], '--replay and --model exclude each other'],
  ])('exits %d for %j, as a run does', async (code, options, words) => {
    const place = workspace();
    for (const more of [['--dry-run'], []]) {
      const ran = await place.pipeline(['run', 'idea-spark', 'x', ...options, ...more]);
      expect(ran).toMatchObject({ code, stdout: '' });
      expect(ran.stderr).toContain(words);
    }
  });

  it('refuses a limit in usd with a model whose price nobody knows, and takes it with others', async () => {
    const place = workspace();
    place.write(
      'dear.yaml',
      `version: 1
name: dear
description: Dear.
limits: { usd: 3 }
steps:
  - id: ask
    agent: { instructions: You., prompt: x }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`,
    );
    const dry = (model: string) => place.pipeline(['run', './dear.yaml', 'x', '--dry-run', '--model', model]);
    const refused = await dry('openai/some');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('has a limit in usd, but the price of openai/some is not known');
    const real = await place.pipeline(['run', './dear.yaml', 'x', '--model', 'openai/some'], { OPENAI_API_KEY: 'k' });
    expect(real).toMatchObject({ code: 2, stdout: '' });
    expect(real.stderr).toContain('has a limit in usd, but the price of openai/some is not known');
    const listed = await dry('openai/gpt-5-mini');
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toMatch(/cost {6}from about \$\S+ .* to at most \$3/);
    for (const model of ['sketch', 'ollama/some']) expect(await dry(model)).toMatchObject({ code: 0 });
  });

  it('tells what stands behind each model that is named, with what may take its place, and what that costs', async () => {
    const place = workspace();
    place.write(
      'pipeline.config.yaml',
      `models:
  default: { provider: openai, model: some, price: { input: 1, output: 2 }, fallback: [far] }
  far: { provider: anthropic, model: other, price: { input: 10, output: 40 }, fallback: [near] }
  near: { provider: ollama, model: m }
`,
    );
    const plan = (model: string) => `version: 1
name: two
description: Two.
limits: { tokens: 1000000 }
steps:
  - id: ask
    agent: { instructions: You., prompt: x, model: ${model} }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`;
    place.write('two.yaml', plan('default'));
    const two = await place.pipeline(['run', './two.yaml', 'x', '--dry-run']);
    expect(two, two.stderr).toMatchObject({ code: 0 });
    expect(two.stdout).toContain(
      'models    default (openai/some); falls back to far (anthropic/other), near (ollama/m)\n',
    );
    expect(two.stdout).toMatch(/cost {6}from about \$\S+ .* to at most \$40(\.00)?$/m);

    place.write('two.yaml', plan('sketch'));
    const stub = await place.pipeline(['run', './two.yaml', 'x', '--dry-run']);
    expect(stub.stdout).toMatch(/models {4}sketch$/m);
    expect(stub.stdout).toContain('cost      nothing: the models are free');
    expect(stub.stdout).toContain('network   none');
  });

  it('refuses images for a model that is not known to take them, as a run does', async () => {
    const place = workspace();
    place.write('a.png', '');
    place.write(
      'look.yaml',
      `version: 1
name: look
description: Look.
steps:
  - id: look
    agent: { instructions: You., prompt: x, files: [a.png] }
    output: { type: object, additionalProperties: false, required: [ok], properties: { ok: { type: boolean } } }
`,
    );
    const configured = (more: string) =>
      place.write('pipeline.config.yaml', `models: { default: { provider: openai, model: some${more} } }\n`);
    const dry = (...options: string[]) => place.pipeline(['run', './look.yaml', 'x', '--dry-run', ...options]);
    const unknown = await dry();
    expect(unknown).toMatchObject({ code: 0 });
    expect(unknown.stderr).toContain('! A run refuses images if its model is not known to take them');

    configured('');
    const words = 'step "look" shows images to its model, but openai/some is not known to take images';
    for (const ran of [await dry(), await place.pipeline(['run', './look.yaml', 'x'], { OPENAI_API_KEY: 'k' })]) {
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain(words);
    }
    expect((await dry('--model', 'openai/o3-mini')).stderr).toContain('openai/o3-mini takes no images');
    for (const model of ['sketch', 'openai/gpt-4o']) expect(await dry('--model', model)).toMatchObject({ code: 0 });

    configured(', images: true, fallback: [anthropic/some]');
    expect((await dry()).stderr).toContain('anthropic/some is not known to take images');
    configured(', images: true');
    expect(await dry()).toMatchObject({ code: 0, stderr: '' });
  });

  it('says which options it leaves out', async () => {
    const place = workspace();
    const options = ['--resume', '--assume-done', '--output', 'given.json', '--record', 'tape'];
    place.write('given.json', '{}');
    const ran = await place.pipeline(['run', 'idea-spark', 'x', '--dry-run', ...options]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    for (const name of ['--resume', '--assume-done', '--output', '--record'])
      expect(ran.stderr).toContain(`! ${name} is left out: `);
  });
});
