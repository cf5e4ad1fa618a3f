import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overWith } from '../support/deadline.js';
import { project } from '../support/project.js';

const HOUR_MS = 3_600_000;
const steps = (text: string, top = '') => ({ 'pipeline.yaml': `version: 1\nname: t\n${top}steps:\n${text}` });

it('holds the output of a command against its schema, and says path, expected and received', async () => {
  const ran = await project(
    steps(`  - id: a
    shell: { run: 'echo "{\\"year\\": \\"2020\\"}"' }
    output: { type: object, properties: { year: { type: integer } }, required: [year] }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', exit: 1, fault: { code: 'step.output' } });
  expect(ran.message).toMatch(/\/year.*integer/);
});

it('says of output that is not JSON how it begins, when a schema asks for more than a string', async () => {
  const ran = await project(
    steps(`  - id: a
    shell: { run: 'echo "Loading…"; echo "{}"' }
    output: { type: object }
`),
  ).run();
  expect(ran.fault).toMatchObject({ code: 'shell.output' });
  expect(ran.message).toContain('Loading');
});

it('takes the file $PIPELINE_OUTPUT instead of stdout, if it was written', async () => {
  const ran = await project(
    steps(`  - id: a
    shell: { run: 'echo noise; echo "{\\"n\\": 1}" > "$PIPELINE_OUTPUT"' }
    output: { type: object, properties: { n: { type: integer } }, required: [n] }
result: '\${{ steps.a.output.n }}'
`),
  ).run();
  expect(ran.result).toBe(1);
});

it('fails a step whose assert is false, with the message of the author', async () => {
  const ran = await project(
    steps(`  - id: a
    set: { n: 3 }
    assert: [{ that: 'output.n < 3', message: 'n is \${{ output.n }}, which is too much' }]
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.assert', message: 'n is 3, which is too much' } });
});

it('publishes what a step left in its work folder, and nothing of a step that failed', async () => {
  const ran = await project(
    steps(`  - id: good
    shell: { run: 'mkdir -p notes; echo hello > notes/a.txt' }
  - id: bad
    on_error: continue
    shell: { run: 'echo half > half.txt; exit 1' }
`),
  ).run();
  expect(ran.files()).toEqual(['notes/a.txt']);
  expect(ran.file('notes/a.txt')).toBe('hello\n');
  expect(existsSync(join(ran.dir, '.steps/bad/work/half.txt'))).toBe(true);
});

it('demands that each glob of `artifacts` matches a file', async () => {
  const ran = await project(
    steps(`  - id: a
    shell: { run: 'echo x > report.txt' }
    artifacts: ['report.*', '*.pdf']
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.artifacts' } });
  expect(ran.message).toContain('*.pdf');
  expect(ran.message).not.toContain('report.*');
});

it('saves the output: .json as JSON, else text; several files by a mapping', async () => {
  const ran = await project(
    steps(`  - id: a
    set: { title: Hello, list: [1, 2] }
    save: { 'phase0/all.json': '\${{ output }}', 'phase0/title.txt': '\${{ output.title }}' }
  - id: b
    shell: { run: 'echo done' }
    save: out.txt
`),
  ).run();
  expect(ran.files()).toEqual(['out.txt', 'phase0/all.json', 'phase0/title.txt']);
  expect(JSON.parse(ran.file('phase0/all.json'))).toEqual({ title: 'Hello', list: [1, 2] });
  expect(ran.file('phase0/title.txt')).toBe('Hello\n');
  expect(ran.file('out.txt')).toBe('done\n');
});

it('refuses a path that leaves the run folder or names a file of the runner, wherever it comes from', async () => {
  for (const path of ['../out.txt', '.steps/a/output.json', 'events.ndjson', 'run.json', '/tmp/x']) {
    const ran = await project(
      steps(`  - id: a
    set: { path: '${path}' }
    save: { '\${{ output.path }}': text }
`),
    ).run();
    expect(ran, path).toMatchObject({ status: 'failed', fault: { code: 'step.path' } });
  }
});

it('stops the second writer of a path', async () => {
  const ran = await project(
    steps(`  - id: a
    shell: { run: 'echo 1 > same.txt' }
  - id: b
    shell: { run: 'echo 2 > same.txt' }
`),
  ).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'step.conflict' } });
  expect(ran.message).toContain('same.txt');
  expect(ran.file('same.txt')).toBe('1\n');
});

it('tries a failed step again, from an empty work folder, and keeps the failed attempt', async () => {
  const it = project(
    steps(`  - id: a
    retry: { attempts: 3, backoff: 10ms }
    shell: { run: 'echo x >> "$PIPELINE_PROJECT_DIR/tries"; ls; echo junk > junk.txt; test $(wc -l < "$PIPELINE_PROJECT_DIR/tries") -ge 3' }
`),
  );
  const ran = await it.run();
  expect(ran.status).toBe('done');
  expect(it.read('tries')).toBe('x\nx\nx\n');
  expect(ran.paths('step_retry')).toEqual(['a', 'a']);
  expect(ran.file('.steps/a/attempts/1/work/junk.txt')).toBe('junk\n');
  expect(ran.file('.steps/a/attempts/2/work/junk.txt')).toBe('junk\n');
});

it('ends an attempt at its timeout, with all that it started', async () => {
  const it = project(
    steps(`  - id: a
    timeout: 1h
    shell: { run: 'P="$PIPELINE_PROJECT_DIR"; mkfifo "$P/held"; (exec 3> "$P/held"; touch "$P/begun"; sleep 60) & sleep 60' }
`),
  );
  const running = it.run({ clock: overWith(HOUR_MS, join(it.dir, 'begun')) });
  const held = join(it.dir, 'held');
  while (!existsSync(held)) await new Promise((resolve) => setTimeout(resolve, 5));
  // It ends when nobody holds the other end any more.
  const ended = once(createReadStream(held).resume(), 'end');
  expect(await running).toMatchObject({ status: 'failed', fault: { code: 'step.timeout' } });
  await ended;
});

it('stops at the time limit of the run, resumable', async () => {
  const ran = await project(steps(`  - id: a\n    shell: { run: 'sleep 30' }\n`, 'limits: { time: 300ms }\n')).run();
  expect(ran).toMatchObject({ status: 'limit', exit: 6, fault: { code: 'run.limit' } });
});

it('hands query, inputs and values over byte for byte, and never runs them', async () => {
  const nasty = 'a"b\'c `touch hit` $(touch hit) ${{ query }} \\ \n--flag; touch hit | x & y > hit';
  const it = project(
    steps(
      `  - id: a
    shell:
      run: 'printf %s "$PIPELINE_QUERY" > q; printf %s "$V" > v; cat > stdin; node -p "JSON.parse(require(\\"fs\\").readFileSync(process.env.PIPELINE_INPUTS)).note" > note'
      env: { V: '\${{ query }}' }
      stdin: '\${{ query }}'
  - id: b
    shell: { command: [printf, '%s', '\${{ query }}'] }
`,
      'inputs: { note: { type: string } }\n',
    ),
  );
  const ran = await it.run({ query: nasty, inputs: { note: nasty } });
  expect(ran.status).toBe('done');
  for (const file of ['q', 'v', 'stdin']) expect(ran.file(file)).toBe(nasty);
  expect(ran.file('note')).toBe(`${nasty}\n`);
  expect(ran.events.find((event) => event.type === 'step_done' && event.path === 'b')).toMatchObject({ output: nasty });
  expect(ran.files()).toEqual(['note', 'q', 'stdin', 'v']);
});

it('shows a command only the allow-list of the environment and what permissions.env names', async () => {
  const it = project(
    steps(
      `  - id: a\n    shell: { run: 'env | sort' }\nresult: '\${{ steps.a.output }}'\n`,
      'permissions: { env: [WANTED] }\n',
    ),
  );
  const ran = await it.run({
    env: { PATH: process.env.PATH, HOME: it.dir, OPENAI_API_KEY: 'sk-secret', WANTED: 'yes', OTHER: 'no' },
  });
  const text = String(ran.result);
  expect(text).toContain('WANTED=yes');
  expect(text).not.toMatch(/OPENAI_API_KEY|sk-secret|OTHER=/);
  expect(text).toMatch(/PIPELINE_STEP_KEY=[0-9a-f]{32}/);
});
