import { expect, it } from 'vitest';
import { readRecords } from '../../src/engine/run-records.js';
import { compareRuns } from '../../src/explain/compare-runs.js';
import { project } from '../support/project.js';
import { difference } from './told.js';

const PLAN = `version: 1
name: t
inputs: { n: { type: integer, default: 1 } }
steps:
  - id: a
    shell: { run: 'echo hello > a.txt; echo same' }
  - id: rounds
    repeat: { until: 'output.audit.n > 0', max: 2, on_max: accept }
    steps:
      - id: draft
        set: { text: '\${{ steps.a.output }}' }
      - id: audit
        shell: { command: [sh, -c, 'echo "{\\"n\\": 1, \\"why\\": \\"good\\"}" | tee audit.json'], files: [] }
        output: { type: object, properties: { n: { type: integer }, why: { type: string } }, required: [n, why] }
  - id: last
    when: steps.rounds.output.audit.n > 0
    set: { n: '\${{ steps.rounds.output.audit.n }}' }
result: '\${{ steps.rounds.output.audit.why }}'
`;
const AUDIT = 'echo "{\\"n\\": 0, \\"why\\": \\"bad\\"}" | tee audit.json';

it('finds two runs of the same with the same results equal', async () => {
  const it = project({ 'pipeline.yaml': PLAN });
  const [a, b] = [await it.run(), await it.run()];
  expect(compareRuns(readRecords(a.dir), readRecords(b.dir))).toMatchObject({ isEqual: true, facts: [], files: [] });
  expect(difference(a, b)).toMatchInlineSnapshot(`
    "A → B

    4 steps equal, 0 differ

    total  MS → MS"
  `);
  expect(difference(a, b, true)).toContain('rounds/0/audit  equal');
});

it('finds a run and its fork equal but for what was replaced, with what came of it', async () => {
  const it = project({ 'pipeline.yaml': PLAN });
  const a = await it.run();
  const overrides = { 'steps.audit.shell.command': JSON.stringify(['sh', '-c', AUDIT]) };
  const b = await it.run({ fork: { dir: a.dir }, from: 'audit', overrides });
  expect(difference(a, b)).toMatchInlineSnapshot(`
    "A → B
      set steps.audit.shell.command ["sh","-c","echo \\"{\\\\\\"n\\\\\\": 0, \\\\\\"why\\\\\\": \\\\\\"bad\\\\\\"}\\" | tee audit.json"] (only in the second run)

    2 steps equal, 3 differ

    rounds/0/audit  done
      command changed: [2] "echo \\"{\\\\\\"n\\\\\\": 1, \\\\\\"why\\\\\\": \\\\\\"good\\\\\\"}\\" | tee audit.json" → "echo \\"{\\\\\\"n\\\\\\": 0, \\\\\\"why\\\\\\": \\\\\\"bad\\\\\\"}\\" | tee audit.json"
      output: n, why changed
        output.n 1 → 0
        output.why "good" → "bad"
      files: audit.json
      took MS → MS

    last  done → skipped
      when steps.rounds.output.audit.n > 0 is false

    rounds/1  only in the second run (2 steps)

    result "good" → "bad"

    total  MS → MS"
  `);
});

it('says what they were given, what became of a step in one of them, what failed', async () => {
  const it = project({ 'pipeline.yaml': PLAN });
  const a = await it.run();
  it.write('pipeline.yaml', PLAN.replace('echo hello', 'echo other; exit 3; echo hello'));
  const b = await it.run({ query: 'another query', inputs: { n: 2 } });
  expect(difference(a, b)).toMatchInlineSnapshot(`
    "A → B
      query "a query" → "another query"
      input n 1 → 2
      status done → failed

    0 steps equal, 3 differ

    a  done → failed
      run "echo hello > a.txt; echo same" → "echo other; exit 3; echo hello > a.txt; echo same"
      shell.exit: the command exited with 3
      files: a.txt (gone)

    rounds  done → skipped, 2 steps in one run only
      blocked by a

    last  done → skipped
      blocked by a

    result "good" → null

    files: audit.json (gone)

    total  MS → MS"
  `);
});

it('leaves out rounds of an earlier session that the last one did not come to', async () => {
  const it = project({ 'pipeline.yaml': PLAN.replace('\\"n\\": 1', '\\"n\\": 0') });
  expect((await it.run()).paths('step_done')).toContain('rounds/1/audit');
  it.write('pipeline.yaml', PLAN);
  const again = await it.run({ resume: true });
  const { steps } = compareRuns(readRecords(again.dir), readRecords((await it.run()).dir));
  expect(steps.map(({ path, isEqual }) => [path, isEqual])).toEqual([
    ['a', true],
    ['rounds/0/draft', true],
    ['rounds/0/audit', true],
    ['last', true],
  ]);
});
