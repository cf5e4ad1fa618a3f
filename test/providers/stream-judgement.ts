/** What is wrong with how a stream ended, by what its bytes say when they are read plainly. */
import { isObject, parseJson } from '../../src/core/json.js';
import type { ModelReply } from '../../src/core/model.js';
import { readPlainly } from './plain-reading.js';
import { isFault, type Outcome } from './stream-reading.js';

/** @param says what it said before it was damaged; undefined if nothing is wrong */
export function wrongWith(outcome: Outcome, bytes: Uint8Array, says: ModelReply): string | undefined {
  if (isFault(outcome)) {
    return outcome.code.startsWith('provider.') && outcome.message !== '' ? undefined : 'not a clear fault';
  }
  const plain = readPlainly(bytes);
  if (!plain) return 'an answer where there is none';
  if (outcome.text !== plain.text || (outcome.reasoning ?? '') !== plain.reasoning) return 'another text';
  if (outcome.calls.length < plain.calls.length) return 'a call is lost';
  const known = [...says.calls, ...plain.calls].map((call) => `${call.name} ${call.arguments}`);
  const strange = outcome.calls.filter(
    (call) => canRun(call.arguments) && !known.includes(`${call.name} ${call.arguments}`),
  );
  return strange.length > 0 ? 'a call that nobody made' : undefined;
}

function canRun(text: string): boolean {
  try {
    return isObject(parseJson(text));
  } catch {
    return false;
  }
}
