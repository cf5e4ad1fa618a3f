import { expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool.js';
import { TOOLS } from '../../src/run.js';
import { agent } from '../../src/steps/agent.js';
import { folder, load } from './arena.js';

const named = (name: string): Tool => ({
  spec: { name, description: name, parameters: { type: 'object' } },
  effect: 'none',
  execute: async () => ({ type: 'text', text: '' }),
});

it.each(['Read, Bash', 'Read, Bash(git log:*)'])(
  'a tool that is not here is named as written, at its place: %s',
  async (written) => {
    const dir = folder({
      'skills/one/SKILL.md': `---\nname: one\ndescription: d\nallowed-tools: ${written}\n---\nDo it.\n`,
    });
    const { problems } = await load('one', dir, { tools: [named('read_file')] });
    expect(problems).toMatchObject([
      {
        rule: 'allowed-tools',
        message: `This version has no tool "${written.slice('Read, '.length)}": left out.`,
        at: { line: 4, column: 16 },
      },
    ]);
  },
);

it.each(['Bash(git log | head)', 'Bash(*.sh)', 'Bash(echo "open)', 'Bash(FOO=1 make; make)'])(
  'a rule that covers no command is left out, not the skill: %s',
  async (written) => {
    const dir = folder({
      'skills/one/SKILL.md': `---\nname: one\ndescription: d\nallowed-tools: Read, ${written}, Bash(git log:*)\n---\nDo it.\n`,
    });
    const more = { tools: TOOLS, kinds: [agent] };
    const { plan, problems } = await load('one', dir, more);
    expect(plan?.steps[0]?.body).toMatchObject({ inspection: { tools: ['read_file', 'shell(git log *)'] } });
    expect(problems).toMatchObject([
      { severity: 'warning', rule: 'allowed-tools', at: { line: 4, column: 16 }, hint: expect.any(String) },
    ]);
    expect(problems[0]?.message).toContain(`"${written}" is left out: `);
  },
);

it('is a mistake in a pipeline.yaml, where its author can mend it', async () => {
  const dir = folder({
    'skills/one/pipeline.yaml':
      'steps:\n  - id: a\n    agent: { prompt: p, tools: ["shell(git log | head)"] }\n    output: { type: string }\n',
  });
  const { plan, problems } = await load('one', dir, { tools: TOOLS, kinds: [agent] });
  expect(plan).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error', at: { line: 3 } }]);
});
