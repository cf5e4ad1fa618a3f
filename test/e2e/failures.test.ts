import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

const QUERY = 'a query';

it.concurrent.for([
  ['failed', 'step "breaks": the command exited with 9: no such luck', true],
  ['refused', '✗ refused', false],
  ['partial', '✗ partial', true],
] as const)(
  '--quiet still says why a run is %s, and nothing of its progress',
  async ([name, reason, goesOn], { onTestFinished: atEnd }) => {
    const ran = await workspace('exit-codes', atEnd).pipeline([
      'run',
      `${name}.yaml`,
      QUERY,
      '--quiet',
      '--model',
      'sketch',
    ]);
    expect(ran.stderr).toContain(reason);
    expect(ran.stderr.includes('go on  pipeline resume')).toBe(goesOn);
    expect(ran.stderr).not.toMatch(/limits:|\d steps?,|✓/);
  },
);

it('--quiet still says what is wrong with a pipeline', async () => {
  const ran = await workspace('mistakes').pipeline(['run', 'pipeline.yaml', QUERY, '--quiet']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('Nothing was run.');
});

it.concurrent.for([
  [['run'], 2],
  [['run', 'x', '--wrong'], 2],
  [['nonsense'], 2],
  [['run', 'x', '--max-parallel', '0'], 2],
  [['run', 'x', '--limit', 'tokens=no'], 2],
  [['runs', '--wrong'], 2],
  [['list', 'one', 'too many'], 2],
  [['show', 'nobody', 'step'], 2],
  [['check', 'nobody'], 2],
  [['run', 'agent.yaml', QUERY, '--model', 'openai/m'], 3],
] as const)('--json gives one document, also for %j', async ([args, code], { onTestFinished: atEnd }) => {
  const ran = await workspace('exit-codes', atEnd).pipeline([...args, '--json']);
  expect(ran.code).toBe(code);
  const document = JSON.parse(ran.stdout) as { readonly status?: string };
  if (document.status === 'error') {
    expect(document).toMatchObject({
      exit: code,
      fault: { code: expect.any(String), message: expect.stringMatching(/\S/) },
    });
    expect(ran.stderr).not.toBe('');
  } else expect(document).toMatchObject({ problems: [expect.anything()] });
});

it('gives no document where `--json` is a word of the query', async () => {
  const ran = await workspace('exit-codes').pipeline(['run', 'nobody.yaml', '--', '--json']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
});
