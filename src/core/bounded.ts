/** Work that is given up when it takes too long, also in the midst of a regular expression. */
import vm from 'node:vm';

export class TookTooLong extends Error {
  constructor(readonly ms: number) {
    super(`it took more than ${ms / 1_000} s`);
  }
}

const script = new vm.Script('work()');
let box: vm.Context | undefined;

let isWatched = true;

/** A simulation has its own bound, for whole runs: a watch over each piece of work would cost more than the work. */
export function watchNothing(): void {
  isWatched = false;
}

/** What `work` gives or throws; throws `TookTooLong`. What it was doing is left half done. */
export function within<T>(ms: number, work: () => T): T {
  if (!isWatched) return work();
  box ??= vm.createContext(Object.create(null));
  const outer: unknown = box.work;
  box.work = work;
  try {
    return script.runInContext(box, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new TookTooLong(ms);
    throw error;
  } finally {
    box.work = outer;
  }
}
