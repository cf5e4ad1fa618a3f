/** The tests that the bundled skills bring along: one for each of their files. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** No key and no network: what a person has who has just installed it. */
const AROUND = { cwd: ROOT, env: { PATH: process.env.PATH, HOME: '/nowhere' } };

const found = await findTests([], AROUND);

it('finds tests of every bundled skill, and no mistake in them', () => {
  expect(found.problems).toEqual([]);
  expect(found.untested).toEqual([]);
});

/** Its steps ask the built program, which there is only end to end: test/e2e/write-a-pipeline.test.ts. */
const inProcess = found.tests.filter(({ target }) => basename(target) !== 'write-a-pipeline');

describe.each(inProcess.map((test) => ({ test, name: test.name, file: test.file.slice(ROOT.length) })))(
  '$file',
  ({ test, name }) => {
    it(name, async () => {
      const { failures } = await performTest(test, AROUND, { checked: found.checked.get(test.target) });
      expect(failures.flatMap(failureLines)).toEqual([]);
    });
  },
);
