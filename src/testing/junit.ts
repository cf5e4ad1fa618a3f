/** Test results as JUnit XML, one suite a skill, for the servers that read it. */
import { basename } from 'node:path';
import { failureLines } from './failure-text.js';
import type { TestResult } from './perform.js';

export function junitXml(results: readonly TestResult[]): string {
  const suites = new Map<string, TestResult[]>();
  for (const result of results) {
    const name = basename(result.test.target);
    suites.set(name, [...(suites.get(name) ?? []), result]);
  }
  const lines = [...suites].flatMap(([name, own]) => [
    `  <testsuite ${attributes({ name, ...totals(own) })}>`,
    ...own.flatMap((result) => testCase(name, result)),
    '  </testsuite>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes({ name: 'pipeline test', ...totals(results) })}>`,
    ...lines,
    '</testsuites>',
    '',
  ].join('\n');
}

function totals(results: readonly TestResult[]): Record<string, string> {
  return {
    tests: String(results.length),
    failures: String(results.filter(({ failures }) => failures.length > 0).length),
    errors: '0',
    skipped: '0',
    time: seconds(results.reduce((sum, { ms }) => sum + ms, 0)),
  };
}

function testCase(suite: string, { test, failures, ms, dir }: TestResult): string[] {
  const head = attributes({ name: test.name, classname: suite, file: test.file, time: seconds(ms) });
  const [first] = failures;
  if (!first) return [`    <testcase ${head}/>`];
  const text = failures.flatMap(failureLines).join('\n');
  const place = dir === undefined ? '' : `\nrun folder: ${dir}`;
  const said = `${first.what} is not as expected`;
  return [
    `    <testcase ${head}>`,
    `      <failure ${attributes({ message: said, type: 'expectation' })}>${escaped(text + place)}</failure>`,
    '    </testcase>',
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`)
    .join(' ');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What XML 1.0 has no place for, not even escaped, becomes U+FFFD. */
function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
