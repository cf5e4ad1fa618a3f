/** Whether a block ends the run, and as what. */
import type { JsonObject } from '../core/json.js';
import type { EndStatus } from '../core/kind.js';
import type { TerminalSignals } from '../core/terminal-signals.js';
import type { Block } from './block.js';

export interface Stop extends JsonObject {
  readonly status: EndStatus;
  /** A name for this end: the block's state, or `stalled`, or `out_of_distribution`. */
  readonly outcome: string;
  readonly message: string;
}

export function stopOf(block: Block, signals: TerminalSignals): Stop | undefined {
  const said = [block.state, block.step, ...block.bare].filter((text) => text !== '');
  const matches = (patterns: readonly string[]) =>
    patterns.some((pattern) => said.some((text) => new RegExp(pattern).test(text)));
  const named = (['refused', 'failed', 'done'] as const).find((status) => matches(signals[status]));
  if (named === undefined && block.type !== 'terminal' && !matches(signals.any)) return undefined;
  const message = [block.do, block.notes, block.after, ...block.bare].find((text) => text !== '') ?? '';
  return { status: named ?? statusIn(block), outcome: nameOf(block), message };
}

function statusIn({ state, step }: Block): EndStatus {
  const said = `${state}\n${step}`;
  if (/do_not_generate/i.test(said)) return 'refused';
  return /fail|error/i.test(said) ? 'failed' : 'done';
}

function nameOf({ state, step }: Block): string {
  const word = (state === '' ? step : state).split(/\s/, 1)[0] ?? '';
  return word === '' ? 'terminal' : word;
}
