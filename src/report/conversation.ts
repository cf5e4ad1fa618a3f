/** The rounds of an agent as people read them, from the transcript that it has left. */
import { type Line, parseLine } from '../agent/transcript.js';
import { beginningOf } from '../core/excerpt.js';
import { never } from '../core/json.js';
import type { Message } from '../core/model.js';
import { NO_USAGE, withEvent } from '../core/usage.js';
import type { RunFiles } from './run-files.js';
import type { CallView, RoundView } from './view.js';

/** Larger transcripts are read as far as this. */
const MOST_BYTES = 4_000_000;
/** The last ones are shown. */
const MOST_ROUNDS = 60;
const MOST_TEXT = 6_000;
const MOST_ARGUMENTS = 3_000;
const MOST_RESULT = 3_000;

export interface Rounds {
  readonly rounds: readonly RoundView[];
  readonly moreRounds: number;
}

/** @param path of the transcript, in the run folder */
export function roundsIn(files: RunFiles, path: string): Rounds {
  const read = files.excerpt(path, MOST_BYTES);
  if (!read) return { rounds: [], moreRounds: 0 };
  const rounds = foldLines(linesOf(read.text));
  const shown = rounds.slice(-MOST_ROUNDS);
  return { rounds: shown, moreRounds: rounds.length - shown.length };
}

function* linesOf(text: string): Generator<Line> {
  for (const line of text.split('\n')) {
    const parsed = parseLine(line);
    if (parsed) yield parsed;
  }
}

interface OpenRound {
  text: string;
  reasoning: string;
  told: string[];
  calls: (CallView & { id: string; result?: CallView['result'] })[];
}

function foldLines(lines: Iterable<Line>): RoundView[] {
  const rounds: RoundView[] = [];
  let open: OpenRound | undefined;
  let told: string[] = [];
  let isFirst = true;
  const settle = (facts: Partial<RoundView>) => {
    if (!open) return;
    const calls = open.calls.map(({ id: _, ...call }) => call);
    const { text, reasoning, told: before } = open;
    rounds.push({ number: rounds.length + 1, text, reasoning, calls, told: before, ...facts });
    open = undefined;
  };
  for (const line of lines) {
    switch (line.type) {
      case 'message':
        if (line.message.role === 'user') {
          // The first is the prompt, which is shown for itself.
          if (!isFirst) told.push(beginningOf(line.message.text, MOST_TEXT));
          isFirst = false;
        } else if (line.message.role === 'assistant') {
          settle({});
          open = begun(line.message, told);
          told = [];
        } else answer(open, line.message);
        break;
      case 'round': {
        const { round, model, usage } = line;
        const used = usage ? { usage: withEvent(NO_USAGE, { ...ROUND, usage }) } : {};
        settle({ number: round, ...(model === undefined ? {} : { model }), ...used });
        break;
      }
      case 'head':
      case 'note':
      case 'reply':
      case 'begun':
      case 'outcome':
      case 'counted':
        break;
      default:
        never(line);
    }
  }
  settle({});
  return rounds;
}

/** What the sum of usage asks for beside it. */
const ROUND = { type: 'round', path: '', round: 1, calls: [], model: '', ms: 0 } as const;

function begun({ text, reasoning = '', calls }: Extract<Message, { role: 'assistant' }>, told: string[]): OpenRound {
  return {
    text: beginningOf(text, MOST_TEXT),
    reasoning: beginningOf(reasoning, MOST_TEXT),
    told,
    calls: calls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: beginningOf(call.arguments, MOST_ARGUMENTS),
    })),
  };
}

function answer(open: OpenRound | undefined, { callId, text, error }: Extract<Message, { role: 'tool' }>): void {
  const call = open?.calls.find(({ id }) => id === callId);
  if (call) call.result = { text: beginningOf(text, MOST_RESULT), isError: error };
}
