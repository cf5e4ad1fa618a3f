/** Where an agent's conversation begins: anew, or as an earlier attempt left it. */
import fs from 'node:fs';
import { cutTo } from '../core/columns.js';
import type { StepContext } from '../core/context.js';
import type { Json } from '../core/json.js';
import type { Message } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import type { Answer, Conversing } from './agent.js';
import { FRESH, type GuardState } from './guards.js';
import type { OpenRound } from './ledger.js';
import { readTranscript } from './transcript.js';

export interface Talk {
  readonly messages: readonly Message[];
  readonly rounds: number;
  readonly maxRounds: number;
  /** Of the file, or granted before. */
  readonly knownRounds: number;
  readonly guards: GuardState;
  readonly reads: Answer['reads'][number][];
  readonly isNew: boolean;
  /** Results of messages before this one have given way. */
  readonly shortenedBefore: number;
  readonly resolved: { readonly value: Json } | undefined;
  /** A round that had begun to have effects and is not at its end. */
  readonly open: OpenRound | undefined;
  /** Said to it now, because a person told it to go on. */
  readonly said: Message | undefined;
}

/** The conversation as an earlier attempt left it, or a new one. */
export function takeUp(conversing: Conversing, { continues, goesOn }: StepContext): Talk {
  const before = continues ? readTranscript(conversing.transcript, conversing.key) : undefined;
  if (!before) {
    if (continues) fs.rmSync(conversing.transcript, { force: true });
    const first: Message = {
      role: 'user',
      text: conversing.prompt,
      ...(conversing.images.length > 0 ? { images: conversing.images } : {}),
    };
    return {
      messages: [first],
      rounds: 0,
      maxRounds: conversing.maxRounds,
      knownRounds: conversing.maxRounds,
      guards: FRESH,
      reads: [],
      isNew: true,
      shortenedBefore: 0,
      resolved: undefined,
      open: undefined,
      said: undefined,
    };
  }
  const { rounds, resolved, noted, open, guards = FRESH } = before;
  const granted = goesOn && goesOn.rounds > 0 ? rounds + goesOn.rounds : 0;
  const knownRounds = Math.max(conversing.maxRounds, noted.maxRounds ?? 0);
  const maxRounds = Math.max(knownRounds, granted);
  const said: Message | undefined = goesOn?.fault && {
    role: 'user',
    aside: true,
    text: goOnText(goesOn.fault.message, maxRounds - rounds),
  };
  return {
    messages: [...before.messages, ...(said ? [said] : [])],
    rounds,
    maxRounds,
    knownRounds,
    guards: goesOn?.fault ? { ...FRESH, refused: guards.refused } : guards,
    reads: [...before.reads],
    isNew: false,
    shortenedBefore: noted.shortenedBefore ?? 0,
    resolved,
    open,
    said,
  };
}

function goOnText(fault: string, left: number): string {
  return `You were stopped: ${cutTo(oneLine(fault), MOST_FAULT_COLUMNS)}. You may go on from here: ${counted(left, 'round')} left. Then call resolve.`;
}

const MOST_FAULT_COLUMNS = 300;
