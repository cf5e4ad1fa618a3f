import { expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool.js';
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
