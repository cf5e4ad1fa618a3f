/** A tool for each skill that runs as a pipeline: it is run as from the command line, and what came of it is told. */
import type { Skill } from '../core/plan.js';
import type { Tool } from '../core/tool.js';
import { failure, text } from '../tools/access.js';
import { pipelineToolName } from './skill-text.js';

/** What came of a run, told to a model. */
export interface RanSkill {
  readonly ok: boolean;
  readonly text: string;
}

/** Runs a skill over a query, and shows how it goes. */
export type RunSkill = (skill: Skill, query: string, signal: AbortSignal) => Promise<RanSkill>;

export function pipelineTools(skills: readonly Skill[], run: RunSkill): Tool[] {
  return skills
    .filter(({ runsAs }) => runsAs !== 'agent')
    .map((skill): Tool => {
      const name = pipelineToolName(skill.name);
      return {
        spec: {
          name,
          description:
            `Run the skill "${skill.name}" as a checked pipeline, and get its result. ${skill.description ?? ''}`.trim(),
          parameters: {
            type: 'object',
            properties: { query: { type: 'string', description: 'What the person wants, in their words.' } },
            required: ['query'],
            additionalProperties: false,
          },
        },
        effect: 'process',
        async execute(args, { signal }) {
          const ran = await run(skill, text(args, 'query'), signal);
          signal.throwIfAborted();
          return ran.ok ? { type: 'text', text: ran.text } : failure(name, ran.text);
        },
      };
    });
}
