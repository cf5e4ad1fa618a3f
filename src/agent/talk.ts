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
import { type RoundEnd, readTranscript } from './transcript.js';

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
  /** The end of its last whole round. */
  readonly last: RoundEnd | undefined;
  /** Said to it now, because a person told it to go on; behind the open round, if there is one. */
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
      last: undefined,
      said: undefined,
    };
  }
  const { rounds, resolved, noted, open, last, guards = FRESH } = before;
  const granted = goesOn && goesOn.rounds > 0 ? rounds + goesOn.rounds : 0;
  const knownRounds = Math.max(conversing.maxRounds, noted.maxRounds ?? 0);
  // What was asked and paid for is taken to its end.
  const maxRounds = Math.max(knownRounds, granted, open?.round ?? 0);
  const said: Message | undefined = goesOn?.fault && {
    role: 'user',
    aside: true,
    text: goOnText(goesOn.fault.message, maxRounds - rounds - (open ? 1 : 0)),
  };
  return {
    messages: [...before.messages, ...(said && !open ? [said] : [])],
    rounds,
    maxRounds,
    knownRounds,
    guards: goesOn?.fault ? { ...FRESH, refused: guards.refused } : guards,
    reads: [...before.reads],
    isNew: false,
    shortenedBefore: noted.shortenedBefore ?? 0,
    resolved,
    open,
    last,
    said,
  };
}

function goOnText(fault: string, left: number): string {
  return `You were stopped: ${cutTo(oneLine(fault), MOST_FAULT_COLUMNS)}. You may go on from here: ${counted(left, 'round')} left. Then call resolve.`;
}

const MOST_FAULT_COLUMNS = 300;
