/** What is said of a run: the facts that are out of the ordinary, each once, in the order in which they happened. */
import { expect, it } from 'vitest';
import { givenChoices, type Taken } from '../../src/simulate/choices/choices.js';
import { storyOf } from '../../src/simulate/found/story.js';
import { simulateRun } from '../../src/simulate/simulated-run.js';
import { compiledFrom } from './compiled.js';
import { mounted } from './mounted.js';

const NOTE = '{ type: object, properties: { verdict: { enum: [pass, fail] } }, required: [verdict] }';
const STEPS = `version: 1
name: told
steps:
  - { id: write, agent: { instructions: You write., prompt: Write. }, output: ${NOTE} }
  - { id: ask, gate: { ask: "Go on?" } }
  - { id: send, shell: { command: [send] } }
  - { id: check, needs: [send], shell: { command: [check] } }
  - { id: file, needs: [send], shell: { command: [file] } }
`;

async function told(text: string, choices: Readonly<Record<string, readonly number[]>>): Promise<string> {
  const disk = mounted();
  const compiled = await compiledFrom(text, ['a question', '  ']);
  const taken: Taken = new Map(Object.entries(choices));
  // What is loaded when it is first needed takes real time.
  await simulateRun(compiled, givenChoices(new Map()), disk);
  return storyOf(await simulateRun(compiled, givenChoices(taken), disk), taken);
}

it.each<[string, Readonly<Record<string, readonly number[]>>, string]>([
  ['no plain answer of a person', {}, 'The run came to its end as done.'],
  [
    'an answer where it was given, and several blocked steps once',
    { life: [1], 'send#1': [2] },
    '"ask" waited for a person, then the run was resumed, then "send" failed (shell.exit), then "check" and "file" were blocked by send, then the run came to its end as failed.',
  ],
  [
    'a person who says no',
    { 'ask?': [1] },
    '"ask" was answered "reject", then it ended the run as refused, then the run came to its end as refused.',
  ],
  [
    'each kill, and that the run was resumed',
    { 'crash.0': [40], 'crash.1': [30, 0, 0, 2] },
    'The process was killed at its operation 40, then the run was resumed, then the power failed at its operation 30, then the run was resumed, then the run came to its end as done.',
  ],
  [
    'a second kill as another one',
    { 'crash.0': [40], 'crash.1': [30] },
    'The process was killed at its operation 40, then the run was resumed, then the process was killed again at its operation 30, then the run was resumed, then the run came to its end as done.',
  ],
  [
    'a process that never ends before what comes of it',
    { 'send#1': [6] },
    'The process of "send" never ended, then "send" failed (step.timeout), then "check" and "file" were blocked by send, then the run came to its end as failed.',
  ],
  [
    'the query and an answer that were chosen',
    { query: [1], 'write@1.1': [0, 0, 0, 1] },
    'The query was "  ", then "write" gave {"verdict":"fail"}, then the run came to its end as done.',
  ],
])('tells %s', async (_what, choices, story) => {
  expect(await told(STEPS, choices)).toBe(story);
});

it('tells of a loop that was accepted though its until never held', async () => {
  const text = `version: 1
name: rounds
steps:
  - id: rounds
    repeat: { until: output.verdict == "fail", max: 2, on_max: accept }
    steps:
      - { id: audit, agent: { instructions: You audit., prompt: "Audit. \${{ previous }}" }, output: ${NOTE} }
    result: \${{ steps.audit.output }}
`;
  const again = [0, 0, 0, 1];
  const choices = { 'rounds/0/audit@1.1': again, 'rounds/1/audit@1.1': again };
  expect(await told(text, choices)).toBe(
    '"rounds/0/audit" gave {"verdict":"pass"}, then "rounds/1/audit" gave {"verdict":"pass"}, then "rounds" was accepted after 2 rounds: until never held, then the run came to its end as done.',
  );
});

it('tells of a limit which step has used it up', async () => {
  const text = `version: 1
name: little
limits: { tokens: 3000 }
steps:
  - { id: write, agent: { instructions: You write., prompt: Write. }, output: ${NOTE} }
  - { id: audit, agent: { instructions: You audit., prompt: "\${{ steps.write.output }}" }, output: ${NOTE} }
`;
  expect(await told(text, { 'write@1.1': [0, 0, 2] })).toMatch(
    /^"write" gave {"verdict":"pass"} with 2200 tokens, then the token limit of the run is reached: 2200 used, .* \("write" used 2200 tokens\), then the run came to its end as limit\.$/,
  );
});
