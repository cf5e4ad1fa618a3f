/** The whole run stops here, from any depth. */
import type { JsonObject } from '../core/json.js';
import type { EndStatus, StepKind } from '../core/kind.js';

interface EndConfig extends JsonObject {
  readonly outcome: string;
  readonly status: EndStatus;
  readonly message?: string;
}

export const end: StepKind = {
  name: 'end',
  schema: {
    type: 'object',
    description: 'The whole run stops here; what still runs is cancelled.',
    properties: {
      outcome: { type: 'string', description: 'A name for this end, e.g. do_not_generate.' },
      status: { enum: ['done', 'refused', 'failed'], description: 'done: exit 0; refused: exit 5; failed: exit 1.' },
      message: { type: 'string', description: 'Said to the person: the reason, what to try.' },
    },
    required: ['outcome', 'status'],
    additionalProperties: false,
  },
  verbatim: [],
  textFiles: [],
  output: 'none',
  fence: true,
  inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false }),
  async run(config) {
    const { outcome, status, message = '' } = config as EndConfig;
    return { type: 'end', outcome, status, message };
  },
};
