import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool.js';
import { listFilesTool } from '../../src/tools/list-files.js';
import { readFileTool } from '../../src/tools/read-file.js';
import { parseToolGrant, toolsFor } from '../../src/tools/registry.js';
import { ruleAllows } from '../../src/tools/rules.js';
import { place } from './context.js';

const shell: Tool = {
  spec: { name: 'shell', description: 'Run a command.', parameters: { type: 'object' } },
  effect: 'process',
  execute: async (args) => ({ type: 'text', text: `ran ${args.command}` }),
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
    const { call } = place();
    expect(await call(narrow, { command: 'git log -3' })).toBe('ran git log -3');
    expect(await call(narrow, { command: 'date' })).toBe('ran date');
    expect(await call(narrow, { command: 'id' })).toMatch(
      /^error: shell: this command is not allowed.*git log \*; date/,
    );
    expect(narrow.spec.description).toContain('Allowed: git log *; date.');
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

describe('a rule', () => {
  const rules = ['git log *', 'npm test'];

  it.each(['git log', 'git log --oneline HEAD~3', "git log --grep 'a; b $(c)'", '  npm   test ', 'git log v1..v2'])(
    'covers %s',
    (line) => {
      expect(ruleAllows(rules, line)).toBe(true);
    },
  );

  it.each([
    '',
    'git',
    'git logs',
    'git push',
    'npm test -- x',
    'git log; id',
    'git log && id',
    'git log | sh',
    'git log > /etc/x',
    'git log $(id)',
    'git log `id`',
    'git log $HOME',
    'git log\nid',
    'git log "$(id)"',
    "git log 'a' 'b",
    "git log ''; id ''",
    'A=1 git log',
    'git log ~root',
    'git log \\; id',
    '! git log',
  ])('does not cover %j', (line) => {
    expect(ruleAllows(rules, line)).toBe(false);
  });
});
