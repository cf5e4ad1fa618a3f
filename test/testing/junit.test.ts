import fc from 'fast-check';
import { expect, it } from 'vitest';
import { junitXml } from '../../src/testing/junit.js';
import type { TestResult } from '../../src/testing/perform.js';
import type { SkillTest } from '../../src/testing/skill-test.js';

const result = (name: string, actual?: string): TestResult => ({
  test: { name, file: '/p/skills/essay/tests/a.test.yaml', target: '/p/skills/essay' } as SkillTest,
  failures: actual === undefined ? [] : [{ what: 'result', expected: 'x', actual }],
  ms: 1_234,
  ...(actual === undefined ? {} : { dir: '/tmp/run' }),
});

it('counts by skill, and says of a failure what was expected and where the run is', () => {
  expect(junitXml([result('It <works>'), result('It "fails"', 'a & b')])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="pipeline test" tests="2" failures="1" errors="0" skipped="0" time="2.468">
      <testsuite name="essay" tests="2" failures="1" errors="0" skipped="0" time="2.468">
        <testcase name="It &lt;works&gt;" classname="essay" file="/p/skills/essay/tests/a.test.yaml" time="1.234"/>
        <testcase name="It &quot;fails&quot;" classname="essay" file="/p/skills/essay/tests/a.test.yaml" time="1.234">
          <failure message="result is not as expected" type="expectation">result
      expected  x
      actual    a &amp; b
    run folder: /tmp/run</failure>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
});

it('is XML 1.0 whatever a model has said', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const xml = junitXml([result(text, text)]);
      expect(xml).toMatch(/^[\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u);
      const text1 = xml.replace(/<[^<>]*>/g, '');
      expect(text1).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|apos|#10|#9);)/);
    }),
  );
});
