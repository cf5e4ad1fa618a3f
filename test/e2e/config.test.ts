import { expect, it } from 'vitest';
import { workspace } from '../support/cli.js';

interface Shown {
  readonly settings: readonly {
    readonly name: string;
    readonly value: unknown;
    readonly from: object;
    readonly overridden?: true;
  }[];
}

const KEY = 'sk-a-key-CANARY';

function configured() {
  const place = workspace();
  place.write(
    'pipeline.config.yaml',
    `models:
  default: { provider: openai, model: near }
  judge:
    provider: anthropic
    model: far
    fallback: [default]
providers: { openai: { rpm: 5 } }
`,
  );
  place.write(
    'user/pipeline/pipeline.config.yaml',
    'models:\n  default: { provider: ollama, model: mine }\nsandbox: off\n',
  );
  const env = {
    XDG_CONFIG_HOME: `${place.dir}/user`,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: 'https://me:CANARY@models.example/v1',
  };
  return { place, env };
}

it('--explain says of each setting which line, variable or default it comes from, and never what a key holds', async () => {
  const { place, env } = configured();
  const { code, stdout, stderr } = await place.pipeline(['config', '--explain'], env);
  expect([code, stderr]).toEqual([0, '']);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  const of = (name: string) => rows.filter(([first]) => first === name).map(([, ...rest]) => rest);
  expect(of('models.default.model')).toEqual([
    ['near', 'pipeline.config.yaml:2'],
    ['mine', 'user/pipeline/pipeline.config.yaml:2, overridden'],
  ]);
  expect(of('models.judge.model')).toEqual([['far', 'pipeline.config.yaml:5']]);
  expect(of('models.judge.fallback')).toEqual([['["default"]', 'pipeline.config.yaml:6']]);
  expect(of('providers.openai.rpm')).toEqual([['5', 'pipeline.config.yaml:7']]);
  expect(of('sandbox')).toEqual([['off', 'user/pipeline/pipeline.config.yaml:3']]);
  expect(of('detect')).toEqual([['true', 'default']]);
  expect(of('models.default.base_url')).toEqual([['https://models.example/v1', 'OPENAI_BASE_URL']]);
  expect(of('models.default.key')).toEqual([['set', 'OPENAI_API_KEY']]);
  expect(of('models.judge.key')).toEqual([['not set', 'ANTHROPIC_API_KEY']]);
  expect(of('OPENAI_API_KEY')).toEqual([['set', 'environment']]);
  const json = await place.pipeline(['config', '--explain', '--json'], env);
  expect(stdout + json.stdout).not.toContain('CANARY');
  const { settings } = JSON.parse(json.stdout) as Shown;
  expect(settings).toContainEqual({
    name: 'models.judge.model',
    value: 'far',
    from: { type: 'file', file: `${place.dir}/pipeline.config.yaml`, line: 5 },
  });
  expect(settings.filter(({ overridden }) => overridden).map(({ name }) => name)).toEqual([
    'models.default.provider',
    'models.default.model',
  ]);
});

it('without --explain tells what counts, and nothing that is overridden', async () => {
  const { place, env } = configured();
  const { stdout } = await place.pipeline(['config'], env);
  expect(stdout).toMatch(/^models\.default\.model +near$/m);
  expect(stdout).not.toContain('mine');
});

it('masks a key that stands in a file all the same, and says that it does not belong there', async () => {
  const place = workspace();
  place.write('pipeline.config.yaml', `models:\n  default: { provider: openai, model: m, api_key: ${KEY} }\n`);
  const { code, stdout, stderr } = await place.pipeline(['config', '--explain']);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^models\.default\.api_key +masked +pipeline\.config\.yaml:2$/m);
  expect(stderr).toContain('Keys never stand in a file');
  const json = await place.pipeline(['config', '--json']);
  expect(stdout + stderr + json.stdout + json.stderr).not.toContain('CANARY');
});
