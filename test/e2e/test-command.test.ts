/** `pipeline test`, `--record` and `--replay` as a person types them. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUNDLED_SKILLS, seen, type Workspace, workspace } from '../support/cli.js';

function withSkills(atEnd?: (clean: () => void) => void): Workspace {
  const place = workspace(undefined, atEnd);
  cpSync(BUNDLED_SKILLS, join(place.dir, 'skills'), { recursive: true });
  return place;
}

describe('the tests of idea-spark, with no key and no network', () => {
  const clean: (() => void)[] = [];
  let place: Workspace;
  beforeAll(() => {
    place = withSkills((undo) => clean.push(undo));
    return () => {
      for (const undo of clean) undo();
    };
  });

  it('pass, each on its line, and leave no run behind', async () => {
    const ran = await place.pipeline(['test', 'idea-spark']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    for (const claim of [
      'three cards',
      'too vague',
      'fewer than five',
      'revised, then advances',
      'room for another',
      'phase_3_failed',
    ]) {
      expect(ran.stderr).toMatch(new RegExp(`✓ .*${claim}`));
    }
    expect(ran.stderr).toMatch(/\n9 tests: 9 passed, 0 failed, /);
    expect(place.has('skill_run')).toBe(false);
  });

  it('as JUnit are one document on stdout', async () => {
    const ran = await place.pipeline(['test', 'idea-spark', '--filter', 'vague', '--reporter', 'junit']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(
      /^<\?xml [\s\S]*<testsuite name="idea-spark" tests="2" failures="0"[\s\S]*<\/testsuites>\n$/,
    );
  });

  it('are one JSON document, and JUnit in a file beside it', async () => {
    const args = ['test', 'idea-spark', '--filter', 'vague', '--json', '--junit', 'reports/junit.xml'];
    const ran = await place.pipeline(args);
    expect(ran.code).toBe(0);
    const test = {
      skill: 'idea-spark',
      name: expect.any(String),
      file: expect.stringMatching(/\.test\.yaml$/),
      passed: true,
      ms: expect.any(Number),
      failures: [],
    };
    expect(JSON.parse(ran.stdout)).toEqual({
      tests: 2,
      passed: 2,
      failed: 0,
      ms: expect.any(Number),
      results: [test, test],
    });
    expect(place.read('reports/junit.xml')).toMatch(/^<\?xml [\s\S]*<\/testsuites>\n$/);
    const both = await place.pipeline(['test', 'idea-spark', '--json', '--reporter', 'junit']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') });
  });

  it('fail when an expectation is another, and show both with the run folder', async () => {
    place.edit('skills/idea-spark/tests/vague.test.yaml', 'outcome: do_not_generate', 'outcome: done');
    const ran = await place.pipeline(['test', 'idea-spark', '--filter', 'too vague']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /✗ .*\n {6}outcome\n {8}expected {2}done\n {8}actual {4}do_not_generate\n {6}run folder {2}\S+\n/,
    );
  });

  it('miss when a prompt is another, and show the line', async () => {
    place.edit('skills/idea-spark/prompts/intake.md', 'researcher', 'scientist');
    const ran = await place.pipeline(['test', 'idea-spark', '--filter', 'recorded']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /no recorded answer for step "intake", round 1[\s\S]*system, line \d+\n[\s\S]*- .*researcher[\s\S]*\+ .*scientist/,
    );
  });

  it('are not run while one of the files has a mistake', async () => {
    place.edit('skills/idea-spark/tests/empty.test.yaml', 'status:', 'sttus:');
    const ran = await place.pipeline(['test', 'idea-spark']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(
      /"sttus"[\s\S]*at {3}skills\/idea-spark\/tests\/empty\.test\.yaml:3:11[\s\S]*Nothing was run/,
    );
  });
});

describe('a run', () => {
  it('is recorded, replayed from its folder or its name, and misses with exit 2', async () => {
    const place = withSkills();
    const record = await place.pipeline(['run', 'paper-search', 'protein', '--model', 'sketch', '--record', 'tape']);
    expect(record.code).toBe(0);
    for (const recording of ['tape', 'paper-search/protein', 'skill_run/paper-search/protein']) {
      const again = await place.pipeline(['run', 'paper-search', 'protein', '--replay', recording, '--json']);
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout).result).toEqual(expect.anything());
    }
    const told = await place.pipeline(['run', 'paper-search', 'protein', '--replay', 'tape']);
    expect(told.stderr.split(join(place.dir, 'tape'))).toHaveLength(2);
    const miss = await place.pipeline(['run', 'paper-search', 'proteins', '--replay', 'tape']);
    expect(miss.code).toBe(2);
    expect(miss.stderr).toMatch(/- Direction: protein\n.*\+ Direction: proteins\n/);
    const both = await place.pipeline(['run', 'paper-search', 'x', '--replay', 'tape', '--model', 'sketch']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('exclude each other') });
    expect(await place.pipeline(['run', 'paper-search', 'x', '--replay', 'nowhere'])).toMatchObject({ code: 2 });
  });
});

describe('tests that are ended', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s leave no run folder behind', async (signal) => {
    const place = workspace();
    const slow = 'version: 1\nname: slow\nsteps: [{ id: wait, shell: { command: [sleep, "600"] } }]\n';
    place.write('skills/slow/pipeline.yaml', slow);
    for (const name of ['a', 'b'])
      place.write(`skills/slow/tests/${name}.test.yaml`, `name: ${name}\nexpect: { status: done }\n`);
    place.write('tmp/.keep', '');
    const folders = join(place.dir, 'tmp');
    const runs = () => readdirSync(folders).filter((name) => name.startsWith('pipeline-test-'));
    const { child, ended } = place.start(['test', 'slow'], { TMPDIR: folders });
    await seen(() => runs().some((name) => existsSync(join(folders, name, 'slow'))));
    child.kill(signal);
    expect((await ended).code).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(runs()).toEqual([]);
  });
});
