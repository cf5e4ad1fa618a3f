import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { parseToolGrant, toolsFor } from '../../src/tools/registry.js';
import { place } from './context.js';

const shell: Tool & { narrowed(rules: readonly string[]): Tool } = {
  spec: { name: 'shell', description: 'Run a command.', parameters: { type: 'object' } },
  effect: 'process',
  execute: async (args) => ({ type: 'text', text: `ran ${args.command}` }),
  narrowed: (rules) => ({ ...shell, execute: async () => ({ type: 'text', text: rules.join('; ') }) }),
};
const TOOLS = [readFileTool, listFilesTool, shell];

it.each([
  ['read_file', { name: 'read_file' }],
  [' shell ( git log * ) ', { name: 'shell', rule: 'git log *' }],
  ['shell(echo (a))', { name: 'shell', rule: 'echo (a)' }],
  ['shell(*)', { name: 'shell' }],
  ['shell()', undefined],
  ['shell(git', undefined],
  ['', undefined],
  ['a b', undefined],
])('reads the grant %j', (written, grant) => {
  expect(parseToolGrant(written)).toEqual(grant);
});

describe('toolsFor', () => {
  it('gives each granted tool once, in the order of the grants', () => {
    const names = toolsFor(['shell', 'read_file', 'shell'], TOOLS).map((tool) => tool.spec.name);
    expect(names).toEqual(['shell', 'read_file']);
  });

  it('narrows a tool to its rules, unless it was granted whole', async () => {
    const [narrow] = toolsFor(['shell(git log *)', 'shell(date)'], TOOLS) as [Tool];
    expect(await place().call(narrow, { command: 'id' })).toBe('git log *; date');
    expect(toolsFor(['shell(date)', 'shell'], TOOLS)).toEqual([shell]);
    expect(toolsFor(['shell', 'shell(date)'], TOOLS)).toEqual([shell]);
  });

  it.each([
    ['raed_file', 'Did you mean read_file?'],
    ['zzz', 'There are: read_file, list_files, shell.'],
    ['read_file(x)', 'without parentheses'],
    ['a b', 'name(rule)'],
  ])('says what is wrong with %s', (grant, hint) => {
    expect(() => toolsFor([grant], TOOLS)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ hint: expect.stringContaining(hint) }) }),
    );
  });
});
