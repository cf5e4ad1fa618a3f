/** Builds dist/: the command line with V8's code cache, the library in dist/lib/. With --types, or to be packed, also its types. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const withTypes = process.argv.includes('--types') || ['pack', 'publish'].includes(process.env.npm_command);

const [esbuild, plugins, bundle] = await Promise.all([
  import('esbuild'),
  import('./bundle-plugins.mjs'),
  import('./bundle.mjs'),
]).catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(`pipeline: cannot be built: ${error.message.split(' imported from ')[0]}.`);
  console.error('  try  npm ci --include=dev  (NODE_ENV=production leaves out the packages that the build needs)');
  process.exit(1);
});

/** The library finds what lies beside dist/ as the command line does: from a file in dist/. */
const libraryHead = [
  "import { createRequire as makeRequire } from 'node:module';",
  "const importMetaUrl = new URL('../index.js', import.meta.url).href;",
  'const require = makeRequire(importMetaUrl);',
];

rmSync(dist, { recursive: true, force: true });
await bundle.bundleCommandLine(root, dist);
await esbuild.build({
  ...bundle.commonOf(root),
  entryPoints: { index: `${root}src/index.ts` },
  outdir: `${dist}lib`,
  /** Node shows the source line of what is thrown and not caught. */
  lineLimit: 160,
  chunkNames: 'part-[hash]',
  splitting: true,
  format: 'esm',
  banner: { js: libraryHead.join('\n') },
  plugins: [plugins.precompiled(root), plugins.withoutJsYaml],
});
writeFileSync(`${dist}lib/package.json`, '{ "type": "module" }\n');

const warmed = spawnSync(process.execPath, [`${root}scripts/warm.cjs`], { encoding: 'utf8', timeout: 60_000 });
if (warmed.status !== 0) {
  console.error(`pipeline: built without a code cache, so it starts slower: ${warmed.stderr.trim().slice(-500)}`);
}

if (withTypes) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  execFileSync(process.execPath, [tsc, '-p', root, '--outDir', `${dist}lib`], { stdio: 'inherit' });
}
