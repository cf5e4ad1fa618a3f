/** The kind of the driver that ends a run as its last block said, with the transcript of what was done as its result. */
import type { JsonObject } from '../core/json.js';
import { innerKind } from './inner-kind.js';
import type { Stop } from './stops.js';
import { toldIn } from './told.js';

export interface EndingConfig extends JsonObject {
  readonly stop: Stop;
}

export const ending = innerKind(
  {
    name: 'ending',
    fence: true,
    async run(config, context) {
      const { stop } = config as EndingConfig;
      if (stop.status === 'done') return { type: 'output', value: toldIn(context.folders.run) };
      return { type: 'end', outcome: stop.outcome, status: stop.status, message: stop.message };
    },
  },
  {},
);
