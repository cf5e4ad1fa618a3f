/** Runs every check of the source, reports all that fail. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenceProblems, pinProblems } from './check-packages.mjs';
import { generatedProblems, lengthNotices } from './check-tree.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const typesDir = mkdtempSync(join(tmpdir(), 'pipeline-types-'));
process.on('exit', () => rmSync(typesDir, { recursive: true, force: true }));

const bin = {
  tsc: 'typescript/bin/tsc',
  biome: '@biomejs/biome/bin/biome',
  knip: 'knip/bin/knip.js',
  typedoc: 'typedoc/bin/typedoc',
};

/** Each resolves to the problems that fail it, and to notices that do not. */
const CHECKS = {
  'types of the source, declarations': async () => {
    const found = await run(bin.tsc, ['-p', 'tsconfig.json', '--pretty', 'false', '--outDir', typesDir]);
    const missing = ['index.d.ts'].filter((name) => !existsSync(join(typesDir, name)));
    return found.length > 0 ? found : missing.map((name) => `tsc wrote no ${name}`);
  },
  'types of the tests': () => run(bin.tsc, ['-p', 'tsconfig.test.json', '--pretty', 'false']),
  'format, lint': () => run(bin.biome, ['ci', '.', '--colors=off', '--error-on-warnings', '--max-diagnostics=100']),
  'documentation of the exports': () => run(bin.typedoc, ['--emit', 'none', '--logLevel', 'Warn']),
  'dead code': () => run(bin.knip, ['--no-progress', '--no-config-hints']),
  'the tree in AGENTS.md': () => runFile('scripts/tree.mjs', ['--check']),
  'exact versions': () => pinProblems(root),
  licences: () => licenceProblems(root),
  'nothing generated is tracked': () => generatedProblems(root),
};

const run = (program, args) => runFile(join('node_modules', program), args);

/** A file of the project's folder, from there. What it prints is the problem when it fails. */
function runFile(file, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, file), ...args], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = [];
    child.stdout.on('data', (bytes) => output.push(bytes));
    child.stderr.on('data', (bytes) => output.push(bytes));
    child.on('error', (error) => resolve([`${file} cannot be started: ${error.message}. Run npm ci first.`]));
    child.on('close', (code) => {
      const text = Buffer.concat(output).toString().trim();
      resolve(code === 0 ? [] : [text === '' ? `${file} exited with ${code}` : text]);
    });
  });
}

let failed = 0;
for (const [name, check] of Object.entries(CHECKS)) {
  const problems = await check();
  if (problems.length > 0) failed++;
  console.log(`${problems.length > 0 ? '✗' : '✓'} ${name}`);
  for (const problem of problems) console.log(problem.replace(/^/gm, '    '));
}
for (const notice of lengthNotices(root)) console.log(`! ${notice}`);
console.log(failed === 0 ? 'All checks passed.' : `${failed} of ${Object.keys(CHECKS).length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
