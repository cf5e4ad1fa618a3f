/** Work that has a disk of memory in this thread's node:fs until it is over. */
import { watchNothing } from '../../core/bounded.js';
import { createDisk, type Disk } from './disk.js';
import { mountDisk } from './mount.js';

/** No path of a machine begins with it. */
const DISK_ROOT = '/.simulated';

/** In a thread, or a process, where nobody else is at work. */
export async function onDisk<T>(work: (disk: Disk) => Promise<T>): Promise<T> {
  const { disk, release } = takeDisk();
  try {
    return await work(disk);
  } finally {
    release();
  }
}

/** For work that has no one function: the disk is there until it is released. */
export function takeDisk(): { readonly disk: Disk; release(): void } {
  const disk = createDisk(DISK_ROOT);
  const unmount = mountDisk(disk);
  // A process that is killed leaves promises that nobody waits for.
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  watchNothing();
  return {
    disk,
    release() {
      process.off('unhandledRejection', ignore);
      unmount();
    },
  };
}
