/** Writes schemas/pipeline.schema.json from the registered step kinds. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = `${root}node_modules/.editor-schema.mjs`;
await esbuild.build({
  stdin: {
    contents: "export { editorSchema } from './src/load/editor-schema.ts'; export { STEP_KINDS } from './src/run.ts';",
    resolveDir: root,
    loader: 'ts',
  },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  outfile: bundle,
  logLevel: 'warning',
});
try {
  const { editorSchema, STEP_KINDS } = await import(bundle);
  mkdirSync(`${root}schemas`, { recursive: true });
  writeFileSync(`${root}schemas/pipeline.schema.json`, `${JSON.stringify(editorSchema(STEP_KINDS), null, 2)}\n`);
} finally {
  rmSync(bundle, { force: true });
}
