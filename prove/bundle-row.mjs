/** Bundles a row with the source that it tries, whole or with one guard taken out. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleCommandLine } from '../scripts/bundle.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Below node_modules, so that what a bundle leaves out is found from there. */
const made = `${root}node_modules/.cache/pipeline-prove/${process.pid}/`;

export const removeMade = () => rmSync(made, { recursive: true, force: true });

/**
 * @param name of a file in rows/
 * @param guard taken out of the source, when one is given
 * @returns the script that performs the row, and the command line that it tries
 */
export async function bundleRow(name, guard) {
  const dir = `${made}${name}-${guard ? guard.says.replace(/\W+/g, '-') : 'whole'}/`;
  mkdirSync(dir, { recursive: true });
  const script = `${dir}row.mjs`;
  const changed = guard ? [without(guard)] : [];
  await build({
    stdin: {
      contents: `import { row } from './rows/${name}.js';\nimport { perform } from './perform.js';\nawait perform(row);\n`,
      resolveDir: `${root}prove`,
    },
    outfile: script,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    plugins: [outsideOfVitest, ownAddress(guard)],
  });
  if (!guard) return { script, cli: `${root}dist/cli.js` };
  for (const beside of ['skills', 'schemas', 'package.json']) {
    if (!existsSync(dir + beside)) symlinkSync(root + beside, dir + beside);
  }
  await bundleCommandLine(root, `${dir}dist/`, changed);
  return { script, cli: `${dir}dist/cli.js` };
}

/** What the row says of itself. */
export async function readRow(name) {
  const outfile = `${made}${name}.mjs`;
  await build({
    entryPoints: [`${root}prove/rows/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    plugins: [outsideOfVitest, ownAddress()],
  });
  return (await import(pathToFileURL(outfile).href)).row;
}

/** @throws where the guard is not found exactly once */
function withoutGuard({ file, find, replace, says }) {
  const pieces = readFileSync(join(root, file), 'utf8').split(find);
  if (pieces.length !== 2) {
    throw new Error(`${file} holds the guard "${says}" ${pieces.length - 1} times, not once: ${JSON.stringify(find)}`);
  }
  return pieces.join(replace);
}

/** For the command line. */
const without = (guard) => ({
  name: 'without-a-guard',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) =>
      path === join(root, guard.file) ? { contents: withoutGuard(guard), loader: 'ts' } : undefined,
    );
  },
});

/** Rows may use what the tests use, which cleans up when a test of vitest ends. */
const outsideOfVitest = {
  name: 'outside-of-vitest',
  setup({ onResolve }) {
    onResolve({ filter: /^vitest$/ }, () => ({ path: `${root}prove/at-end.ts` }));
  },
};

/** A file finds its neighbours from where it stands in the project, not from where the bundle stands. */
const ownAddress = (guard) => ({
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const text = guard && path === join(root, guard.file) ? withoutGuard(guard) : readFileSync(path, 'utf8');
      return {
        contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: 'ts',
      };
    });
  },
});
