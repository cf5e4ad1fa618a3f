/** Tells those who watch something that it has changed: looks a few times a second, only while somebody watches. */

export interface Pulse {
  /** Tells what is seen at first, and as often as it has changed. @returns what ends the watch, or undefined where too many watch already */
  watch(look: () => string, tell: (seen: string) => void): (() => void) | undefined;
  close(): void;
}

/** Files of runs that were started elsewhere tell nobody that they have changed; on network file systems not even the kernel knows. */
const PAUSE_MS = 300;
/** Where looking takes long, because there are thousands of runs, it is done less often: so many times as long is rest. */
const REST = 9;
const MAX_WATCHES = 64;

export function createPulse(): Pulse {
  const watches = new Set<Watch>();
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    const begunMs = performance.now();
    for (const watch of watches) turn(watch);
    const pauseMs = Math.max(PAUSE_MS, REST * (performance.now() - begunMs));
    timer = watches.size > 0 ? setTimeout(beat, pauseMs).unref() : undefined;
  };
  return {
    watch(look, tell) {
      if (watches.size >= MAX_WATCHES) return undefined;
      const watch: Watch = { look, tell };
      watches.add(watch);
      turn(watch);
      timer ??= setTimeout(beat, PAUSE_MS).unref();
      return () => watches.delete(watch);
    },
    close() {
      watches.clear();
      clearTimeout(timer);
    },
  };
}

interface Watch {
  readonly look: () => string;
  readonly tell: (seen: string) => void;
  last?: string;
}

function turn(watch: Watch): void {
  const now = seen(watch.look);
  if (now === undefined || now === watch.last) return;
  watch.last = now;
  watch.tell(now);
}

/** Undefined while it cannot be told: a folder that is just being removed. */
function seen(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
