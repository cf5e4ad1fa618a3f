/** A stream of server-sent events that says the state of something: at first, and as often as it has changed. */
import { sha256 } from '../core/json.js';
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
  const sayState = () => send(`retry: 1000\nevent: state\ndata: ${stateName(look())}\n\n`);
  const unwatch = pulse.watch(look, sayState);
  if (!unwatch) return undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller;
      const breath = setInterval(() => send(': \n\n'), SILENCE_MS).unref();
      end = () => {
        clearInterval(breath);
        unwatch();
      };
      sayState();
    },
    cancel() {
      end?.();
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

/** Events that wait to be sent. */
const MAX_WAITING = 16;

/** Short, and tells nothing of what it stands for. @param look as it was given */
export function stateName(seen: string): string {
  return sha256(seen).slice(0, 16);
}
