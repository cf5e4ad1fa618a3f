/** docs/coming-from.md: every row names a source and tests that exist. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs/coming-from.md');

function checked(change: (page: string) => string) {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-page-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const page = join(dir, 'coming-from.md');
  writeFileSync(page, change(readFileSync(PAGE, 'utf8')));
  return spawnSync(process.execPath, [join(ROOT, 'scripts/coming-from.mjs'), '--page', page], { encoding: 'utf8' });
}

it('has one row for each of the 40 numbers, and each names a source, tests and pages that exist', () => {
  expect(checked((page) => page)).toMatchObject({ status: 0, stderr: '' });
});

it.each([
  ['a row that is gone', /^\| 7 \|.*\n/m, '', '✗ 7 has 0 rows\n'],
  ['a source that is gone', 'src/agent/guards.ts', 'src/agent/gone.ts', '✗ 2: there is no file src/agent/gone.ts\n'],
  [
    'a title that is another',
    'holds back at most ten',
    'holds back at most six',
    '✗ 9: test/providers/think.test.ts has no test',
  ],
  [
    'a title that is a describe',
    'goes by index when calls are interleaved',
    'joining calls',
    '✗ 7: test/providers/calls.test.ts has no test',
  ],
  ['a heading that is gone', 'safety.md#the-sandbox', 'safety.md#the-box', '✗ safety.md has no heading #the-box\n'],
] as const)('says %s', (_, from, to, said) => {
  const { status, stderr } = checked((page) => page.replace(from, to));
  expect(status).toBe(1);
  expect(stderr).toContain(said);
});
