/** Ids of tool calls that differ within a conversation: results are paired with calls by id. */
import type { Message } from '../core/model.js';

/** Servers repeat ids within a turn, across turns, or send none. */
export function idsBeside(messages: readonly Message[]): (proposed: string | undefined) => string {
  let used: Set<string> | undefined;
  const all = () => {
    used ??= new Set(messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : [])));
    return used;
  };
  let first: string | undefined;
  return (proposed) => {
    // A reply has one call, mostly, with an id of its own: then no set is made of all that are known.
    if (proposed !== undefined && first === undefined && !used && !isAmong(messages, proposed)) {
      first = proposed;
      return proposed;
    }
    if (first !== undefined) all().add(first);
    const stem = proposed ?? `call_${all().size + 1}`;
    let id = stem;
    for (let n = 2; all().has(id); n++) id = `${stem}_${n}`;
    all().add(id);
    return id;
  };
}

function isAmong(messages: readonly Message[], id: string): boolean {
  return messages.some((one) => one.role === 'assistant' && one.calls.some((call) => call.id === id));
}
