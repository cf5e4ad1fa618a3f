/** A disk of memory for one test, taken away after it. */
import { onTestFinished } from 'vitest';
import type { Disk } from '../../src/simulate/disk/disk.js';
import { takeDisk } from '../../src/simulate/disk/on-disk.js';

export function mounted(): Disk {
  const { disk, release } = takeDisk();
  onTestFinished(release);
  return disk;
}
