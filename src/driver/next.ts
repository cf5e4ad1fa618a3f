/** The kind of the driver that asks the skill's script what comes next, and judges whether that ends the run. */
import type { StepContext } from '../core/context.js';
import { Fault } from '../core/faults.js';
import { canonicalJson, type JsonObject } from '../core/json.js';
import type { TerminalSignals } from '../core/terminal-signals.js';
import { counted } from '../core/words.js';
import { childEnvironment } from '../steps/child-env.js';
import { decode, runStepProcess } from '../steps/process.js';
import { type Block, readPrinted } from './block.js';
import { innerKind } from './inner-kind.js';
import { snapshotOf } from './snapshot.js';
import { type Stop, stopOf } from './stops.js';
import { tell } from './told.js';

/** Of a script: it is done for now, or waits for what comes next; neither is an error. */
export const HANDSHAKES: readonly number[] = [10, 11];
/** The same block over the same files, in a row. */
const MOST_SAME = 3;

export interface NextConfig extends JsonObject {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly signals: TerminalSignals;
  /** What the round before came to. */
  readonly before: { readonly next: Next } | null;
  /** From 0. */
  readonly iteration: number;
}

export interface Next extends JsonObject {
  readonly block: Block;
  /** Of the run folder's files, before anything is done. */
  readonly snapshot: string;
  /** How often the same was printed over the same files. */
  readonly same: number;
  readonly stop: Stop | null;
}

export const next = innerKind(
  {
    name: 'next',
    timeoutMs: 10 * 60_000,
    async run(config, context) {
      const { command, signals, before, iteration } = config as NextConfig;
      const printed = await ask(command, context);
      for (const line of printed.around)
        await context.emit({ type: 'step_notice', path: context.path, text: line, tone: 'progress' });
      const { block } = printed;
      if (!block || printed.problem !== undefined) throw unusable(printed.problem ?? '', context);
      const snapshot = snapshotOf(context.folders.run);
      const isSame = before?.next.snapshot === snapshot && canonicalJson(before.next.block) === canonicalJson(block);
      const same = isSame ? before.next.same + 1 : 1;
      const stop = stopOf(block, signals) ?? (same >= MOST_SAME ? stalled(block) : undefined);
      if (!stop) refuseUnknown(block, context);
      const subject = whereOf(block, ' / ');
      if (subject !== '')
        await context.emit({ type: 'step_notice', path: context.path, text: subject, tone: 'subject' });
      tell(context.folders.run, iteration + 1, 'next', lineOf(block, stop));
      return { type: 'output', value: { block, snapshot, same, stop: stop ?? null } satisfies Next };
    },
  },
  { startsProcess: true },
);

/** A script that prints the query back would else print what it holds as lines of its block: the whole of it is in PIPELINE_QUERY. */
function inOneLine(argument: string, query: string): string {
  return argument.replaceAll(query, query.replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' '));
}

async function ask(command: readonly string[], context: StepContext) {
  const { folders } = context;
  const { env } = childEnvironment(context, {});
  const exit = await runStepProcess(
    {
      argv: command.map((each) => inOneLine(each, context.query)),
      env,
      cwd: folders.project,
      stdin: undefined,
      handshakes: HANDSHAKES,
      isTaken: () => true,
    },
    context,
  );
  return readPrinted(decode(exit.stdout));
}

function unusable(problem: string, { folders }: StepContext): Fault {
  return new Fault('shell.output', `the script did not say what comes next: ${problem}`, {
    hint: `It must print one block between two lines of 72 ━, with TYPE llm_subagent, bash or terminal. What it printed is in ${folders.stdout}`,
  });
}

function refuseUnknown(block: Block, context: StepContext): void {
  if (block.type === 'llm_subagent') {
    if (block.prompt === '' && block.do === '') throw unusable('its block has neither PROMPT nor DO', context);
  } else if (block.type !== 'bash') throw unusable(`its TYPE is "${block.type}"`, context);
  else if (block.run === '') throw unusable('its block is TYPE bash and has no RUN', context);
}

function stalled(block: Block): Stop {
  const message = `nothing changed while the script asked for the same ${counted(MOST_SAME, 'time')}: ${whereOf(block, ', ')}`;
  return { status: 'failed', outcome: 'stalled', message };
}

function whereOf({ state, step }: Block, between: string): string {
  return [state, step].filter((part) => part !== '').join(between);
}

function lineOf(block: Block, stop: Stop | undefined): string {
  const { type, do: task } = block;
  const why = stop && stop.message !== '' && stop.message !== task ? `: ${stop.message}` : '';
  const end = stop ? ` → ${stop.status}${stop.outcome === '' ? '' : ` (${stop.outcome})`}${why}` : '';
  return `${whereOf(block, ' / ')} [${type}]${task === '' ? '' : ` ${task}`}${end}`;
}
