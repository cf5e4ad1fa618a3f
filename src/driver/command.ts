/** The kind of the driver that runs the RUN of a block. */

import { MOST_WRITTEN } from '../core/driver-files.js';
import type { JsonObject } from '../core/json.js';
import { STRICT_BASH } from '../core/strict-bash.js';
import { childEnvironment } from '../steps/child-env.js';
import { runStepProcess } from '../steps/process.js';
import type { Block } from './block.js';
import { injected } from './inject.js';
import { innerKind } from './inner-kind.js';
import { HANDSHAKES } from './next.js';
import { stampsIn } from './snapshot.js';
import { tell } from './told.js';

/** The queries that an earlier sub-agent wrote. */
const QUERIES = 'PIPELINE_INJECTED_QUERIES';

export interface CommandConfig extends JsonObject {
  readonly block: Block;
  /** From 0. */
  readonly iteration: number;
  /** The literal that stands for the queries; '' without injection. */
  readonly placeholder: string;
  /** Joined by `|`; '' if there are none yet. */
  readonly queries: string;
}

export const command = innerKind(
  {
    name: 'command',
    timeoutMs: 10 * 60_000,
    async run(config, context) {
      const { block, iteration, placeholder, queries } = config as CommandConfig;
      const script = queries === '' ? undefined : injected(block.run, placeholder, QUERIES);
      const { env } = childEnvironment(context, script === undefined ? {} : { [QUERIES]: queries });
      const before = stampsIn(context.folders.run);
      const exit = await runStepProcess(
        {
          argv: [...STRICT_BASH, script ?? block.run],
          env,
          cwd: context.folders.project,
          stdin: undefined,
          handshakes: HANDSHAKES,
        },
        context,
      );
      const code = exit.code ?? 0;
      tell(context.folders.run, iteration + 1, 'work', `ran: ${block.run}${code === 0 ? '' : ` (exit ${code})`}`);
      const wrote = [...stampsIn(context.folders.run)].filter(([path, stamp]) => before.get(path) !== stamp);
      return { type: 'output', value: { code, wrote: wrote.slice(0, MOST_WRITTEN).map(([path]) => path) } };
    },
  },
  { startsProcess: true, starts: 'whatever commands its script asks for' },
);
