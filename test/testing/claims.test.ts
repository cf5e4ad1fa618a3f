/** Claims about runs: what is wrong with them, what they see of a run, what is said of one that broke. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { project } from '../support/project.js';

const PIPELINE = `version: 1
name: press
inputs: { topics: { type: array, items: { type: string }, maxItems: 4, default: [a, b, c] } }
steps:
  - id: search
    foreach: inputs.topics
    min_success: 0
    shell: { command: [no-such-program, "\${{ item }}"] }
    output: { type: object, properties: { hits: { type: integer } }, required: [hits] }
  - id: rounds
    repeat: { until: 'output.verdict == "advance"', max: 3, on_max: accept }
    steps:
      - id: audit
        agent: { prompt: "Round \${{ iteration }}" }
        output: { type: object, properties: { verdict: { enum: [advance, revise] } }, required: [verdict] }
    result: { verdict: "\${{ steps.audit.output.verdict }}", least: 1 }
  - id: pair
    steps:
      - { id: total, set: { sum: 3 } }
      - { id: send, shell: { command: [no-such-program] } }
    on_error: continue
  - { id: approve_it, gate: { ask: Is it good?, choices: [approve, rewrite, drop], reject: [drop] } }
  - id: nothing
    when: steps.search.output.size() == 4
    end: { outcome: no_topic, status: refused, message: Nothing. }
result: { made: "\${{ steps.rounds.output.least }}" }
`;
const TEST = `name: a
query: bridges
turns: { audit: { resolve: { verdict: advance } } }
stubs:
  search/0: { exit: 3, stderr: gone }
  search/1: { stdout: { hits: 1 } }
  search/2: { exit: 4, stderr: busy }
  send: { exit: 7, stderr: no paper }
answers: { approve_it: approve }
expect:
`;

/** @param expectations lines of `always` and `never` */
async function press(expectations: string) {
  const { dir } = project({ 'pipeline.yaml': PIPELINE, 'tests/a.test.yaml': `${TEST}${expectations}` });
  const around = { cwd: dir, env: {} };
  const { tests, problems } = await findTests([join(dir, 'pipeline.yaml')], around);
  return {
    problems: problems.map(({ message, hint, at }) => `${at.line}:${at.column} ${message} ${hint ?? ''}`.trim()),
    failures: async () => {
      const [test] = tests;
      if (!test) throw new Error('there is no test');
      return (await performTest(test, around, { forget: true })).failures;
    },
  };
}

/** One claim, whose first letter is the eighth of line 12. */
async function problemsOf(claim: string): Promise<string[]> {
  const text = `  always:\n    - '${claim.replaceAll("'", "''")}'\n`;
  return (await press(text)).problems.map((said) => said.replace(/^12:/, ''));
}

it.each([
  ['ran("send")', []],
  ["ran( 'send' ) && before( \"search\" ,'send' )", []],
  ['ran("sned")', ['12 There is no step "sned". Did you mean "send"?']],
  ['before( "search", "sned" )', ['26 There is no step "sned". Did you mean "send"?']],
  [
    'ran("search/0")',
    ['12 There is no step "search/0". Write "search": it stands for all items and rounds, wherever the step is.'],
  ],
  [
    'ran("rounds/audit")',
    ['12 There is no step "rounds/audit". Write "audit": it stands for all items and rounds, wherever the step is.'],
  ],
  [
    'ran("a b")',
    ['12 There is no step "a b". There is search, rounds, audit, pair, total, send, approve_it, nothing.'],
  ],
  ['status == "done" || ran(send)', ['28 ran takes the id of one step, in quotes. Write it like ran("publish").']],
  ['ran("send", "x")', ['8 ran takes the id of one step, in quotes. Write it like ran("publish").']],
  ['before("send")', ['8 before takes the ids of two steps, in quotes. Write it like before("audit", "publish").']],
  ['status == "done" && ran("send") + 1 > 3', ['28 `+` does not take a boolean with 1.']],
  [
    'message == "ran(x)" || before("search", "send") && steps.nil.status == "done"',
    ['65 There is no step "nil" here. There is search, rounds, audit, pair, total, send, approve_it, nothing.'],
  ],
])('of the claim %s it says what is wrong, at its place', async (claim, said) => {
  expect(await problemsOf(claim)).toEqual(said);
});

