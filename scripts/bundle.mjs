/** Bundles the command line into a folder: the program, the libraries it loads on demand, its loader. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import {
  apart,
  celWithoutItsOwnEnvironment,
  PARTS,
  parts,
  precompiled,
  withoutEndpoints,
  withoutJsYaml,
} from './bundle-plugins.mjs';

/**
 * Each part of the command line is one function, so that the loader need not wrap, and copy, a megabyte of text at every start. The file's
 * value is that function, read as a script or required as a module.
 */
const HEAD =
  "(typeof module === 'undefined' ? {} : module).exports = (function (exports, require, module, __filename, __dirname) {";

/** @param root the project's folder, with a `/` at its end */
export function commonOf(root) {
  return {
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    charset: 'ascii',
    define: { PIPELINE_VERSION: versionIn(root), 'import.meta.url': 'importMetaUrl' },
    logLevel: 'warning',
    /** Who wants spans installs it beside this program. */
    external: ['@opentelemetry/*'],
  };
}

/**
 * @param dist with a `/` at its end; what lies beside it is what the command line finds there: skills/, schemas/
 * @param plugins further ones, which come before ours
 */
export async function bundleCommandLine(root, dist, plugins = []) {
  /** CommonJS, since only there Node 20 takes a code cache. */
  const forCommands = {
    ...commonOf(root),
    outdir: dist,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    banner: { js: `${HEAD}const importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
    footer: { js: '})' },
  };
  await build({
    ...forCommands,
    entryPoints: { bundle: `${root}src/cli/program.ts` },
    plugins: [...plugins, precompiled(root), withoutJsYaml, withoutEndpoints, celWithoutItsOwnEnvironment, apart],
  });
  await build({
    ...forCommands,
    entryPoints: Object.fromEntries(Object.keys(PARTS).map((name) => [name, `part:${name}`])),
    plugins: [parts(root), precompiled(root), apart],
  });
  for (const name of ['bundle', ...Object.keys(PARTS)]) toAscii(`${dist}${name}.js`);
  mkdirSync(dist, { recursive: true });
  writeFileSync(`${dist}package.json`, '{ "type": "commonjs" }\n');
  const loader = readFileSync(`${root}scripts/loader.cjs`, 'utf8').replace('PIPELINE_VERSION', versionIn(root));
  writeFileSync(`${dist}cli.js`, loader);
  chmodSync(`${dist}cli.js`, 0o755);
}

/** The loader reads bytes as characters; esbuild escapes what is beyond ASCII in texts, but not in regular expressions. */
function toAscii(file) {
  const source = readFileSync(file, 'utf8');
  const escaped = source.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== source) writeFileSync(file, escaped);
}

/** As a piece of source. */
const versionIn = (root) => JSON.stringify(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version);
