/** What the commands of a chat list. */
import { expect, it } from 'vitest';
import { skillsText, toolsText } from '../../src/chat/lists.js';
import { columnsOf } from '../../src/core/columns.js';
import type { Skill } from '../../src/core/plan.js';

const skill = (name: string, description: string, runsAs: Skill['runsAs'] = 'agent'): Skill => ({
  name,
  dir: `/${name}`,
  description,
  body: '',
  metadata: {},
  runsAs,
});
const SKILLS = [
  skill('a', '检索论文'.repeat(40)),
  skill('longer', 'word '.repeat(40), 'pipeline'),
  skill('b', 'First. Second.'),
];

it('stay within the lines of the terminal, the mode of a skill included, whatever the script', () => {
  for (const columns of [60, 80, 200]) {
    const tools = SKILLS.map(({ name, description = '' }) => ({ name, description }));
    const lines = [...skillsText(SKILLS, columns).split('\n'), ...toolsText(tools, columns).split('\n')];
    expect(lines.filter((line) => columnsOf(line) >= columns)).toEqual([]);
    expect(lines[1]).toMatch(/^\/longer {2}word .*… \[pipeline\]$/);
  }
  expect(skillsText(SKILLS, undefined)).toMatch(/^\/b {7}First\.$/m);
});

it('put below a name what has no room beside it', () => {
  const tools = [{ name: 'run_write_a_pipeline_pipeline', description: 'word '.repeat(40) }];
  for (const columns of [30, 40]) {
    const texts = [skillsText([skill('a-name', 'word '.repeat(40), 'pipeline')], columns)];
    const lines = [...texts, toolsText(tools, columns)].join('\n').split('\n');
    expect(lines.filter((line) => columnsOf(line) >= columns)).toEqual([]);
    expect(lines.slice(0, 2)).toEqual(['/a-name [pipeline]', expect.stringMatching(/^ {2}word .*…$/)]);
    expect(lines[2]).toBe('run_write_a_pipeline_pipeline');
  }
});
