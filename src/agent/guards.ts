/** What keeps a loop from running on: text-only turns, broken arguments, cut-off answers, the same calls again and again. */
import { cutTo } from '../core/columns.js';
import { beginningOf } from '../core/excerpt.js';
import { Fault } from '../core/faults.js';
import { sha256 } from '../core/json.js';
import type { Message, ModelReply } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import { counted } from '../core/words.js';

/** Kept in the transcript with each round, so that a resumed agent is watched as if it had never stopped. */
export interface GuardState {
  /** Text-only turns so far. */
  readonly textOnly: number;
  /** Turns in a row whose answer was cut off. */
  readonly truncated: number;
  /** Turns in a row in which no call had a tool of this step, and arguments that are JSON. */
  readonly brokenArguments: number;
  /** Whether the last turn's `resolve` was refused. */
  readonly refused: boolean;
  /** It was told that its budget is nearly used up. */
  readonly toldBudget?: true;
  /** One entry a round: the digest of its calls, the hash of their results. */
  readonly rounds: readonly { readonly digest: string; readonly results: string }[];
}

export const FRESH: GuardState = { textOnly: 0, truncated: 0, brokenArguments: 0, refused: false, rounds: [] };

const FREE_REMINDERS = 3;
const MAX_IN_A_ROW = 3;
const LONGEST_CYCLE = 4;
const MOST_ERROR_COLUMNS = 300;

export const REMINDER =
  'Nobody reads plain text here. When the work is finished, call the tool `resolve` with the answer; until then, call another tool.';

/** After a text-only turn. The fourth one fails. */
export function countTextOnly(state: GuardState, text: string): GuardState {
  if (state.textOnly >= FREE_REMINDERS) {
    throw new Fault(
      'agent.no_resolve',
      `the agent answered in plain text ${state.textOnly + 1} times and never called resolve`,
      {
        hint: `Its last words: ${beginningOf(text, 300)}`,
      },
    );
  }
  return { ...state, textOnly: state.textOnly + 1 };
}

export function countTruncated(state: GuardState, reply: ModelReply): GuardState {
  if (reply.finish !== 'length') return { ...state, truncated: 0 };
  const truncated = state.truncated + 1;
  if (truncated >= MAX_IN_A_ROW) {
    throw new Fault(
      'agent.truncated',
      `the model's answer was cut off at its length limit ${truncated} times in a row`,
      {
        hint: 'Raise max_tokens, or ask for a smaller answer.',
      },
    );
  }
  return { ...state, truncated };
}

export function countBrokenArguments(state: GuardState, allBroken: boolean): GuardState {
  if (!allBroken) return { ...state, brokenArguments: 0 };
  const brokenArguments = state.brokenArguments + 1;
  if (brokenArguments >= MAX_IN_A_ROW) {
    throw new Fault(
      'agent.arguments',
      `the model cannot form calls: ${brokenArguments} turns in a row held none with a known tool and valid JSON`,
      {
        hint: 'Use another model for this step.',
      },
    );
  }
  return { ...state, brokenArguments };
}

/** 64-bit FNV-1a over `name|arguments;` of each call, lower-case hex. */
export function digestOf(calls: readonly { readonly name: string; readonly arguments: string }[]): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const call of calls) {
    for (const byte of Buffer.from(`${call.name}|${call.arguments};`)) {
      // The prime is 2^40 + 0x1b3: 2^40 times the low half lands in the high one, shifted by 8.
      const mixed = (low ^ byte) >>> 0;
      const product = mixed * 0x1b3;
      low = product >>> 0;
      high = (Math.imul(high, 0x1b3) + (product - low) / 0x1_0000_0000 + (mixed << 8)) >>> 0;
    }
  }
  return `${hex(high)}${hex(low)}`;
}

function hex(half: number): string {
  return half.toString(16).padStart(8, '0');
}

/**
 * Notes a round; says `warn` one repetition before the stop, throws `agent.dead_loop` at it. A repeated call whose result changes is
 * polling, not a loop; a cycle of several rounds (A, B, A, B) is one.
 * @param window how many repetitions stop the agent; 0 switches the guard off
 */
export function watchLoop(
  state: GuardState,
  calls: readonly { readonly name: string; readonly arguments: string }[],
  results: readonly Message[],
  window: number,
): { readonly state: GuardState; readonly warn: boolean } {
  if (window === 0) return { state, warn: false };
  const texts = results.map((message) => (message.role === 'tool' ? message.text : ''));
  const entry = { digest: digestOf(calls), results: sha256(texts.join('\0')).slice(0, 16) };
  const rounds = [...state.rounds, entry].slice(-window * LONGEST_CYCLE);
  const repeated = Math.max(...cycles(rounds));
  if (repeated >= window) {
    const names = [...new Set(calls.map((call) => call.name))].join(', ');
    throw new Fault(
      'agent.dead_loop',
      `the agent made the same calls with the same results ${counted(repeated, 'time')} (${names})${errorIn(results)}`,
      {
        hint: 'Make the task or the tool results clearer; dead_loop_window: 0 switches this guard off.',
      },
    );
  }
  return { state: { ...state, rounds }, warn: window > 1 && repeated === window - 1 };
}

/** Why the calls came to nothing: the last of their errors, if there is one. */
function errorIn(results: readonly Message[]): string {
  const last = results.findLast((message) => message.role === 'tool' && message.error);
  if (last?.role !== 'tool') return '';
  return `; the last error: ${cutTo(oneLine(last.text).replace(/^Error: /, ''), MOST_ERROR_COLUMNS)}`;
}

/** For each cycle length, how many times the last rounds repeat it. */
function cycles(rounds: GuardState['rounds']): number[] {
  const same = (a: number, b: number) =>
    rounds[a]?.digest === rounds[b]?.digest && rounds[a]?.results === rounds[b]?.results;
  return Array.from({ length: LONGEST_CYCLE }, (_, index) => {
    const period = index + 1;
    let matching = 0;
    while (
      rounds.length - 1 - matching - period >= 0 &&
      same(rounds.length - 1 - matching, rounds.length - 1 - matching - period)
    ) {
      matching++;
    }
    return 1 + Math.floor(matching / period);
  });
}

export const LOOP_WARNING =
  'You have made the same calls with the same results again. Once more and the step is stopped. Do something else, or call resolve.';
