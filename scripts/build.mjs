/** Builds dist/: the command line with V8's code cache, the library in dist/lib/. With --types, or to be packed, also its types. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const withTypes = process.argv.includes('--types') || ['pack', 'publish'].includes(process.env.npm_command);

const [esbuild, plugins] = await Promise.all([import('esbuild'), import('./bundle-plugins.mjs')]).catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(`pipeline: cannot be built: ${error.message.split(' imported from ')[0]}.`);
  console.error('  try  npm ci --include=dev  (NODE_ENV=production leaves out the packages that the build needs)');
  process.exit(1);
});
const { PARTS, apart, parts, precompiled, withoutEndpoints, withoutJsYaml, celWithoutItsOwnEnvironment } = plugins;
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/**
 * Each part of the command line is one function, so that the loader need not wrap, and copy, a megabyte of text at every start. The file's
 * value is that function, read as a script or required as a module.
 */
const HEAD =
  "(typeof module === 'undefined' ? {} : module).exports = (function (exports, require, module, __filename, __dirname) {";

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  charset: 'ascii',
  define: { PIPELINE_VERSION: JSON.stringify(version), 'import.meta.url': 'importMetaUrl' },
  logLevel: 'warning',
};

/** CommonJS, since only there Node 20 takes a code cache. */
const forCommands = {
  ...common,
  outdir: dist,
  format: 'cjs',
  supported: { 'dynamic-import': false },
  banner: { js: `${HEAD}const importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
  footer: { js: '})' },
};

/** The library finds what lies beside dist/ as the command line does: from a file in dist/. */
const libraryHead = [
  "import { createRequire as makeRequire } from 'node:module';",
  "const importMetaUrl = new URL('../index.js', import.meta.url).href;",
  'const require = makeRequire(importMetaUrl);',
];

rmSync(dist, { recursive: true, force: true });
await esbuild.build({
  ...forCommands,
  entryPoints: { bundle: `${root}src/cli/program.ts` },
  plugins: [precompiled(root), withoutJsYaml, withoutEndpoints, celWithoutItsOwnEnvironment, apart],
});
await esbuild.build({
  ...forCommands,
  entryPoints: Object.fromEntries(Object.keys(PARTS).map((name) => [name, `part:${name}`])),
  plugins: [parts(root)],
});
await esbuild.build({
  ...common,
  entryPoints: { index: `${root}src/index.ts` },
  outdir: `${dist}lib`,
  chunkNames: 'part-[hash]',
  splitting: true,
  format: 'esm',
  banner: { js: libraryHead.join('\n') },
  plugins: [precompiled(root), withoutJsYaml],
});
writeFileSync(`${dist}package.json`, '{ "type": "commonjs" }\n');
writeFileSync(`${dist}lib/package.json`, '{ "type": "module" }\n');
const loader = readFileSync(`${root}scripts/loader.cjs`, 'utf8').replace('PIPELINE_VERSION', JSON.stringify(version));
writeFileSync(`${dist}cli.js`, loader);
chmodSync(`${dist}cli.js`, 0o755);

const warmed = spawnSync(process.execPath, [`${root}scripts/warm.cjs`], { encoding: 'utf8', timeout: 60_000 });
if (warmed.status !== 0) {
  console.error(`pipeline: built without a code cache, so it starts slower: ${warmed.stderr.trim().slice(-500)}`);
}

if (withTypes) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  execFileSync(process.execPath, [tsc, '-p', root, '--outDir', `${dist}lib`], { stdio: 'inherit' });
}
