/** A stream of server-sent events that says "changed", as often as it is so. */
import type { Pulse } from './pulse.js';

/** So that a connection which is gone is found out. */
const SILENCE_MS = 15_000;

/** @param look gives a text that differs once there is something new. Undefined where too many listen already. */
export function changesOf(pulse: Pulse, look: () => string): Response | undefined {
  const encoder = new TextEncoder();
  let end: (() => void) | undefined;
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const send = (text: string) => {
    // One who does not read any more gets no more than that there is something.
    if (out && (out.desiredSize ?? 0) > -MAX_WAITING) out.enqueue(encoder.encode(text));
  };
  const unwatch = pulse.watch(look, () => send('event: changed\ndata: \n\n'));
  if (!unwatch) return undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
      const breath = setInterval(() => send(': \n\n'), SILENCE_MS).unref();
      end = () => {
        clearInterval(breath);
        unwatch();
      };
      send('retry: 1000\nevent: changed\ndata: \n\n');
    },
    cancel() {
      end?.();
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

/** Events that wait to be sent. */
const MAX_WAITING = 16;
