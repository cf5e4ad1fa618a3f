/** The kind of the driver that ends a run as its last block said, with the transcript of what was done as its result. */
import type { JsonObject } from '../core/json.js';
import type { StepKind } from '../core/kind.js';
import type { Stop } from './stops.js';
import { toldIn } from './told.js';

export interface EndingConfig extends JsonObject {
  readonly stop: Stop;
}

export const ending: StepKind = {
  name: 'ending',
  schema: { type: 'object' },
  verbatim: [],
  textFiles: [],
  output: 'none',
  fence: true,
  inspect: () => ({ files: [], tools: [], models: [], maxCalls: 0, startsProcess: false }),
  async run(config, context) {
    const { stop } = config as EndingConfig;
    if (stop.status === 'done') return { type: 'output', value: toldIn(context.folders.run) };
    return { type: 'end', outcome: stop.outcome, status: stop.status, message: stop.message };
  },
};
