/** Work that has a disk of memory in this thread's node:fs until it is over. */
import { watchNothing } from '../../core/bounded.js';
import { createDisk, type Disk } from './disk.js';
import { mountDisk } from './mount.js';

/** No path of a machine begins with it. */
const DISK_ROOT = '/.simulated';

/** In a thread, or a process, where nobody else is at work. */
export async function onDisk<T>(work: (disk: Disk) => Promise<T>): Promise<T> {
  const disk = createDisk(DISK_ROOT);
  const unmount = mountDisk(disk);
  // A process that is killed leaves promises that nobody waits for.
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  watchNothing();
  try {
    return await work(disk);
  } finally {
    process.off('unhandledRejection', ignore);
    unmount();
  }
}
