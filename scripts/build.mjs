/** Builds dist/: the command line as one bundle with V8's code cache beside it, the library, on demand the types. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;

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

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  charset: 'ascii',
  define: { PIPELINE_VERSION: JSON.stringify(version) },
  plugins: [precompiled],
  logLevel: 'warning',
};

rmSync(dist, { recursive: true, force: true });
/** CommonJS, since only there Node 20 takes a code cache; 480 KB of pinyin stay apart until a query needs them. */
await esbuild.build({
  ...common,
  entryPoints: { bundle: `${root}src/cli/program.ts`, pinyin: `${root}node_modules/pinyin-pro/dist/index.mjs` },
  outdir: dist,
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  plugins: [precompiled, pinyinApart()],
});
await esbuild.build({
  ...common,
  entryPoints: { index: `${root}src/index.ts` },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'library-[hash]',
  splitting: true,
  format: 'esm',
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
});
writeFileSync(`${dist}package.json`, '{ "type": "commonjs" }\n');
const loader = readFileSync(`${root}scripts/loader.cjs`, 'utf8').replace('PIPELINE_VERSION', JSON.stringify(version));
writeFileSync(`${dist}cli.js`, loader);
chmodSync(`${dist}cli.js`, 0o755);
const warmed = spawnSync(process.execPath, [`${root}scripts/warm.cjs`], { encoding: 'utf8', timeout: 60_000 });
if (warmed.status !== 0) console.error(`pipeline: built without a code cache, so it starts slower: ${warmed.stderr.trim()}`);

if (process.argv.includes('--types')) {
  execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', root], { stdio: 'inherit' });
}

function pinyinApart() {
  return {
    name: 'pinyin-apart',
    setup(build) {
      build.onResolve({ filter: /^pinyin-pro$/ }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: './pinyin.js', external: true },
      );
    },
  };
}
