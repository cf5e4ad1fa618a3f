/** Sums the JSON reports of test runs and names the failed tests. Usage: <folder of reports>; `<report>.failed` marks a run that ended badly. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder = '.'] = process.argv.slice(2);
let passed = 0;
const failed = [];

const names = new Set(readdirSync(folder).map((name) => name.replace(/\.failed$/, '')));
for (const name of [...names].sort()) {
  const file = join(folder, name);
  const run = name.replace(/^\d+ /, '').replace(/\.json$/, '');
  const before = failed.length;
  for (const { name: test, assertionResults, status } of existsSync(file) ? reportOf(file) : []) {
    const where = relative(process.cwd(), test);
    for (const result of assertionResults) {
      if (result.status === 'passed') passed++;
      if (result.status === 'failed') failed.push(`${run}: ${where}: ${result.fullName}`);
    }
    if (status === 'failed' && !assertionResults.some((result) => result.status === 'failed')) {
      failed.push(`${run}: ${where}: the file itself`);
    }
  }
  if (failed.length === before && existsSync(`${file}.failed`)) failed.push(`${run}: it ended badly`);
}

for (const one of failed) console.log(`✗ ${one}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

function reportOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return [];
  }
}
