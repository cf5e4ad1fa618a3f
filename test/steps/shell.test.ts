import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { StepContext } from '../../src/core/context.js';
import { childEnvironment } from '../../src/steps/child-env.js';
import { project } from '../support/project.js';

const one = (step: string, head = '') =>
  project({
    'pipeline.yaml': `version: 1\nname: t\n${head}steps:\n  - id: a\n${step}result: '\${{ steps.a.output }}'\n`,
  });

it('refuses more than 64 MB in $PIPELINE_OUTPUT before it reads it', async () => {
  const ran = await one(`    shell: { run: 'truncate -s 64M "$PIPELINE_OUTPUT"; echo >> "$PIPELINE_OUTPUT"' }\n`).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.output' } });
  expect(ran.message).toContain('more than 64 MB to $PIPELINE_OUTPUT');
});

it.each([
  ['a Node program that crashes', `node -e 'throw new TypeError("no such colour")'`, 'TypeError: no such colour'],
  ['one whose error has properties', `node -e 'throw Object.assign(new Error("late"), { code: "E1" })'`, 'Error: late'],
  ['one that prints the stack itself', `node -e 'console.error(new Error("mine")); process.exit(1)'`, 'Error: mine'],
  ['one that throws no error', `node -e 'throw "words"'`, 'words'],
  ['a rejection', `node -e 'Promise.reject(new RangeError("far"))'`, 'RangeError: far'],
  [
    'a module that is not there',
    `echo 'import "./gone.mjs"' > a.mjs; node a.mjs`,
    'Error [ERR_MODULE_NOT_FOUND]: Cannot find',
  ],
  ['a Python program that crashes', `python3 -c 'raise ValueError("odd")'`, 'ValueError: odd'],
])('says of %s what it said, not where', async (_, command, said) => {
  const step = JSON.stringify(`${command}`);
  const { fault } = await one(`    shell: { run: ${step} }\n`).run();
  expect(fault?.message).toContain(`the command exited with 1: ${said}`);
});

it('refuses what is no regular file there instead of waiting for it', async () => {
  const ran = await one(`    shell: { run: 'mkfifo "$PIPELINE_OUTPUT"' }\n`).run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.output' } });
});

it('takes nothing that an earlier attempt wrote to $PIPELINE_OUTPUT', async () => {
  const ran = await one(`    retry: { attempts: 2, backoff: 1ms }
    shell: { run: 'test -e "$PIPELINE_RUN_DIR/.again" && echo new && exit; touch "$PIPELINE_RUN_DIR/.again"; echo old > "$PIPELINE_OUTPUT"; exit 1' }
`).run();
  expect(ran.result).toBe('new');
});

it("gives a child what permissions.env names, but never a configured provider's key", async () => {
  const it = one(
    `    shell: { run: 'echo "\${MINE-none} \${MYPROXY_API_KEY-none}"' }\n`,
    'permissions: { env: [MINE, MYPROXY_API_KEY] }\n',
  );
  it.write(
    'pipeline.config.yaml',
    'models: { other: { provider: myproxy, model: m, base_url: "http://127.0.0.1:9/v1" } }\n',
  );
  const env = { PATH: process.env.PATH, HOME: it.dir, MINE: 'm', MYPROXY_API_KEY: 'k' };
  expect((await it.run({ env })).result).toBe('m none');
});

