/** Whole tests of whole pipelines: what they hold, and how they say that it is not so. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Fault } from '../../src/core/faults.js';
import { failureLines } from '../../src/testing/failure-text.js';
import { findTests } from '../../src/testing/find-tests.js';
import { performTest } from '../../src/testing/perform.js';
import { project } from '../support/project.js';

const PIPELINE = `version: 1
name: survey
inputs: { since: { type: integer, default: 2000 } }
steps:
  - id: plan
    agent: { instructions: You plan., prompt: "\${{ query }}", tools: [read_file] }
    output: { type: object, properties: { topics: { type: array, items: { type: string }, maxItems: 4 } }, required: [topics] }
    save: plan.json
  - id: search
    foreach: steps.plan.output.topics
    min_success: 1
    shell: { command: [no-such-program, "\${{ item }}"] }
    output: { type: object, properties: { hits: { type: integer } }, required: [hits] }
    artifacts: [page.txt]
    retry: { attempts: 2, backoff: 1h }
  - id: rounds
    repeat: { until: 'output.verdict == "advance"', max: 3 }
    steps:
      - id: audit
        agent: { prompt: "Round \${{ iteration }}" }
        output: { type: object, properties: { verdict: { enum: [advance, revise] } }, required: [verdict] }
    result: { verdict: "\${{ steps.audit.output.verdict }}" }
  - id: review
    gate: { ask: Is it good? }
  - id: nothing
    when: steps.search.output.size() == 0
    end: { outcome: nothing, status: refused, message: Nothing was found. }
result: { hits: "\${{ steps.search.output.map(s, s.hits) }}", choice: "\${{ steps.review.output.choice }}" }
`;
const TEST = `name: It finds what there is
query: bridges
inputs: { since: 2020 }
turns:
  plan:
    - calls: [{ name: read_file, arguments: { path: x.md } }]
    - resolve: { topics: [one, two] }
  rounds/0/audit: { resolve: { verdict: revise } }
  audit: { resolve: { verdict: advance } }
stubs:
  search/0: [{ exit: 1, stderr: busy }, { stdout: { hits: 3 }, files: { page.txt: A page. } }]
  search: { exit: 1, stderr: gone }
answers: { review: approve }
expect:
  status: partial
  exit: 8
  result: { hits: [3], choice: approve }
  outputs:
    plan.topics: [one, two]
    search.0.hits: 3
    search/0.hits: { min: 1 }
    rounds.verdict: advance
    rounds/0/audit.verdict: revise
  files: { plan.json: { topics: { length: 2 } }, search/0/page.txt: A page. }
  ran: [plan, search, rounds, review]
  skipped: [nothing]
  reused: []
  failed: [search/1]
  tools: { plan: [read_file] }
  calls: 4
  tokens: { max: 9000 }
`;

async function tried(text: string, pipeline = PIPELINE) {
  const { dir } = project({ 'pipeline.yaml': pipeline, 'tests/a.test.yaml': text });
  const around = { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } };
  const { tests, problems } = await findTests(['./pipeline.yaml'], around);
  const [test] = tests;
  return { problems, result: test && (await performTest(test, around)) };
}

async function linesOf(from: string, to: string): Promise<string[]> {
  const { problems, result } = await tried(TEST.replace(from, to));
  expect(problems).toEqual([]);
  if (result?.dir) expect(existsSync(result.dir)).toBe(true);
  return (result?.failures ?? []).flatMap(failureLines);
}

describe('a test of a pipeline with a loop, rounds, a gate, retries and a failure', () => {
  it('passes, without a process, a model, a person or an hour of waiting, and leaves nothing behind', async () => {
    const { result } = await tried(TEST);
    expect(result?.failures.flatMap(failureLines)).toEqual([]);
    expect(result?.dir).toBeUndefined();
  });

  it.each<[string, string, string[]]>([
    ['status: partial', 'status: done', ['status', '  expected  done', '  actual    partial']],
    ['exit: 8', 'exit: 0', ['exit', '  expected  0', '  actual    8']],
    ['choice: approve }', 'choice: reject }', ['result.choice', '  expected  reject', '  actual    approve']],
    [
      'topics: [one, two]\n    s',
      'topics: [one]\n    s',
      ['outputs.plan.topics', '  expected  ["one"]', '  actual    ["one","two"]'],
    ],
    [
      'search.0.hits: 3',
      'search.1.hits: 3',
      ['outputs.search.1.hits', '  expected  3', '  actual    nothing: no such field'],
    ],
    [
      'verdict: advance\n    r',
      'verdict: revise\n    r',
      ['outputs.rounds.verdict', '  expected  revise', '  actual    advance'],
    ],
    [
      'page.txt: A page. }\n  ran',
      'page.txt: B }\n  ran',
      ['files.search/0/page.txt', '  expected  B', '  actual    A page.'],
    ],
    [
      'search/0/page.txt: A',
      'search/1/page.txt: A',
      ['files.search/1/page.txt', '  expected  A page.', '  actual    nothing: no such file'],
    ],
    [
      'ran: [plan, search, rounds, review]',
      'ran: [plan]',
      ['ran', '  expected  ["plan"]', '  actual    ["plan","search","audit","review"]'],
    ],
    [
      'rounds/0/audit.verdict: revise',
      'rounds/2/audit.verdict: revise',
      ['outputs.rounds/2/audit.verdict', '  expected  revise', '  actual    nothing: the step never ran'],
    ],
    ['rounds.verdict: advance', 'nothing: 1', ['outputs.nothing', '  expected  1', '  actual    null']],
    ['rounds.verdict: advance', 'nothing: null', []],
    ['rounds.verdict: advance', 'search/1: null', []],
    ['skipped: [nothing]', 'skipped: []', ['skipped', '  expected  []', '  actual    ["nothing"]']],
    ['failed: [search/1]', 'failed: []', ['failed', '  expected  []', '  actual    ["search"]']],
    ['plan: [read_file] }', 'plan: [] }', ['tools.plan', '  expected  []', '  actual    ["read_file"]']],
    ['calls: 4\n', 'calls: { max: 3 }\n', ['calls', '  expected  at most 3', '  actual    4']],
  ])('with %j as %j fails and shows both', async (from, to, lines) => {
    expect((await linesOf(from, to)).slice(-lines.length || undefined)).toEqual(lines);
  });

  it('shows of long values the lines that differ', async () => {
    const topics = '[one, two, three, four, five, six, seven, eight, nine, ten, eleven]';
    expect(await linesOf('topics: [one, two]\n    s', `topics: ${topics}\n    s`)).toMatchInlineSnapshot(`
      [
        "outputs.plan.topics  (- expected, + actual)",
        "  -   "two",",
        "  -   "three",",
        "  -   "four",",
        "  -   "five",",
        "  -   "six",",
        "  -   "seven",",
        "  -   "eight",",
        "  -   "nine",",
        "  and 3 more lines",
      ]
    `);
  });

  it('says of a run that came to another end why', async () => {
    const lines = await linesOf('answers: { review: approve }', 'answers: {}');
    expect(lines.join('\n')).toContain('the test has no answer for the gate "review"');
    expect((await linesOf('  audit: { resolve', '  rounds/9/audit: { resolve')).join('\n')).toContain(
      'no turns for "rounds/1/audit"',
    );
  });

  it('names a step or an input that the pipeline has not, with its place', async () => {
    const said = async (from: string, to: string) =>
      (await tried(TEST.replace(from, to))).problems.map(({ at, message, hint }) => `${at.line} ${message} ${hint}`);
    expect(await said('search.0.hits', 'serch.0.hits')).toEqual([
      '20 "survey" has no step "serch". Did you mean "search"?',
    ]);
    expect(await said('since: 2020', 'sinse: 2020')).toEqual([
      '3 "survey" has no input "sinse". Did you mean "since"?',
    ]);
  });

  it('says of its run that texts are placeholders when sketch answers for some, and not when turns do for all', async () => {
    const isPlaceholder = async (text: string) => {
      const { result } = await tried(text.replace('exit: 8', 'exit: 9'));
      return JSON.parse(readFileSync(join(result?.dir ?? '', 'run.json'), 'utf8')).placeholder;
    };
    expect(await isPlaceholder(TEST)).toBe(false);
    expect(await isPlaceholder(TEST.replace('query: bridges', 'query: bridges\nmodel: sketch'))).toBe(true);
  });

  it('can expect that inputs are refused', async () => {
    const { result } = await tried('name: n\ninputs: { since: soon }\nexpect: { status: invalid, message: since }\n');
    expect(result?.failures).toEqual([]);
  });
});

describe('a test that names what its pipeline has not in that way', () => {
  it.each<[string, string, string]>([
    [
      'review: approve',
      'review: maybe',
      '13:20 "maybe" is no choice of the gate "review". There are: approve, reject.',
    ],
    [
      'review: approve',
      'review: { choice: aprove }',
      '13:30 "aprove" is no choice of the gate "review". Did you mean "approve"?',
    ],
    [
      'review: approve',
      'plan: approve',
      '13:12 "plan" is no gate: its step has "agent". Only gates ask for an answer.',
    ],
    [
      'search: { exit: 1',
      'review: { exit: 1',
      '12:3 "review" starts no process that a stub could stand in for: its step has "gate". What a person says stands under answers.',
    ],
    [
      'search: { exit: 1',
      'rounds: { exit: 1',
      '12:3 "rounds" starts no process that a stub could stand in for: its step has "steps". Name a step in it.',
    ],
    [
      'plan.topics: [',
      'plan.topisc: [',
      '19:5 The output of "plan" has no "topisc" (plan.topisc). Did you mean "topics"?',
    ],
    [
      'search.0.hits: 3',
      'search.0.hist: 3',
      '20:5 The output of "search" has no "hist" (search.0.hist). Did you mean "hits"?',
    ],
    [
      'search/0.hits',
      'search/0.hist',
      '21:5 The output of "search/0" has no "hist" (search/0.hist). Did you mean "hits"?',
    ],
  ])('%j as %j is not run, and is told where', async (from, to, said) => {
    const { problems, result } = await tried(TEST.replace(from, to));
    expect(problems.map(({ at, message, hint }) => `${at.line}:${at.column} ${message} ${hint}`)).toEqual([said]);
    expect(result).toBeUndefined();
  });

  it('may look at fields of which no schema speaks', async () => {
    const { problems } = await tried(TEST.replace('rounds.verdict', 'rounds.whatever'));
    expect(problems).toEqual([]);
  });
});

it('leaves nothing behind of a test that is ended by a signal', async () => {
  const late = TEST.replace('    - calls: [{', '    - delay_ms: 600000\n      calls: [{');
  const { dir } = project({ 'pipeline.yaml': PIPELINE, 'tests/a.test.yaml': late });
  const folders = join(dir, 'tmp');
  mkdirSync(folders);
  vi.stubEnv('TMPDIR', folders);
  onTestFinished(() => void vi.unstubAllEnvs());
  const around = { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } };
  const [test] = (await findTests(['./pipeline.yaml'], around)).tests;
  if (!test) throw new Error('there is no test');
  const stop = new AbortController();
  const running = performTest(test, around, { signal: stop.signal });
  await vi.waitUntil(() => readdirSync(folders).some((name) => existsSync(join(folders, name, 'survey'))));
  stop.abort(new Fault('run.terminated', 'terminated'));
  expect((await running).dir).toBeUndefined();
  expect(readdirSync(folders)).toEqual([]);
});
