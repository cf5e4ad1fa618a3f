/** What esbuild is told about single modules: which are generated, which are left out, which stand in files of their own. */
import { readFileSync } from 'node:fs';
import { precompileSource } from './precompile.mjs';

/** What the source imports on demand, by the file it stands in; libraries that share classes stand together. */
export const PARTS = {
  ajv: ['ajv', 'ajv/dist/2020.js', 'ajv-formats'],
  dagre: ['@dagrejs/dagre'],
  execa: ['execa'],
  markdown: ['markdown-it'],
  hono: ['hono', '@hono/node-server'],
  pinyin: ['pinyin-pro'],
  prices: ['@pydantic/genai-prices'],
  report: ['./src/report/write'],
};

/** src/core/precompiled.ts is empty in the source; the bundle gets the meta-schemas as code, so that a check needs no Ajv. */
export const precompiled = (root) => ({
  name: 'precompiled',
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]core[/\\]precompiled\.ts$/ }, async () => ({
      contents: await precompileSource([]),
      loader: 'js',
      resolveDir: root,
    }));
  },
});

/** gray-matter is given its YAML engine, but loads one of its own as well. */
export const withoutJsYaml = {
  name: 'without-js-yaml',
  setup(build) {
    build.onResolve({ filter: /^js-yaml$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /^js-yaml$/, namespace: 'left-out' }, () => ({
      contents: "exports.safeLoad = exports.safeDump = () => { throw new Error('js-yaml is left out'); };",
    }));
  },
};

/** Only the core of OpenAI's client is used: its hundred endpoints become empty classes of the same names. */
export const withoutEndpoints = {
  name: 'without-endpoints',
  setup(build) {
    build.onLoad({ filter: /[/\\]node_modules[/\\]openai[/\\]resources[/\\].*\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const passedOn = text.match(/^export [*{][^;]*;/gm) ?? [];
      const own = [...text.matchAll(/^export (?:class|const|function) (\w+)/gm)];
      return { contents: [...passedOn, ...own.map(([, name]) => `export class ${name} {}`)].join('\n') };
    });
  },
};

/** An import on demand of what is in `PARTS` requires the part: with a code cache of its own, which no start reads. */
export const apart = {
  name: 'apart',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      const part = Object.keys(PARTS).find((name) => PARTS[name].includes(path));
      return kind === 'dynamic-import' && part ? { path, namespace: 'apart', pluginData: part } : undefined;
    });
    build.onLoad({ filter: /./, namespace: 'apart' }, ({ path, pluginData: part }) => ({
      contents: `module.exports = require('./${part}.js')[${JSON.stringify(path)}];`,
    }));
    build.onResolve({ filter: /^\.\/report\/write\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: PARTS.report[0], namespace: 'apart', pluginData: 'report' } : undefined,
    );
    build.onResolve({ filter: /^\.\//, namespace: 'apart' }, ({ path }) => ({ path, external: true }));
  },
};

/** The entry point `part:<name>`: what is in it by its names. */
export const parts = (root) => ({
  name: 'parts',
  setup(build) {
    build.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice('part:'.length), namespace: 'part' }));
    build.onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
      contents: PARTS[path]
        .map((name) => `exports[${JSON.stringify(name)}] = require(${JSON.stringify(name)});`)
        .join('\n'),
      resolveDir: root,
    }));
  },
});

/** The CEL library makes an environment of its own at import, which nothing of ours uses and which costs eight milliseconds of every start. */
export const celWithoutItsOwnEnvironment = {
  name: 'cel-without-its-own-environment',
  setup(build) {
    build.onLoad({ filter: /[/\\]@marcbachmann[/\\]cel-js[/\\]lib[/\\]evaluator\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(
        /const globalEnvironment = new Environment\(\{[^}]*\}\)/,
        'let globalEnvironment',
      );
      if (contents === source)
        throw new Error('the CEL library has changed: look whether it still makes an environment at import');
      return { contents, loader: 'js' };
    });
  },
};
