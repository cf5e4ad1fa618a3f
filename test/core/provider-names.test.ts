import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isProviderKey } from '../../src/core/provider-keys.js';
import { PROVIDER_NAMES } from '../../src/core/provider-names.js';
import { loadConfig } from '../../src/load/config.js';
import { LOCAL_SERVERS } from '../../src/providers/local-servers.js';
import { createModels } from '../../src/providers/models.js';
import { SERVICES, settingsOf } from '../../src/providers/services.js';

it('names the same providers as those who open, look for, configure and guard them', async () => {
  const opened = [...SERVICES, ...LOCAL_SERVERS].map(({ name }) => name);
  expect([...opened, 'sketch']).toEqual(PROVIDER_NAMES);
  for (const service of SERVICES) expect(isProviderKey(`${settingsOf(service, {}).prefix}_API_KEY`)).toBe(true);

  const projectDir = mkdtempSync(join(tmpdir(), 'names-'));
  const lines = PROVIDER_NAMES.map((name) => `  on_${name}: { provider: ${name}, model: m }\n`);
  writeFileSync(join(projectDir, 'pipeline.config.yaml'), `models:\n${lines.join('')}`);
  const { config, problems } = loadConfig({ projectDir });
  expect(problems).toEqual([]);
  const env = Object.fromEntries(SERVICES.map((service) => [`${settingsOf(service, {}).prefix}_API_KEY`, 'k']));
  const models = createModels({ roles: config.models, env, detect: false, cwd: '/' });
  const labels = await Promise.all(PROVIDER_NAMES.map(async (name) => (await models.pick(`on_${name}`)).label));
  expect(labels).toEqual(PROVIDER_NAMES.map((name) => (name === 'sketch' ? name : `${name}/m`)));
});
