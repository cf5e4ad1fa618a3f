/** Where an agent's conversation begins: anew, or as an earlier attempt left it. */
import fs from 'node:fs';
import { cutTo } from '../core/columns.js';
import type { StepContext } from '../core/context.js';
import type { Json } from '../core/json.js';
import type { Message } from '../core/model.js';
import { oneLine } from '../core/plain-text.js';
import { counted } from '../core/words.js';
import type { Agent, Answer } from './agent.js';
import { FRESH, type GuardState } from './guards.js';
import { readTranscript } from './transcript.js';

export interface Talk {
  readonly messages: readonly Message[];
  readonly rounds: number;
  readonly maxRounds: number;
  readonly guards: GuardState;
  readonly reads: Answer['reads'][number][];
  readonly isNew: boolean;
  /** Results of messages before this one have given way. */
  readonly shortenedBefore: number;
  readonly resolved: { readonly value: Json } | undefined;
  /** Said to it now, because a person told it to go on. */
  readonly said: Message | undefined;
}

/** The conversation as an earlier attempt left it, or a new one. */
export function takeUp(agent: Agent, { goesOn }: StepContext): Talk {
  const before = readTranscript(agent.transcript, agent.key);
  if (!before) {
    fs.rmSync(agent.transcript, { force: true });
    const first: Message = {
      role: 'user',
      text: agent.prompt,
      ...(agent.images.length > 0 ? { images: agent.images } : {}),
    };
    return {
      messages: [first],
      rounds: 0,
      maxRounds: agent.maxRounds,
      guards: FRESH,
      reads: [],
      isNew: true,
      shortenedBefore: 0,
      resolved: undefined,
      said: undefined,
    };
  }
  const { rounds, resolved, turning, guards = FRESH } = before;
  const granted = goesOn && goesOn.rounds > 0 ? rounds + goesOn.rounds : 0;
  const maxRounds = Math.max(agent.maxRounds, turning.maxRounds ?? 0, granted);
  const said: Message | undefined = goesOn && {
    role: 'user',
    aside: true,
    text: goOnText(goesOn.fault.message, maxRounds - rounds),
  };
  return {
    messages: [...before.messages, ...(said ? [said] : [])],
    rounds,
    maxRounds,
    guards: goesOn ? { ...FRESH, refused: guards.refused } : guards,
    reads: [...before.reads],
    isNew: false,
    shortenedBefore: turning.shortenedBefore ?? 0,
    resolved,
    said,
  };
}

function goOnText(fault: string, left: number): string {
  return `You were stopped: ${cutTo(oneLine(fault), MOST_FAULT_COLUMNS)}. You may go on from here: ${counted(left, 'round')} left. Then call resolve.`;
}

const MOST_FAULT_COLUMNS = 300;
