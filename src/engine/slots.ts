/** A counting semaphore, first come first served: how many attempts run at once. */

export interface Slots {
  /** Resolves when there is room; call the result to give the place back. */
  take(): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const queue: (() => void)[] = [];
  let head = 0;
  const give = () => {
    const next = queue[head];
    if (!next) {
      free++;
      return;
    }
    head++;
    if (head > 1_000) {
      queue.splice(0, head);
      head = 0;
    }
    next();
  };
  const once = () => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      give();
    };
  };
  return {
    take() {
      if (free > 0) {
        free--;
        return Promise.resolve(once());
      }
      return new Promise((resolve) => queue.push(() => resolve(once())));
    },
  };
}

/** Runs `work` over all items, at most `limit` at a time, started in order; results in order. */
export async function pooled<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T, index);
    }
  };
  await allOf(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** As Promise.all, but nothing is left running when it throws. */
export async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
