/** A stream of server-sent events that says the state of something: at first, and as often as it has changed. */
import { sha256 } from '../core/json.js';
import type { Pulse } from './pulse.js';

/** So that a connection which is gone is found out. */
const SILENCE_MS = 15_000;
/** Events that wait to be sent. One who does not read any more gets no more than that there is something. */
const MAX_WAITING = 16;

/** @param look gives a text that differs once there is something new. Undefined where too many listen already. */
export function changesOf(pulse: Pulse, look: () => string): Response | undefined {
  const encoder = new TextEncoder();
  let unwatch: (() => void) | undefined;
  let breath: NodeJS.Timeout | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(out) {
      const send = (text: string) => {
        if ((out.desiredSize ?? 0) > -MAX_WAITING) out.enqueue(encoder.encode(text));
      };
      unwatch = pulse.watch(look, (seen) => send(`retry: 1000\nevent: state\ndata: ${stateName(seen)}\n\n`));
      if (unwatch) breath = setInterval(() => send(': \n\n'), SILENCE_MS).unref();
    },
    cancel() {
      clearInterval(breath);
      unwatch?.();
    },
  });
  return unwatch && new Response(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

/** Short, and tells nothing of what it stands for. @param seen as `look` gave it */
export function stateName(seen: string): string {
  return sha256(seen).slice(0, 16);
}
