/** Takes away the work folders of steps that are done, beside what comes next. */
import fs from 'node:fs';

export interface WorkRemoval {
  /** Resolves when the folder is gone, or is empty and about to go. */
  remove(folder: string): Promise<void>;
  /** After it, nothing removes this folder any more: it may be made anew. */
  settled(folder: string): Promise<void>;
  /** After it, nothing is removed any more. */
  allSettled(): Promise<void>;
}

export function createWorkRemoval(): WorkRemoval {
  const going = new Map<string, Promise<void>>();
  return {
    async remove(folder) {
      // Mostly it is empty. Should it not be by then, it stays.
      if (!isEmpty(folder)) return fs.promises.rm(folder, { recursive: true, force: true });
      const gone = rmdir(folder)
        .catch(() => undefined)
        .finally(() => going.delete(folder));
      going.set(folder, gone);
    },
    async settled(folder) {
      await going.get(folder);
    },
    async allSettled() {
      await Promise.all(going.values());
    },
  };
}

const rmdir = (folder: string) =>
  new Promise<void>((resolve, reject) => {
    fs.rmdir(folder, (error) => (error ? reject(error) : resolve()));
  });

function isEmpty(folder: string): boolean {
  try {
    return fs.readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
