/** Values computed by expressions: what they come to is the step's output. */
import type { StepKind } from '../core/kind.js';

export const set: StepKind = {
  name: 'set',
  schema: { type: 'object', description: 'Any mapping; its ${{ }} are computed, and the result is the output.' },
  verbatim: [],
  textFiles: [],
  output: 'optional',
  fence: false,
  inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false }),
  run: async (config) => ({ type: 'output', value: config }),
};
