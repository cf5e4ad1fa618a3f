/** The two tools that stand for all skills: what there is, and the text of one. */

import type { Skill } from '../core/plan.js';
import type { Tool } from '../core/tool.js';
import { failure, text } from '../tools/access.js';
import { lookupKey } from './commands.js';
import { pipelineToolName, skillText } from './skill-text.js';

/** @param notesOf of a skill: its REACT_AGENT.md, '' without one */
export function skillsTools(skills: () => readonly Skill[], notesOf: (skill: Skill) => string): Tool[] {
  return [
    {
      spec: {
        name: 'skills_list',
        description: 'List the skills: [{name, description}]. Look here before you say that you cannot do something.',
        parameters: { type: 'object', properties: {}, additionalProperties: false },
      },
      effect: 'none',
      execute: async () => ({ type: 'text', text: JSON.stringify(skills().flatMap(entryOf), null, 1) }),
    },
    {
      spec: {
        name: 'skill_view',
        description: 'Read the whole text of a skill, then do what it says.',
        parameters: {
          type: 'object',
          properties: { name: { type: 'string', description: 'As skills_list names it.' } },
          required: ['name'],
          additionalProperties: false,
        },
      },
      effect: 'none',
      async execute(args) {
        const name = text(args, 'name');
        const skill = skills().find((one) => lookupKey(one.name) === lookupKey(name));
        if (!skill) return failure('skill_view', `there is no skill ${JSON.stringify(name)}.`, 'See skills_list.');
        const run =
          skill.runsAs === 'agent'
            ? ''
            : `It runs as a pipeline: call ${pipelineToolName(skill.name)} with the query.\n`;
        const where = `Its folder: ${skill.dir}\n`;
        return { type: 'text', text: `${run}${where}${skillText(skill, notesOf(skill))}` };
      },
    },
  ];
}

/** One without a description runs by name only. */
function entryOf({ name, description }: Skill) {
  return description === undefined ? [] : [{ name, description }];
}
