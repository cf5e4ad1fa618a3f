import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Problem } from '../../src/core/problems.js';
import { helpOf, RULES } from '../../src/load/rules.js';
import { problemsSarif } from '../../src/load/sarif.js';
import { folder } from './arena.js';

const TEXT = '\uFEFFsteps:\r\n  - id: a\r\n    if: "true"\r\n';

function project(file = 'skills/my essay/pipeline.yaml') {
  const dir = folder({ [file]: TEXT });
  const problem: Problem = {
    severity: 'error',
    rule: 'unknown-key',
    message: 'A step has no key "if".',
    at: { file: path.join(dir, file), line: 3, column: 5 },
    hint: 'Here it is called "when".',
    edit: { start: TEXT.indexOf('if'), end: TEXT.indexOf('if') + 2, text: 'when' },
  };
  return { dir, problem, sarif: problemsSarif([problem], { projectDir: dir, version: '1.2.3' }) };
}

it('is a log of one run, with the rules that were broken and the folder that addresses start at', () => {
  const { dir, sarif } = project();
  expect(sarif).toMatchObject({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'pipeline',
            version: '1.2.3',
            rules: [{ id: 'unknown-key', help: { text: 'A mapping holds known keys only.' } }],
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { '%SRCROOT%': { uri: `${pathToFileURL(dir).href}/` } },
      },
    ],
  });
});

it('gives each finding its rule, level, words, place, and the edit that mends it', () => {
  const { sarif } = project();
  const artifactLocation = { uri: 'skills/my%20essay/pipeline.yaml', uriBaseId: '%SRCROOT%' };
  const deletedRegion = { startLine: 3, startColumn: 5, endLine: 3, endColumn: 7 };
  expect(sarif.runs).toMatchObject([
    {
      results: [
        {
          ruleId: 'unknown-key',
          ruleIndex: 0,
          level: 'error',
          message: { text: 'A step has no key "if". Here it is called "when".' },
          locations: [{ physicalLocation: { artifactLocation, region: { startLine: 3, startColumn: 5 } } }],
          fixes: [
            {
              description: { text: 'Here it is called "when".' },
              artifactChanges: [
                { artifactLocation, replacements: [{ deletedRegion, insertedContent: { text: 'when' } }] },
              ],
            },
          ],
        },
      ],
    },
  ]);
});

it('gives what lies outside of the project its whole address', () => {
  const { problem } = project();
  const sarif = problemsSarif([problem], { projectDir: folder({}), version: '1' });
  expect(JSON.stringify(sarif)).toContain(JSON.stringify({ uri: pathToFileURL(problem.at.file).href }));
});

it('gives no place to what stands in no file', () => {
  const { dir, problem } = project();
  const { edit: _, ...rest } = problem;
  const sarif = problemsSarif([{ ...rest, rule: 'no-such-skill' }], { projectDir: dir, version: '1' });
  expect(JSON.stringify(sarif)).not.toContain('locations');
});

it('lists a rule once, whatever the number of its findings', () => {
  const { dir, problem } = project();
  const others: Problem[] = [problem, { ...problem, rule: 'bad-id' }, problem];
  const [run] = problemsSarif(others, { projectDir: dir, version: '1' }).runs as [
    { tool: { driver: { rules: { id: string }[] } }; results: { ruleIndex: number }[] },
  ];
  expect(run.tool.driver.rules.map(({ id }) => id)).toEqual(['bad-id', 'unknown-key']);
  expect(run.results.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 0, 1]);
});

it('has a sentence for every rule of the check, also for those of a kind', () => {
  const dir = path.resolve(import.meta.dirname, '../../src/load');
  const said = readdirSync(dir).flatMap((file) => {
    const text = readFileSync(path.join(dir, file), 'utf8');
    return [...text.matchAll(/(?:\bnotes\.(?:error|warn)|\bsay|\bwarn)\(\s*'([a-z-]+)'|\brule: '([a-z-]+)'/g)].map(
      ([, noted, ruled]) => noted ?? ruled ?? '',
    );
  });
  expect(said.length).toBeGreaterThan(50);
  expect([...new Set(said)].filter((rule) => !Object.hasOwn(RULES, rule) && !/^(error|warning)$/.test(rule))).toEqual(
    [],
  );
  expect(helpOf('agent-config')).toContain('"agent"');
});