it('passes on no key of the built-in providers, even where a plan permits it', () => {
  const context = {
    folders: { step: '/s', run: '/r', skill: '/k', project: '/p' },
    environment: { PATH: '/bin', MINE: 'm', OPENAI_API_KEY: 'k1', ANTHROPIC_API_KEY: 'k2' },
    permissions: { env: ['MINE', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'] },
  } as unknown as StepContext;
  const { env } = childEnvironment(context, {});
  expect(env).toMatchObject({ PATH: '/bin', MINE: 'm' });
  expect(Object.keys(env).filter((name) => name.endsWith('_API_KEY'))).toEqual([]);
});

it('ends a command that prints without end, where its output is what it gives', async () => {
  const ran = await one("    shell: { run: 'exec yes' }\n").run();
  expect(ran).toMatchObject({ status: 'failed', fault: { code: 'shell.output' } });
  expect(ran.message).toContain('more than 64 MB to standard output');
});

it('lets a command print what it likes once it gives its output elsewhere', async () => {
  const ran = await one(`    shell: { run: 'echo given > "$PIPELINE_OUTPUT"; head -c 66M /dev/zero' }\n`).run();
  expect(ran.result).toBe('given');
});

const SECRET = 'p4ss "quoted" \\ wörd, long enough to be cut where a message is cut';
const secretly = (step: string) => {
  const it = one(step, 'permissions: { env: [A_SECRET] }\n');
  return {
    ...it,
    run: (more = {}) => it.run({ ...more, env: { PATH: process.env.PATH, HOME: it.dir, A_SECRET: SECRET } }),
  };
};
/** All that is in the run folder, but what lies in the work folders of its steps. */
const keptBy = (dir: string) =>
  readdirSync(join(dir, 'skill_run'), { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile() && !/\/work(\/|$)/.test(entry.parentPath))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

it.each([
  ['fails', `    shell: { run: 'printf %s "$A_SECRET" > "$PIPELINE_OUTPUT"; exit 3' }\n`, 'shell.exit'],
  ['gives it', `    shell: { run: 'printf %s "$A_SECRET" > "$PIPELINE_OUTPUT"' }\n`, 'step.secret_in_output'],
  [
    'takes too long',
    `    timeout: 200ms\n    shell: { run: 'printf %s "$A_SECRET" > "$PIPELINE_OUTPUT"; sleep 60' }\n`,
    'step.timeout',
  ],
  [
    'is tried again',
    `    retry: { attempts: 2, backoff: 1ms }\n    shell: { run: 'printf %s "$A_SECRET" > "$PIPELINE_OUTPUT"; exit 3' }\n`,
    'shell.exit',
  ],
])('keeps no secret that was written to $PIPELINE_OUTPUT where the step %s', async (_, step, code) => {
  const it = secretly(step);
  expect(await it.run()).toMatchObject({ status: 'failed', fault: { code } });
  expect(keptBy(it.dir)).not.toContain('p4ss');
});

it('takes what a killed attempt had written to $PIPELINE_OUTPUT into no folder of earlier attempts', async () => {
  const it = secretly("    shell: { run: 'exit 3' }\n");
  const { dir } = await it.run();
  writeFileSync(join(dir, '.steps/a/output.txt'), SECRET);
  await it.run({ resume: true });
  expect(keptBy(it.dir)).not.toContain('p4ss');
});

it.each([
  ['at its beginning', 'printf %s "$A_SECRET"'],
  ['over the cut', `printf '%060d%s' 0 "$A_SECRET"`],
  ['escaped in JSON that is cut off', `printf '{"k":%s' "$(node -p 'JSON.stringify(process.env.A_SECRET)')"`],
  ['in JSON within JSON', `printf '[%s' "$(node -p 'JSON.stringify(JSON.stringify({ k: process.env.A_SECRET }))')"`],
])('puts a secret by name before it cites the beginning of what is not JSON: %s', async (_, script) => {
  const it = secretly(`    output: { type: object }\n    shell: { run: ${JSON.stringify(script)} }\n`);
  const { fault } = (await it.run()) as { fault?: { code: string; message: string } };
  expect(fault?.code).toBe('shell.output');
  expect(fault?.message).toContain('«redacted:A_SECRET»');
  expect(fault?.message).not.toContain('quoted');
});

it.each([
  ['text', '{ ID.txt: "${{ steps.a.output[0] + steps.a.output[1] }}" }'],
  ['name', '{ "${{ steps.a.output[0] + steps.a.output[1] }}-ID.txt": "${{ 1 }}" }'],
])('refuses a secret that is put together in the %s of a saved file', async (_, save) => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
permissions: { env: [A_TOKEN] }
steps:
  - id: a
    output: { type: array, items: { type: string } }
    shell: { run: 'printf "[\\"%s\\",\\"%s\\"]" "\${A_TOKEN:0:9}" "\${A_TOKEN:9}"' }
  - id: alone
    needs: [a]
    on_error: continue
    save: ${save.replace('ID', 'alone')}
    shell: { run: 'echo fine' }
  - id: group
    needs: [a]
    save: ${save.replace('ID', 'group')}
    steps: [{ id: b, shell: { run: 'echo fine' } }]
`,
  });
  const ran = await it.run({ env: { PATH: process.env.PATH, HOME: it.dir, A_TOKEN: 'ghp_0123456789abcdef' } });
  const failed = ran.events.flatMap((event) =>
    event.type === 'step_failed' ? [`${event.path} ${event.fault.code}`] : [],
  );
  expect(failed.sort()).toEqual(['alone step.secret_in_output', 'group step.secret_in_output']);
  expect(keptBy(it.dir)).not.toContain('ghp_0123456789abcdef');
});
