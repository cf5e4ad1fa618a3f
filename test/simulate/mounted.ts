/** A disk of memory for one test, taken away after it. */
import { onTestFinished } from 'vitest';
import { createDisk, type Disk } from '../../src/simulate/disk/disk.js';
import { mountDisk } from '../../src/simulate/disk/mount.js';

export function mounted(): Disk {
  const disk = createDisk('/.simulated');
  const unmount = mountDisk(disk);
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  onTestFinished(() => {
    process.off('unhandledRejection', ignore);
    unmount();
  });
  return disk;
}