it.each([
  [
    'steps.rounds.status == "done" && steps.rounds.output.verdikt == "advance"',
    'steps.rounds.output has no field "verdikt"',
  ],
  [
    'steps.rounds.status == "done" && steps.rounds.output.verdict == "advanced"',
    'steps.rounds.output.verdict is never "advanced"',
  ],
  ['steps.pair.status == "done" && steps.pair.output.total.som == 3', 'steps.pair.output.total has no field "som"'],
  ['steps.total.status == "done" && steps.total.output.som == 3', 'steps.total.output has no field "som"'],
  ['steps.search.output == null || steps.search.output.exists(s, s.hit > 1)', 's has no field "hit"'],
  [
    'steps.approve_it.status == "done" && steps.approve_it.output.choice == "aprove"',
    'steps.approve_it.output.choice is never "aprove"',
  ],
  ['steps.search.failures.all(f, f.item == "a")', 'f has no field "item"'],
  ['result.made == 1', 'result may be null'],
  ['result != null && result.mad == 1', 'result has no field "mad"'],
  ['outcome == "no_topik"', 'outcome is never "no_topik"'],
])('knows of the claim %s what the check of the pipeline knows: types', async (claim, said) => {
  expect((await problemsOf(claim)).join('\n')).toContain(said);
});

it.each(['done', 'no_topic', 'drop', 'cancelled'])('the outcome may be %s', async (outcome) => {
  expect(await problemsOf(`outcome != "${outcome}"`)).toEqual([]);
});

it('sees errors and lost items as the pipeline does, in the order of the items', async () => {
  const claims = [
    'default(steps.send.error.message, "") != "" && steps.send.error == { "code": "shell.exit", "message": steps.send.error.message, "exit": 7, "stderr": "no paper" }',
    'steps.search.failures.map(f, f.index) == [0, 2]',
    'steps.search.failures.map(f, default(f.error.exit, 0)) == [3, 4]',
    'default(steps.search.failures[1].error.stderr, "") == "busy"',
    'steps.search.status == "done" && steps.search.output.map(s, s.hits) == [1]',
    'steps.pair.status == "failed" && steps.total.status == "done"',
    'steps.nothing.status == "skipped" && !ran("nothing") && ran("audit")',
    'before("search", "send") && !before("send", "approve_it")',
  ];
  const { problems, failures } = await press(
    `  always:\n${claims.map((one) => `    - ${JSON.stringify(one)}\n`).join('')}`,
  );
  expect(problems).toEqual([]);
  expect(await failures()).toEqual([]);
});

it('says of a broken claim what became of it, in its own words', async () => {
  const { failures } = await press(`  never:
    - { that: 'ran("send")', message: something is sent }
    - 'ran("audit")'
  always:
    - 'status == "done"'
    - { that: 'steps.search.failures[7].index == 7', message: many are lost }
`);
  expect((await failures()).flatMap(failureLines)).toMatchInlineSnapshot(`
    [
      "always  status == "done"",
      "  it did not hold",
      "always  many are lost",
      "  it cannot be told: steps.search.failures[7] does not exist: the list has 2 items, in the expression steps.search.failures[7].index == 7 (a.test.yaml:16:16)",
      "never  something is sent",
      "  it held",
      "never  ran("audit")",
      "  it held",
    ]
  `);
  expect((await failures())[2]).toEqual({
    what: 'never',
    expected: 'something is sent',
    actual: 'it held',
    isWish: true,
  });
});
