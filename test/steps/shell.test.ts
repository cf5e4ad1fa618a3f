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
