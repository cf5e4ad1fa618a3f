import { describe, expect, it } from 'vitest';
import { checkPipeline } from '../../src/run.js';
import { project } from '../support/project.js';

const placed = (step: string) =>
  project({ 'pipeline.yaml': `version: 1\nname: t\nsteps:\n${step}`, 'skills/.keep': '' });
const problemsOf = async (step: string) => {
  const { problems } = await placed(step).refused();
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ rule, message, hint }) => `${rule}: ${message}${hint ? ` ${hint}` : ''}`);
};
const gate = (config: string) => `  - id: ok\n    gate: { ask: 'Go on?', ${config} }\n`;

describe('the check refuses', () => {
  it.each([
    [
      'a rejecting choice that is none of the choices, and says which was meant',
      gate('choices: [approve, abandon], reject: [abandn]'),
      'gate-config: "abandn" is not one of the choices. Did you mean "abandon"?',
    ],
    [
      'an answer for nobody that is no choice',
      gate('on_no_tty: aprove'),
      'gate-config: "on_no_tty" is neither wait, nor fail, nor one of the choices. Did you mean "approve"?',
    ],
    [
      'an answer for nobody that may mean two things',
      gate('choices: [wait, go], on_no_tty: wait'),
      'gate-config: "wait" is also one of the choices. Give that choice another name.',
    ],
    [
      'a choice that stands there twice',
      gate('choices: [a, b, a]'),
      'gate-config: The choice "a" stands there twice. Keep one.',
    ],
    [
      'a blank choice',
      gate("choices: ['  ', b]"),
      'gate-config: A choice must not be blank. A choice is a word or a few, on one line.',
    ],
    [
      'a choice of two lines',
      gate('choices: ["a\\nb"]'),
      'gate-config: A choice must not hold control characters. A choice is a word or a few, on one line.',
    ],
    [
      'an expression in a choice',
      gate("choices: ['${{ query }}']"),
      'gate-config: Choices are never templated. Put what changes into `ask`.',
    ],
    [
      'a list of choices that an expression is to give',
      gate("choices: '${{ inputs.choices }}'"),
      'gate-config: "choices" is never templated. Write a list of texts.',
    ],
    ['an empty list of choices', gate('choices: []'), 'out-of-bounds: "choices" must have at least 1 item.'],
    ['a gate that asks nothing', '  - id: ok\n    gate: { choices: [a] }\n', 'missing-key: "gate" needs "ask".'],
    [
      'a schema for what a gate gives',
      "  - id: ok\n    gate: { ask: 'Go on?' }\n    output: { type: object }\n",
      'no-output: What a gate gives is fixed: {choice, comment, by, at}. Remove "output".',
    ],
    [
      'a gate that can reject inside of a foreach',
      "  - id: each\n    foreach: [a, b]\n    steps:\n      - id: ok\n        gate: { ask: '${{ item }}?' }\n",
      'end-in-foreach: Step "ok" cannot end the run from inside the foreach of "each". Write reject: [] on the gate; each choice is then a value that later steps read.',
    ],
    [
      'a comparison with a choice that is not offered',
      `${gate('choices: [approve, revise]')}  - id: b\n    when: steps.ok.output.choice == "revize"\n    set: { a: 1 }\n`,
      expect.stringContaining('"revise"'),
    ],
    [
      'a field that no answer has',
      `${gate('')}  - id: b\n    set: { a: '\${{ steps.ok.output.coment }}' }\n`,
      expect.stringContaining('Did you mean comment?'),
    ],
  ])('%s', async (_, steps, said) => {
    expect(await problemsOf(steps)).toEqual([said]);
  });
});

it('warns of a choice that reads as a no and ends nothing, until the author says which it is', async () => {
  const warningsOf = async (config: string) => {
    const { dir } = placed(gate(config));
    const { problems } = await checkPipeline('./pipeline.yaml', { cwd: dir, env: { HOME: dir } });
    return problems.map(({ severity, message, hint }) => `${severity}: ${message} ${hint}`);
  };
  expect(await warningsOf('choices: ["yes", "No"]')).toEqual([
    'warning: "No" goes on, as every other choice does. Write reject: [No] if it is to end the run as refused, or reject: [] if it is not.',
  ]);
  expect(await warningsOf('choices: ["yes", "no"], reject: ["no"]')).toEqual([]);
  expect(await warningsOf('choices: ["yes", "no"], reject: []')).toEqual([]);
  expect(await warningsOf('')).toEqual([]);
});

it('takes a gate that cannot reject inside of a foreach', async () => {
  const { run } = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: each
    foreach: [a, b]
    gate: { ask: 'Is \${{ item }} good?', choices: [yes, no], reject: [], on_no_tty: yes }
result: '\${{ steps.each.output.map(one, one.choice + " by " + one.by) }}'
`,
  });
  expect(await run()).toMatchObject({ status: 'done', result: ['yes by on_no_tty', 'yes by on_no_tty'] });
});

it('reads what it asks from a file', async () => {
  const it = project({
    'pipeline.yaml': `version: 1
name: t
steps:
  - id: ok
    gate: { ask: ask.md }
`,
    'ask.md': 'About "${{ query }}": go on?\n',
  });
  const asked: string[] = [];
  const ask = async ({ ask: text }: { ask: string }) => {
    asked.push(text);
    return { choice: 'approve', comment: '' };
  };
  expect(await it.run({ ask })).toMatchObject({ status: 'done' });
  expect(asked).toEqual(['About "a query": go on?\n']);
});
