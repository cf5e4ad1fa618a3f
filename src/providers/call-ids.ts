/** Ids of tool calls that differ within a conversation: results are paired with calls by id. */
import type { Message } from '../core/model.js';

/** Servers repeat ids within a turn, across turns, or send none. */
export function idsBeside(messages: readonly Message[]): (proposed: string | undefined) => string {
  const used = new Set<string>();
  for (const message of messages) if (message.role === 'assistant') for (const call of message.calls) used.add(call.id);
  return (proposed) => {
    const stem = proposed ?? `call_${used.size + 1}`;
    let id = stem;
    for (let n = 2; used.has(id); n++) id = `${stem}_${n}`;
    used.add(id);
    return id;
  };
}
