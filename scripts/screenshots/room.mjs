/** A project in a folder of its own, with the demo skill and the built program as `pipeline`. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModel } from './model.mjs';

const DEMO = fileURLToPath(new URL('./demo/', import.meta.url));
const CLI = process.env.PIPELINE_TEST_CLI ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * @param answer of the model on loopback, as model.mjs says; without it none is configured
 * @param files further ones, or others in the place of the demo's
 */
export async function openRoom({ answer, files = {} } = {}) {
  const base = mkdtempSync(join(tmpdir(), 'demo-'));
  const dir = join(base, 'birds');
  cpSync(DEMO, dir, { recursive: true });
  const model = answer && (await openModel(answer));
  const write = (path, text) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  if (model) write('pipeline.config.yaml', configFor(model.url));
  for (const [path, text] of Object.entries(files)) write(path, text);
  const program = join(base, 'bin/pipeline');
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(program, 0o755);
  return {
    dir,
    model,
    env: {
      PATH: `${dirname(program)}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: base,
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      USER: 'ada',
      LOGNAME: 'ada',
      OPENAI_API_KEY: 'none',
    },
    async close() {
      await model?.close();
      // What a terminal that was closed still ran may yet write.
      await rm(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** Prices per million tokens. */
function configFor(url) {
  return `models:
  default: { provider: openai, model: gpt-5-mini, base_url: "${url}", price: { input: 0.25, output: 2 } }
`;
}
