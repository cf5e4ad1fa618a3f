/** Builds dist/: one bundle for the command line with heavy parts split off, one for the library, the types of both. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const esbuild = await import('esbuild').catch(() => {
  console.error('pipeline: esbuild is missing, so it cannot be built. Install the development packages too: npm ci --include=dev');
  process.exit(1);
});
const { precompileSource } = await import('./precompile.mjs');
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** src/core/precompiled.ts is empty in the source; the bundle gets the meta-schemas as code, so that a check needs no Ajv. */
const precompiled = {
  name: 'precompiled',
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]core[/\\]precompiled\.ts$/ }, async () => ({
      contents: await precompileSource([]),
      loader: 'js',
      resolveDir: root,
    }));
  },
};

rmSync(`${root}dist`, { recursive: true, force: true });
await esbuild.build({
  entryPoints: { cli: `${root}src/cli.ts`, index: `${root}src/index.ts` },
  outdir: `${root}dist`,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { PIPELINE_VERSION: JSON.stringify(version) },
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  plugins: [precompiled],
  logLevel: 'warning',
});
chmodSync(`${root}dist/cli.js`, 0o755);
if (process.argv.includes('--types')) {
  execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', root], { stdio: 'inherit' });
}
