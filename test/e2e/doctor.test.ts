/** `pipeline doctor` on machines that lack something: each trouble is one line with its remedy. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { workspace } from '../support/cli.js';
import { type Answer, mockServer } from '../support/mock-server.js';

const KEY = 'sk-a-wrong-key-CANARY';

async function examined(
  place: ReturnType<typeof workspace>,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
) {
  const { code, stdout, stderr } = await place.pipeline(['doctor', '--no-detect', ...more], {
    LANG: 'C.UTF-8',
    ...env,
  });
  expect([code, stderr]).toEqual([0, '']);
  return { stdout, trouble: stdout.split('\n').filter((line) => /^(warn|fail)/.test(line)) };
}

async function serving(answer: Answer) {
  const server = await mockServer(answer);
  onTestFinished(() => server.close());
  return server;
}

/** A folder of programs in which bubblewrap is not. */
function programs(place: ReturnType<typeof workspace>): string {
  const dir = join(place.dir, 'programs');
  mkdirSync(dir);
  for (const name of ['bash', 'git']) symlinkSync(join('/usr/bin', name), join(dir, name));
  return dir;
}

it('without a key it says so, with how to get a model', async () => {
  const { trouble } = await examined(workspace());
  expect(trouble.filter((line) => !line.includes('sandbox'))).toEqual([
    'warn  default  sketch: no language model → export OPENAI_API_KEY=…',
  ]);
});

it('with a wrong key it says that the service refuses it, and where a right one belongs', async () => {
  const refused = { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }) };
  const server = await serving(() => refused);
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'm' };
  const { stdout, trouble } = await examined(workspace(), env);
  const { host } = new URL(server.url);
  expect(trouble.filter((line) => !line.includes('sandbox'))).toEqual([
    `warn  reach    ${host} (default) refuses the key in OPENAI_API_KEY (HTTP 401) → export OPENAI_API_KEY=… with a key that is valid there`,
  ]);
  expect(stdout).toContain('ok    keys     OPENAI_API_KEY set\n');
  expect(stdout).toContain('ok    config   OPENAI_BASE_URL, OPENAI_MODEL from the environment\n');
  expect(server.requests.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
    ['GET', '/v1/models', `Bearer ${KEY}`],
  ]);
  const json = await workspace().pipeline(['doctor', '--no-detect', '--json'], env);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: true,
    findings: expect.arrayContaining([
      { check: 'reach', state: 'warn', text: expect.any(String), remedy: expect.any(String) },
    ]),
  });
  expect(stdout + json.stdout).not.toContain('CANARY');
});

it('with a broken SKILL.md it says which one is skipped, why, and how it is mended', async () => {
  const place = workspace();
  place.write('skills/broken/SKILL.md', '---\nname: broken\ndescription: Never closed.\n');
  const { trouble } = await examined(place);
  const said = trouble.filter((line) => line.includes('skills/broken'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^warn {2}skills {3}skipped: skills\/broken\/SKILL\.md:\d+: .+ → .+$/);
});

it('without bubblewrap it says that agents have no shell, and what to install', async () => {
  const place = workspace();
  const { trouble } = await examined(place, { PATH: programs(place) });
  expect(trouble.filter((line) => line.includes('sandbox'))).toEqual([
    'warn  sandbox  none: bubblewrap is not installed; agents with the tool shell are refused, and a chat asks before each command → Install the package bubblewrap.',
  ]);
});

it('says that a service does not answer, lists no models, or not those of the configuration', async () => {
  const lists = await serving(() => ({ body: JSON.stringify({ data: [{ id: 'small' }, { id: 'large-2026' }] }) }));
  const page = await serving(() => ({ body: '<html>', headers: { 'content-type': 'text/html' } }));
  const place = workspace();
  const role = (name: string, model: string, url: string) =>
    `  ${name}: { provider: openai, model: ${model}, base_url: "${url}" }\n`;
  place.write(
    'pipeline.config.yaml',
    `models:\n${role('default', 'large', lists.url)}${role('judge', 'smal', `${lists.url}/`)}${role('away', 'm', 'http://127.0.0.1:9/v1')}${role('page', 'm', page.url)}`,
  );
  const { stdout } = await examined(place);
  const lines = stdout.split('\n').filter((line) => line.includes('  reach  '));
  expect(lines.map((line) => line.replaceAll(/127\.0\.0\.1:\d{2,}/g, 'HOST'))).toEqual([
    'ok    reach    HOST (default) answers, and lists large',
    'warn  reach    HOST (judge) answers, but does not list smal → it lists small, large-2026',
    expect.stringMatching(
      /^warn {2}reach {4}127\.0\.0\.1:9 \(away\) cannot be asked: the connection failed \(ECONNREFUSED\) → /,
    ),
    'warn  reach    HOST (page) answers, but lists no models (HTTP 200) → check the base URL http://HOST/v1, which usually ends in /v1',
  ]);
});

it('with a server of its own that does not answer it says why, of the model and of the service, and exits 0', async () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
  const { trouble } = await examined(workspace(), env);
  expect(trouble.filter((line) => !line.includes('sandbox'))).toEqual([
    'warn  default  The server at http://127.0.0.1:9/v1 cannot be asked which models it has: The connection to 127.0.0.1:9 failed (ECONNREFUSED). → Is the model server running on that port?',
    'warn  reach    127.0.0.1:9 (default) cannot be asked: the connection failed (ECONNREFUSED) → Is the model server running on that port?',
  ]);
});

it('--offline asks no service', async () => {
  const server = await serving(() => ({ body: '{"data":[]}' }));
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'm' };
  const { stdout } = await examined(workspace(), env, ['--offline']);
  expect(stdout).not.toContain('reach');
  expect(server.requests).toEqual([]);
});
