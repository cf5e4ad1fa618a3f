/**
 * Holds docs/coming-from.md against the project: each row's source and tests exist; with --run, the tests of sampled rows pass, and fail
 * when that source is emptied in a copy.
 * Usage: [--page <file>] [--run [--sample 10] [--seed 1] [--rows 2,9]]
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NUMBERS = 40;
/** What no unit test reads, or what is linked. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'dist', 'skill_run', 'coverage']);

const { values } = parseArgs({
  options: {
    page: { type: 'string', default: join(ROOT, 'docs/coming-from.md') },
    run: { type: 'boolean', default: false },
    sample: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string' },
  },
});

const text = readFileSync(values.page, 'utf8');
const rows = rowsOf(text);
const problems = [...numberProblems(rows), ...linkProblems(text), ...rows.flatMap(rowProblems)];
for (const problem of problems) console.error(`✗ ${problem}`);
console.log(`${rows.length} rows, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
if (values.run && problems.length === 0) process.exitCode = runRows(chosenOf(rows)) ? 0 : 1;

/** `| id | behaviour | here | source | tests |`, the tests as `` `file` · "title" `` with `<br>` between them. */
function rowsOf(page) {
  return page.split('\n').flatMap((line) => {
    if (!/^\| L?\d+ \|/.test(line)) return [];
    const [id, , , source = '', tests = ''] = line
      .slice(1, line.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    return [{ id, source: source.replaceAll('`', ''), tests: tests.split('<br>').map(testOf) }];
  });
}

function testOf(cell) {
  const [, file = '', title = ''] = /^`([^`]+)` · "(.*)"$/.exec(cell.trim()) ?? [];
  return { cell, file, title };
}

function numberProblems(all) {
  const wrong = Array.from({ length: NUMBERS }, (_, at) => `${at + 1}`).flatMap((number) => {
    const count = all.filter(({ id }) => id === number).length;
    return count === 1 ? [] : [`${number} has ${count} rows`];
  });
  const more = all.filter(({ id }, at) => all.findIndex((one) => one.id === id) !== at || Number(id) > NUMBERS);
  return [...wrong, ...more.map(({ id }) => `the row ${id} is one too many`)];
}

function rowProblems({ id, source, tests }) {
  const found = existsSync(join(ROOT, source)) && source !== '' ? [] : [`${id}: there is no file ${source}`];
  // Those of the built command line are not run from a copy.
  if (tests[0]?.file.startsWith('test/e2e/')) found.push(`${id}: its first test needs a build; name a unit test first`);
  return [...found, ...tests.flatMap((test) => testProblem(test).map((problem) => `${id}: ${problem}`))];
}

function testProblem({ cell, file, title }) {
  if (title === '') return [`this is no \`file\` · "title": ${cell}`];
  if (!existsSync(join(ROOT, file))) return [`there is no file ${file}`];
  const escaped = (quote) => title.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  const literals = ["'", '"', '`'].map((quote) => `${quote}${escaped(quote)}${quote}`);
  const pattern = literals.map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const isThere = new RegExp(`(?<!\\bdescribe)[(\\n]\\s*(?:${pattern})`).test(readFileSync(join(ROOT, file), 'utf8'));
  return isThere ? [] : [`${file} has no test "${title}"`];
}

function linkProblems(page) {
  return [...page.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path, anchor]) => {
    if (/^https?:/.test(path)) return [];
    const file = path === '' ? values.page : resolve(ROOT, 'docs', path);
    if (!existsSync(file)) return [`the link ${path} leads nowhere`];
    if (anchor === undefined) return [];
    const slugs = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => slugOf(title));
    return slugs.includes(anchor) ? [] : [`${path} has no heading #${anchor}`];
  });
}

function slugOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Drawn without repetition; the same for a seed. */
function chosenOf(all) {
  if (values.rows !== undefined) return all.filter(({ id }) => values.rows.split(',').includes(id));
  const left = [...all];
  let state = Number(values.seed) >>> 0;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * left.length);
  };
  draw();
  return Array.from({ length: Math.min(Number(values.sample), all.length) }, () => left.splice(draw(), 1)[0]);
}

/** Says a line for each row. The copy is tried whole before it is tried without the source, so that a broken copy proves nothing. */
function runRows(chosen) {
  const folder = mkdtempSync(join(tmpdir(), 'coming-from-'));
  try {
    copyTo(folder);
    return chosen.map((row) => runRow(row, folder)).every((isFine) => isFine);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runRow({ id, source, tests: [test] }, folder) {
  const whole = ranIn(folder, test);
  const file = join(folder, source);
  const content = readFileSync(file);
  writeFileSync(file, '');
  const emptied = ranIn(folder, test);
  writeFileSync(file, content);
  const passes = whole.isOk && whole.passed > 0 && whole.failed === 0;
  const fails = !emptied.isOk;
  const said = `${passes ? `${whole.passed} passed` : 'does not pass'}; ${fails ? 'fails' : 'DOES NOT FAIL'} without ${source}`;
  console.log(`${passes && fails ? '✓' : '✗'} ${id}: ${test.file} · "${test.title}": ${said}`);
  if (!passes) console.log(whole.output.trim().split('\n').slice(-15).join('\n'));
  return passes && fails;
}

function copyTo(folder) {
  for (const name of readdirSync(ROOT)) {
    if (!NOT_COPIED.has(name))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  }
  // One by one: what a test runner keeps in node_modules stays in the copy.
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.vite')) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  if (existsSync(join(ROOT, 'dist'))) symlinkSync(join(ROOT, 'dist'), join(folder, 'dist'));
}

function ranIn(folder, { file, title }) {
  const report = join(folder, 'coming-from-report.json');
  rmSync(report, { force: true });
  const vitest = join(dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))), 'vitest.mjs');
  const more = ['--reporter=json', `--outputFile=${report}`];
  const args = [vitest, 'run', '--project', 'unit', file, '-t', patternOf(title), ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = counts;
  return { isOk: status === 0, passed, failed, output: `${stdout}\n${stderr}` };
}

/** The end of a full name; what stands for a value of `it.each`, or of a template, may be anything. */
function patternOf(title) {
  const parts = title.split(/%[sdifjop#]|%\$|\$\{[^}]*\}|\$[\w.]+/);
  return `${parts.map((part) => part.replaceAll('%%', '%').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`;
}
