/** The tool `resolve`: hands in the step's answer. */

import type { Complaint } from '../core/context.js';
import type { Json, JsonObject } from '../core/json.js';
import { complaintLine } from '../core/schema-complaints.js';
import type { Tool } from '../core/tool.js';

const NAME = 'resolve';

export type Judgement = { readonly value: Json } | { readonly complaints: readonly Complaint[] };

/**
 * @param parameters JSON Schema of an object: what the step must answer
 * @param accept the last word on an answer that fits the schema
 */
export function resolveTool(parameters: JsonObject, accept: (args: JsonObject) => Promise<Judgement>): Tool {
  return {
    spec: {
      name: NAME,
      description: 'Hand in the final answer of this task. Call it once, when everything is done.',
      parameters,
    },
    effect: 'none',
    async execute(args) {
      const judgement = await accept(args);
      if ('value' in judgement) return { type: 'resolved', value: judgement.value };
      return { type: 'error', text: complaintsText(judgement.complaints) };
    },
  };
}

/** For a model: what was wrong with its answer, one line each, and what to do. */
function complaintsText(complaints: readonly Complaint[]): string {
  const files = complaints.some((complaint) => complaint.from === 'artifacts');
  return [
    `${NAME}: the answer was not accepted.`,
    ...complaints.map((complaint) => `- ${complaintLine({ ...complaint, path: complaint.path || 'answer' })}`),
    `Correct ${files ? 'the files and the answer' : 'this'}, then call ${NAME} again with the whole answer.`,
  ].join('\n');
}
